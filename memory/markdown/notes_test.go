package markdown

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"agentflow/memory/internal/outline"
)

// TestNotesHaveTheirPaths: those of the front matter, and those that a heading is.
func TestNotesHaveTheirPaths(t *testing.T) {
	for src, want := range map[string]string{
		"---\nglobs: web/**, *.{ts,tsx}\n---\n- a b\n":                    `["web/**" "*.{ts,tsx}"]`,
		"---\npaths:\n  - \"web/**\"\n  - api/**\n---\n- a b\n":           `["web/**" "api/**"]`,
		"---\napplyTo: \"**/*.ts,**/*.tsx\"\n---\n- a b\n":                `["**/*.ts" "**/*.tsx"]`,
		"---\nglobs: [web/**]\nalwaysApply: false\n---\n- a b\n":          `["web/**"]`,
		"---\nglobs: web/**\nalwaysApply: true\n---\n- a b\n":             `[]`,
		"---\napplyTo: \"**\"\n---\n- a b\n":                              `[]`,
		"---\nglobs: web/**, ../x\n---\n- a b\n":                          `[]`,
		"# Memory\n\n## web/\n\n- a b\n":                                  `["web/"]`,
		"# Memory\n\n## docs/\n\n### Style\n\n- a b\n":                    `["docs/"]`,
		"# Memory\n\n## `web/**`\n\n- a b <!-- id=0199aaaa -->\n":         `["web/**"]`,
		"# Memory\n\n## web/**\n\n- a b\n":                                `["web/**"]`,
		"# Memory\n\n## **/*.ts\n\n- a b\n":                               `["**/*.ts"]`,
		"# Memory\n\n## **web/**\n\n- a b\n":                              `["web/"]`,
		"# Memory\n\n## web/\n\n## Style\n\n- a b\n":                      `[]`,
		"# Memory\n\n- a b <!-- id=0199aaaa paths=web/%2A%2A,a%2Cb -->\n": `["web/**" "a,b"]`,
	} {
		notes := Parse([]byte(src)).Notes("x.md")
		if got := fmt.Sprintf("%q", notes[0].AsFact().Scope(nil)); got != want {
			t.Errorf("%q: %s, want %s", src, got, want)
		}
	}
}

func TestNotes(t *testing.T) {
	const src = `---
title: Notes of another tool
tags: [shared]
---
# MEMORY

Intro that
goes on.

## Testing
- tags: tests, ci

- Use vitest,
  never jest
  - and no snapshots
- ~~Mock the clock~~
* Known already. <!-- id=0199aaaa type=semantic -->
lazy line

Run them so:

` + "```bash\nnpm test\n```" + `

1. Build
2. Tag

3. Push
---
<!-- hidden -->
## 2026-03-04

Ported the parser. <!-- aside -->

| a | b |
|---|---|
| 1 | 2 |
`
	var got []string
	for _, n := range Parse([]byte(src)).Notes("MEMORY.md") {
		date := ""
		if !n.Date.IsZero() {
			date = n.Date.Format(time.DateOnly)
		}
		got = append(got, fmt.Sprintf("%d-%d %s|%s|%s|%v %q", n.StartLine, n.EndLine, n.Heading, date, strings.Join(n.Tags, ","), n.Struck, n.Text))
		if n.Fact != nil {
			got[len(got)-1] += " is " + n.Fact.ID
		}
	}
	want := []string{
		`7-8 ||shared|false "Intro that\ngoes on."`,
		`13-15 Testing||shared,tests,ci|false "Use vitest,\nnever jest\n- and no snapshots"`,
		`16-16 Testing||shared,tests,ci|true "Mock the clock"`,
		`17-17 Testing||shared,tests,ci|false "Known already." is 0199aaaa`,
		`18-18 Testing||shared,tests,ci|false "lazy line"`,
		`20-24 Testing||shared,tests,ci|false "Run them so:\n` + "```bash\\nnpm test\\n```" + `"`,
		`26-29 Testing||shared,tests,ci|false "1. Build\n2. Tag\n\n3. Push"`,
		`34-34 |2026-03-04|shared|false "Ported the parser."`,
		`36-38 |2026-03-04|shared|false "| a | b |\n|---|---|\n| 1 | 2 |"`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestNotesAreDatedByTheirFile(t *testing.T) {
	for file, want := range map[string]string{
		"memory/2026-03-04.md": "2026-03-04", "2026-03-04-parser-talk.md": "2026-03-04", "2026-03-40-x.md": "", "MEMORY.md": "", "2026-03-041.md": "",
	} {
		notes := Parse([]byte("# 10:30 talk\n\n- one\n")).Notes(file)
		got := ""
		if len(notes) == 1 && !notes[0].Date.IsZero() {
			got = notes[0].Date.Format(time.DateOnly)
		}
		if len(notes) != 1 || got != want {
			t.Errorf("%s: %v, want date %q", file, notes, want)
		}
	}
}

func FuzzNotes(f *testing.F) {
	for _, s := range []string{"- a\n\n  b\nc\n", "x:\n```\ny", "1. a\n\n2. b\n- c", "---\ntags: x\n---\n- a <!-- id=1 -->\n  b", "~~~\n- a\n", "a:\n|b|c|\n|-|-|\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		d := Parse(src)
		last := 0
		for _, n := range d.Notes("MEMORY.md") {
			if n.StartLine <= last || n.EndLine < n.StartLine || n.Fact == nil && !outline.HasWord(n.Text) {
				t.Fatalf("%+v behind line %d", n, last)
			}
			last = n.EndLine
		}
		if l := outline.Split(src); last > l.Count() {
			t.Fatalf("line %d of %d", last, l.Count())
		}
	})
}

func TestStandsAlone(t *testing.T) {
	for text, want := range map[string]bool{
		"Use tabs":                         true,
		"Deploy so:\n- tag\n- push":        true,
		"1. Build\n2. Tag it":              true,
		"Nie am Freitag ausliefern.":       true,
		"Key points:":                      false,
		"**Key points:**":                  false,
		"**Key points**:":                  false,
		"要点：":                              false,
		"```sh\nmake all tests\n```":       false,
		"Run them so:\n```\nmake it\n```":  false,
		"~~~\nmake it\n~~~":                false,
		"| one two | b |\n|---|---|":       false,
		"npm":                              false,
		"- 8080 1":                         false,
		"":                                 false,
		"Pipes such as a | b are fine too": true,
	} {
		if got := StandsAlone(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
