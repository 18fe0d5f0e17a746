package index

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"agentflow/internal/words"
)

// marked returns text with the highlighted parts in brackets.
func marked(query, text string) string {
	var b strings.Builder
	at := 0
	for _, s := range Highlighter(query)(text) {
		b.WriteString(text[at:s.Start] + "[" + text[s.Start:s.End] + "]")
		at = s.End
	}
	return b.String() + text[at:]
}

func TestHighlighter(t *testing.T) {
	for _, c := range []struct{ query, text, want string }{
		{"flaky tests", "A test is Flaky; testing is not tasty.", "A [test] is [Flaky]; [testing] is not tasty."},
		{"the clock", "the clock of the login", "the [clock] of the login"},
		{"session", "newSessionStore in my_session_file and SESSION", "new[Session]Store in my_[session]_file and [SESSION]"},
		{"sessionClock", "sessionClock, session and clock", "[sessionClock], [session] and [clock]"},
		{"auth/session.go", "see auth/session.go:12", "see [auth]/[session].[go]:12"},
		{"数据库", "这个数据库很大", "这个[数据][库]很大"},
		{"café", "the cafe\u0301, a café and a cafe", "the [cafe\u0301], a [café] and a [cafe]"},
		{"한국", "한국어 와 \u1112\u1161\u11ab\u1100\u116e\u11a8", "[한국]어 와 [\u1112\u1161\u11ab\u1100\u116e\u11a8]"},
		{"file", "a ﬁle", "a [ﬁle]"},
		{"x", "\xff x \xc3", "\xff [x] \xc3"},
		{"", "nothing", "nothing"},
		{"<>", "a <b>", "a <b>"},
	} {
		if got := marked(c.query, c.text); got != c.want {
			t.Errorf("%q in %q: %q, want %q", c.query, c.text, got, c.want)
		}
	}
}

// TestHighlightsAreTokens checks that a text which the index finds by a single
// word always has a part to highlight for it.
func TestHighlightsAreTokens(t *testing.T) {
	text := "Fix parseHTTPServer_v2 in auth/session.go; 数据库 and naïve Ångström caches, e.g. foo_bar.baz."
	for _, tok := range words.Tokenize(text) {
		if strings.Contains(tok.Text, "_") && tok.Named {
			continue // a path's joined form; its words are shown
		}
		if got := marked(tok.Text, text); got == text {
			t.Errorf("nothing is shown for %q", tok.Text)
		}
	}
}

func FuzzHighlighter(f *testing.F) {
	f.Add("flaky login", "The Flaky_login test")
	f.Add("数据 cafe\u0301", "\xff数据库 cafe\u0301 \u1112\u1161\u11ab ﬁ\xe3\x81")
	f.Fuzz(func(t *testing.T, query, text string) {
		spans := Highlighter(query)(text)
		borders := []int{len(text)}
		for i := range text {
			borders = append(borders, i)
		}
		slices.Sort(borders)
		last := 0
		for _, s := range spans {
			if s.Start < last || s.End <= s.Start || s.End > len(text) || s.Term < 0 {
				t.Fatalf("span %+v after %d in %d bytes", s, last, len(text))
			}
			for _, at := range []int{s.Start, s.End} {
				if _, ok := slices.BinarySearch(borders, at); !ok {
					t.Fatalf("span %+v of %q is not on a rune's border", s, text)
				}
			}
			last = s.End
		}
		if utf8.ValidString(text) && len(spans) == 0 && len(query) < 600 && query == text && len(words.Tokenize(text)) == 1 && len(text) <= words.MaxWord {
			t.Fatalf("%q does not find itself", text)
		}
	})
}
