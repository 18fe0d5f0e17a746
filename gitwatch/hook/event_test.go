package hook

import (
	"strings"
	"testing"
)

var (
	idA = strings.Repeat("a1", 20)
	idB = strings.Repeat("b2", 32)
)

func TestParseLine(t *testing.T) {
	run := "0199a1b2-0000-7000-8000-00000000abcd"
	for line, want := range map[string]Event{
		"commit - " + idA + " - ":                      {Kind: KindCommit, New: idA},
		"commit - " + idB + " " + run + " wt 2":        {Kind: KindCommit, New: idB, Run: run, Linked: "wt 2"},
		"rewrite " + idA + " " + idB + " - -":          {Kind: KindRewrite, Old: idA, New: idB, Linked: "-"},
		"rewrite " + idA + " " + idA + " " + run + " ": {Kind: KindRewrite, Old: idA, New: idA, Run: run},
	} {
		if e, ok := parseLine(line); !ok || e != want {
			t.Errorf("%q: %+v, %v; want %+v", line, e, ok, want)
		}
	}
	for _, line := range []string{
		"", "commit", "commit - " + idA, "commit - " + idA + " -", "commit " + idA + " " + idA + " - ",
		"rewrite - " + idA + " - ", "commit - " + idA[1:] + " - ", "commit - " + strings.ToUpper(idA) + " - ",
		"merge - " + idA + " - ", "commit - " + idA + " a_b ", "commit - " + idA + " - ../x", "commit - " + idA + " - ..",
	} {
		if e, ok := parseLine(line); ok {
			t.Errorf("%q was read as %+v", line, e)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("commit - " + idA + " - \nrewrite " + idA + " " + idB + " - wt\nhalf")
	f.Add("\n\x00\nrewrite")
	f.Fuzz(func(t *testing.T, text string) {
		events, damaged := parse([]byte(text))
		lines := strings.Count(text, "\n")
		if text != "" && !strings.HasSuffix(text, "\n") {
			lines++
		}
		if len(events)+damaged != lines {
			t.Errorf("%d events and %d damaged of %d lines", len(events), damaged, lines)
		}
		for _, e := range events {
			if (len(e.New) != 40 && len(e.New) != 64) || strings.Trim(e.New, "0123456789abcdef") != "" || strings.ContainsAny(e.Linked, "/\\\n") || e.Run == "-" || (e.Old != "") != (e.Kind == KindRewrite) {
				t.Errorf("read %+v", e)
			}
		}
	})
}
