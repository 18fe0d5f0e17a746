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

// FuzzSameTitle: the two cuts of a text are one title, and of whole words one.
func FuzzSameTitle(f *testing.F) {
	const long = "Let the tokenizer split identifiers at capital letters, and the lexer all numbers at underscores"
	for _, s := range []string{long, long[:79] + " " + long, long[:80], strings.Repeat("x", 200), strings.Repeat("word ", 40), "short"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		title, older := Title(s), olderTitle(s)
		if !SameTitle(title, older) || !SameTitle(older, title) {
			t.Errorf("%q and %q", title, older)
		}
		if !strings.HasPrefix(older, strings.TrimSuffix(title, "…")) || utf8.RuneCountInString(title) > maxTitle {
			t.Errorf("%q does not begin %q", title, older)
		}
	})
}

// olderTitle returns the title that older programs made, which may end within a word.
func olderTitle(s string) string {
	title := []rune(titleLine(s))
	if len(title) <= maxTitle {
		return string(title)
	}
	return strings.TrimRight(string(title[:maxTitle-1]), " ") + "…"
}

func TestTitleEndsAtAWord(t *testing.T) {
	const long = "Let the tokenizer split identifiers at capital letters, and the lexer all numbers at underscores"
	const want = "Let the tokenizer split identifiers at capital letters, and the lexer all…"
	if got := Title(long); got != want {
		t.Errorf("%q", got)
	}
	for _, other := range []string{long, "Let it…", "Let the tokenizer split…", "Let the tokenizer split"} {
		if SameTitle(want, other) {
			t.Errorf("%q is %q", want, other)
		}
	}
}
