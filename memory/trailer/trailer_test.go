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
