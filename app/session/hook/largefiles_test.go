package hook

import (
	"fmt"
	"strings"
	"testing"

	. "agentflow/internal/testing/sessiontest"
	"agentflow/memory/changeset"
)

// large returns a Go file of more than 10,000 characters. Of an edit of it, the CLI's file of a
// session has only the changed parts. Line 404 is the body of f100.
func large() string {
	var b strings.Builder
	b.WriteString("package a\n")
	for i := range 500 {
		fmt.Fprintf(&b, "\nfunc f%d() {\n\tx(%d)\n}\n", i, i)
	}
	return b.String()
}

// TestEditsOfLargeFiles: a plain edit of a large file is the session's for sure, while it is open
// and in its entry, unless a person edited the file too.
func TestEditsOfLargeFiles(t *testing.T) {
	call, describe := Edit("large.go", "\tx(100)\n", "\ty(100)\n"), Edit("large.go", "func f200() {", "// f200 has words.\nfunc f200() {")
	person := func(old, text string) Act {
		return func(p *Player) { p.Write("large.go", strings.Replace(p.Read("large.go"), old, text, 1)) }
	}
	for _, test := range []struct {
		name  string
		crlf  bool
		turns []Act
		sure  bool
	}{
		{name: "one edit", turns: []Act{call}, sure: true},
		{name: "CRLF", crlf: true, turns: []Act{call, describe}, sure: true},
		{name: "two turns", turns: []Act{describe, call}, sure: true},
		{name: "all", turns: []Act{EditAll("large.go", "\tx(", "\ty(")}, sure: true},
		{name: "rewritten", turns: []Act{describe, Write("large.go", strings.Replace(large(), "x(100)", "y(100)", 1))}, sure: true},
		{name: "a person between", turns: []Act{describe, person("x(300)", "y(300)"), call}},
		{name: "a person before", turns: []Act{person("x(300)", "y(300)"), call}},
		{name: "a person after", turns: []Act{call, person("x(300)", "y(300)")}},
		{name: "a person replaced one of all", turns: []Act{person("x(300)", "y(300)"), EditAll("large.go", "\tx(", "\ty(")}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			text := large()
			if len(text) < 11000 {
				t.Fatalf("the file has %d bytes", len(text))
			}
			if test.crlf {
				text = strings.ReplaceAll(text, "\n", "\r\n")
			}
			l.Write("large.go", text)
			l.Git("add", "-A")
			l.Git("commit", "-qm", "large")
			p := l.player()
			p.Start("startup")
			for _, turn := range test.turns {
				p.Turn("Work", turn, Say("Done."))
			}
			at := "large.go:404"
			if strings.Contains(strings.Split(l.Read("large.go"), "\n")[404], "y(100)") {
				at = "large.go:405"
			}
			open := l.whyOf(at)
			p.End("prompt_input_exit")
			for when, o := range map[string]changeset.Certainty{"while it is open": open.Certainty, "in its entry": l.whyOf(at).Certainty} {
				if (o == changeset.Shown) != test.sure {
					t.Errorf("%s: %q", when, o)
				}
			}
		})
	}
}
