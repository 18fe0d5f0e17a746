package trailer

import "testing"

func TestStrip(t *testing.T) {
	for name, c := range map[string]struct{ message, want string }{
		"none":             {"Add a cache\n\nReads were slow.", "Add a cache\n\nReads were slow."},
		"people":           {"Add a cache\n\nReads were slow.\n\nSigned-off-by: A B <a@b.example>\nco-authored-by: C[bot] <1+c@d.example>", "Add a cache\n\nReads were slow."},
		"a squashed merge": {"Add a cache (#3)\n\n* Read it once\n\nCo-authored-by: A <a@b.example>\n\n* Test it\n\n---------\n\nCo-authored-by: A <a@b.example>\n", "Add a cache (#3)\n\n* Read it once\n\n\n* Test it"},
		"only people":      {"Add a cache\n\nReviewed-by: @someone", "Add a cache"},
		"an escaped rule":  {"Add a cache\n\n\\---------", "Add a cache"},
		"tools":            {"Add a cache\n\nChange-Id: I0123456789abcdef\n🤖 Generated with [A Tool](https://a.example)", "Add a cache"},
		"what says more":   {"Add a cache\n\nFixes: #12\nBlocked-by: the store\nRelease-Note: reads are fast", "Add a cache\n\nFixes: #12\nBlocked-by: the store\nRelease-Note: reads are fast"},
		"a sentence":       {"Sort by-lines\n\nIt is sorted-by: the date", "Sort by-lines\n\nIt is sorted-by: the date"},
		"nothing is left":  {"Signed-off-by: A <a@b.example>", ""},
		"a rule within":    {"Add\n\n---\n\nMore", "Add\n\n---\n\nMore"},
	} {
		if got := Strip(c.message); got != c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestIs(t *testing.T) {
	for _, line := range []string{
		"Co-authored-by: A B <a@b.example>", "  Signed-off-by: A", "Cc: A", "Tag-of: x", "Made-with: A Tool", "Upstream-Commit: x", "original-commit: 1234abc",
		"🤖 Generated with [A Tool](https://a.example)", "Generated with A Tool", "(cherry picked from commit 1234567)",
		"Fixes #12.", "Fixes: #12, closes: a/b#13", "Fix #1, Fix #2", "Part of #3 (partial)", "See also https://a.example/x", "1234abc", "Fixes review comments #5 and #6.", "Related: #8",
	} {
		if !Is(line) {
			t.Errorf("not found: %s", line)
		}
	}
	for _, line := range []string{
		"", "Fixes the pool's race (#12)", "Closes #12: the pool was never drained", "See the notes", "Server-side: each capture has an id", "pre-commit: check the tests",
		"Regenerated with a newer tool", "of https://a.example/x", "Generated with care, because the table is read by people",
	} {
		if Is(line) {
			t.Errorf("no trailer: %s", line)
		}
	}
}

func TestRefers(t *testing.T) {
	if text := "Fixes #1, see #2\ncloses: https://a.example"; !Refers(text) {
		t.Error(text)
	}
	for _, text := range []string{"", "Signed-off-by: A <a@b.example>", "Fixes #1\nThe cache was cold."} {
		if Refers(text) {
			t.Error(text)
		}
	}
}

func TestHasKey(t *testing.T) {
	for line, want := range map[string]bool{"Co-authored-by: A <a@b.example>": true, "Change-Id: I1a2b": true, "1000000.": false, "https://a.example/x": false, "Fixes #12": false} {
		if got := HasKey(line); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
}
