package memory

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"agentflow/internal/invisible"
)

func FuzzClean(f *testing.F) {
	for _, s := range []string{"\x00", "\x1b[31m", "\xff", "\u2028", "\u202e", "\U000E0041", "\uFEFF", "é", "漢字", "a\n\tb"} {
		f.Add(s)
	}
	f.Add("\x1b]0;title\x07text\x1b[1;31mred\x1b(B\x1b")
	f.Fuzz(func(t *testing.T, s string) {
		got := Clean(s)
		if Clean(got) != got || !utf8.ValidString(got) {
			t.Fatalf("%q cleaned %q, again %q", s, got, Clean(got))
		}
		for _, r := range got {
			if invisible.Rune(r) {
				t.Fatalf("%q left %U", got, r)
			}
		}
		if title := Title(s); utf8.RuneCountInString(title) > maxTitle || bytes.ContainsAny([]byte(title), "\n\t") {
			t.Fatalf("title %q", title)
		}
	})
}

// TestTitle: a plan's heading says more than the line that introduces it.
func TestTitle(t *testing.T) {
	for task, want := range map[string]string{
		"\n fix  the login\n# not this":                                     "fix the login",
		"Implement the following plan:\n\n# Redact secrets\n\n## Context\n": "Redact secrets",
		"Implement this:\nuse one log\n# Later":                             "Implement this:",
		"Implement this:\n#\n":                                              "Implement this:",
		"Implement this:":                                                   "Implement this:",
		"# Redact secrets\n\n# Again":                                       "# Redact secrets",
	} {
		if got := Title(task); got != want {
			t.Errorf("%q: %q", task, got)
		}
	}
}

func TestLaterPrompts(t *testing.T) {
	long := strings.Repeat("word ", 100)
	got := LaterPrompts(append([]string{" ", "add\n\n a\x1b[31m test\u202e", long, "\x00"}, make([]string, 9)...))
	if len(got) != 2 || got[0] != "add a test" || utf8.RuneCountInString(got[1]) > 200 || !strings.HasSuffix(got[1], "word…") {
		t.Errorf("%q", got)
	}
	if got := LaterPrompts(slices.Repeat([]string{"go"}, 30)); len(got) != 20 {
		t.Errorf("%d prompts", len(got))
	}
	if LaterPrompts(nil) != nil {
		t.Error("no prompts are a list")
	}
}
