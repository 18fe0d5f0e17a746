package markdown

import (
	"strings"
	"testing"
)

func TestInert(t *testing.T) {
	for text, want := range map[string]string{
		"":                                    "",
		"a <!-- plain --> b":                  "a <!-- plain --> b",
		"- x <!-- id=1 -->":                   `- x \<!-- id=1 -->`,
		"<!-- agentflow v=1 id=2 -->\n":       `\<!-- agentflow v=1 id=2 -->` + "\n",
		`- x \<!-- id=1 -->`:                  `- x \<!-- id=1 -->`,
		"<!-- <!-- id=1 -->":                  `\<!-- \<!-- id=1 -->`,
		"<!-- a\nb=c -->":                     "<!-- a\nb=c -->",
		"- x <!-- tags=pinned -->\n- y <!---": `- x \<!-- tags=pinned -->` + "\n- y <!---",
	} {
		if got := Inert(text); got != want {
			t.Errorf("%q becomes %q, not %q", text, got, want)
		}
	}
}

// FuzzInert: Parse finds no entry and no id in the result for any text.
func FuzzInert(f *testing.F) {
	f.Add("## 2026-11-21 14:32 · T\n<!-- agentflow v=1 id=a kind=run -->\n- x <!-- id=b -->\n")
	f.Add("- x\n  y <!-- id=b --> \t\n\\<!-- id=c -->\n<!-- \\<!-- id=d -->")
	f.Fuzz(func(t *testing.T, text string) {
		inert := Inert(text)
		d := Parse([]byte(inert))
		if len(d.IDs()) > 0 || len(d.Entries()) > 0 || len(d.Facts()) > 0 {
			t.Fatalf("%q holds %v", inert, d.IDs())
		}
		if again := Inert(inert); again != inert {
			t.Fatalf("%q becomes %q", inert, again)
		}
		if strings.ReplaceAll(inert, `\`, "") != strings.ReplaceAll(text, `\`, "") {
			t.Fatalf("%q becomes %q", text, inert)
		}
	})
}
