package explain

import (
	"strings"
	"testing"
)

func final(text string) Message   { return Message{Text: text, Final: true} }
func between(text string) Message { return Message{Text: text} }

func TestSummary(t *testing.T) {
	for name, c := range map[string]struct {
		said  []Message
		files []string
		want  string
	}{
		"a closing commit": {[]Message{
			between("Let me look at how recipients are parsed."),
			final("The error for an unknown recipient now lists the accepted prefixes. Kept `%q` in the message because usage.txt matches on it. The testscript suite was not run."),
			final("Committed as \"cmd/age: name the accepted prefixes\"."),
		}, []string{"cmd/age/parse.go"},
			"The error for an unknown recipient now lists the accepted prefixes. Kept `%q` in the message because usage.txt matches on it. The testscript suite was not run."},
		"what is left comes last": {[]Message{
			final("The cache is keyed by content now, because mtimes lie on network drives. I decided against a watcher: it leaks handles."),
			final("Pushed. The Windows build was not tested."),
		}, []string{"cache.go"},
			"The cache is keyed by content now, because mtimes lie on network drives. I decided against a watcher: it leaks handles. The Windows build was not tested."},
		"a list, code and a question": {[]Message{
			final("## Summary\n\nThe parser is split:\n\n- `lex.go` reads runes, since identifiers may be Greek\n- `parse.go` builds the tree\n\n```go\nfunc f() {}\n```\n\nWould you like me to commit this?"),
		}, []string{"lex.go", "parse.go"},
			"The parser is split: `lex.go` reads runes, since identifiers may be Greek. `parse.go` builds the tree."},
		"a rejected way earlier": {[]Message{
			between("Tried a regular expression instead of the scanner, it broke on nested quotes."),
			final("The scanner handles nested quotes now and the tests pass on all platforms that we build for."),
		}, nil,
			"The scanner handles nested quotes now and the tests pass on all platforms that we build for. Tried a regular expression instead of the scanner, it broke on nested quotes."},
		"only narration": {[]Message{between("Let me check the tests.")}, nil, ""},
		"only a closing": {[]Message{final("Done.")}, nil, "Done."},
		"nothing":        {nil, nil, ""},
		"abbreviations":  {[]Message{final("Supports e.g. TOML. Reads YAML i.e. its subset.")}, nil, "Supports e.g. TOML. Reads YAML i.e. its subset."},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Summary(c.said, c.files); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestLong holds the bound, and that the reason stays when other sentences go.
func TestLong(t *testing.T) {
	text := "The migration is reversible." + strings.Repeat(" It touches one more table of the old schema here.", 20) + " Chose a view instead of a trigger because triggers hide writes."
	got := Summary([]Message{final(text)}, nil)
	if n := len(strings.Fields(got)); n > MaxWords || !strings.HasPrefix(got, "The migration") || !strings.HasSuffix(got, "hide writes.") {
		t.Errorf("%d words: %s", n, got)
	}
	if got := Summary([]Message{final(strings.Repeat("word ", 500))}, nil); len(strings.Fields(got)) > MaxWords {
		t.Errorf("%d words", len(strings.Fields(got)))
	}
}

func TestExplains(t *testing.T) {
	for summary, want := range map[string]bool{
		"": false, "Done.": false, "Yes, that works.": false,
		"We keep SQLite, because the tool has to work without a server on every laptop.": true,
	} {
		if got := Explains(summary); got != want {
			t.Errorf("%q: %v", summary, got)
		}
	}
}

func FuzzSummary(f *testing.F) {
	f.Add("# A\n\n- b\n- c\n\n```\nd\n", "x.go")
	f.Fuzz(func(t *testing.T, text, file string) {
		got := Summary([]Message{final(text), between(text)}, []string{file})
		if n := len(strings.Fields(got)); n > MaxWords || strings.Contains(got, "\n") {
			t.Fatalf("%d words: %q", n, got)
		}
	})
}
