package memory

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func headings(src string) string {
	var list []string
	for _, c := range collected("x.md", Parse([]byte(src)), 400, 0, time.Time{}) {
		list = append(list, fmt.Sprintf("%d %s", c.StartLine, c.Heading))
	}
	return strings.Join(list, "; ")
}

func TestHeadingsOfText(t *testing.T) {
	for src, want := range map[string]string{
		"# A\n\nx\n\n## B ##\n\ny\n":              "1 A; 5 A > B",
		"Title\n=====\n\nx\n\nSub\n---\n\ny\n":    "1 Title; 6 Title > Sub",
		"x\ny\n---\n":                             "1 ",
		"- item\n---\n\nx\n":                      "1 ",
		"1. item\n---\n":                          "1 ",
		"> said\n---\n":                           "1 ",
		"| cell |\n---\n":                         "1 ",
		"  indented\n---\n":                       "1 ",
		"**Commit**: abc1234\n---\n":              "1 ",
		"x\n\n---\n\ny\n":                         "1 ",
		"x\n==\n":                                 "1 ",
		"```\n# code\n```\nx\n":                   "1 ",
		"```\n# open\n":                           "2 open",
		"<!--\n# hidden\n-->\nx\n":                "1 ",
		"<!--\n# open\n":                          "2 open",
		"<!--\n# shown\n--> words\n":              "2 shown",
		"<!-- a --> x\n# B\ny\n":                  "1 ; 2 B",
		"<!--\n```\n-->\n# A\n```\n# code\n```\n": "1 A",
	} {
		if got := headings(src); got != want {
			t.Errorf("%q: %q, want %q", src, got, want)
		}
	}
}

func TestBodyOfText(t *testing.T) {
	for src, want := range map[string]string{
		"# A\n\nx\n":                         "x",
		"```sh\n# install\nmake # all\n```":  "```sh\n# install\nmake # all\n```",
		"x <!-- not\n":                       "x <!-- not",
		"x <!-- one --> y <!-- two -->\n":    "x  y",
		"`<!-- shown -->`\n":                 "`<!-- shown -->`",
		"`a <!-- b --> c <!-- d -->`\n":      "`a <!-- b --> c <!-- d -->`",
		"a\n<!--\nhidden\n-->\nb\n":          "a\nb",
		"```\n<!-- code -->\n```\n":          "```\n<!-- code -->\n```",
		"- fact <!-- id=f1 -->\n":            "- fact",
		"T\n===\nx\n":                        "x",
		"before\n~~~\n```\n# code\n~~~\nx\n": "before\n~~~\n```\n# code\n~~~\nx",
	} {
		list := collected("x.md", Parse([]byte(src)), 400, 0, time.Time{})
		if len(list) != 1 || list[0].Body != want {
			t.Errorf("%q: %+v", src, list)
		}
	}
	if list := collected("x.md", Parse([]byte("<!-- only this -->\n\n<!--\nand this\n-->\n")), 400, 0, time.Time{}); list != nil {
		t.Errorf("comments alone are %+v", list)
	}
}

func table(rows int) string {
	var b strings.Builder
	b.WriteString("| name | port |\n|:-----|-----:|\n")
	for i := range rows {
		fmt.Fprintf(&b, "| service %03d of many | %d |\n", i, i)
	}
	return b.String()
}

func TestTableThatFitsIsWhole(t *testing.T) {
	for n := range 12 {
		src := numbered(n) + "\n" + table(10) + "\n" + numbered(5)
		whole := false
		for _, c := range collected("x.md", Parse([]byte(src)), 120, 20, time.Time{}) {
			whole = whole || strings.Contains(c.Text, strings.TrimSpace(table(10)))
		}
		if !whole {
			t.Errorf("cut after %d sentences", n)
		}
	}
}

func TestLongTableIsCutBetweenRows(t *testing.T) {
	list := collected("x.md", Parse([]byte("Before.\n\n"+table(100)+"\nBehind.\n")), 100, 0, time.Time{})
	if len(list) < 8 {
		t.Fatalf("%d chunks", len(list))
	}
	for i, c := range list {
		if Tokens(c.Text) > 100 || i > 0 && i < len(list)-1 && !strings.HasPrefix(c.Text, "| service") {
			t.Errorf("%q", c.Text)
		}
		if strings.Contains(c.Body, "| service") && !strings.Contains(c.Body, "| name | port |") {
			t.Errorf("%q has no head", c.Body)
		}
	}
}

func TestFenceIsWhole(t *testing.T) {
	fence := "```go\n# a comment\n\n" + strings.Repeat("f(x, y) // words\n\n", 50) + "```"
	list := collected("x.md", Parse([]byte(numbered(8)+"\n"+fence+"\n"+numbered(8))), 60, 10, time.Time{})
	whole := 0
	for _, c := range list {
		if strings.Contains(c.Text, "```") {
			whole++
			if c.Text != fence || c.Body != fence {
				t.Errorf("%q", c.Text)
			}
		}
	}
	if whole != 1 {
		t.Errorf("in %d chunks", whole)
	}
}

func TestListIsCutAtItems(t *testing.T) {
	for _, mark := range []string{"- ", "1. "} {
		item := mark + "an item of some words\n   that goes on here\n   - with one below it\n"
		for _, c := range collected("x.md", Parse([]byte(strings.Repeat(item, 40))), 100, 0, time.Time{}) {
			if !strings.HasPrefix(c.Text, mark) {
				t.Errorf("%q", c.Text)
			}
		}
	}
}

func TestSentencesAreWhole(t *testing.T) {
	for _, sentence := range []string{"これは文です。", "你说「好的。」", "真的吗？！", "第一；", "He said \"so it is.\" ", "It is (as said). "} {
		src := strings.TrimSpace(strings.Repeat(sentence, 60))
		list := collected("x.md", Parse([]byte(src)), 40, 0, time.Time{})
		if len(list) < 3 {
			t.Fatalf("%d chunks", len(list))
		}
		for _, c := range list {
			if strings.Trim(strings.ReplaceAll(c.Text+" ", strings.TrimSpace(sentence)+" ", ""), " ") != "" && strings.ReplaceAll(c.Text, sentence, "") != "" {
				t.Errorf("%q", c.Text)
			}
		}
	}
}

// No part of an entry says again what stands in the section before its own.
func TestOverlapStaysInItsSection(t *testing.T) {
	e := Entry{ID: "e1", Kind: KindRun, Time: at(t, day), Title: "Long", Task: "T", Summary: numbered(18), Errors: []string{"short error"},
		Facts: []Fact{{ID: "f1", Text: numbered(30)}}}
	for limit := 40; limit < 160; limit++ {
		list := collected(daily, Parse(Format(e)), limit, limit/2, time.Time{})
		for i, c := range list[1:] {
			again := shared(list[i].Text, c.Text)
			if at := strings.Index(again, "### "); at > 0 {
				t.Fatalf("at %d tokens %q is said twice", limit, again)
			}
			if c.Title != "Long" || !strings.HasPrefix(c.Heading, "2026-11-21 14:32 · Long > ") || c.Ordinal != i+1 {
				t.Fatalf("%+v", c)
			}
		}
	}
}

// Facts that are quoted in code are text, in a fence that a fact's further
// lines open too.
func TestFactsInFencesAreText(t *testing.T) {
	for src, want := range map[string]string{
		"```\n- x <!-- id=f1 -->\n```\n- y <!-- id=f2 -->\n":                           "f2",
		"- x <!-- id=f1 -->\n  ```\n  code\n```\n# A\n- y <!-- id=f2 -->\n":            "f1 f2",
		"- x <!-- id=f1 -->\n\n  ```\n- y <!-- id=f2 -->\n```\n\n- z <!-- id=f3 -->\n": "f1 f3",
		"```\n- x <!-- id=f1 -->\n":                                                    "f1",
	} {
		if got := strings.Join(Parse([]byte(src)).IDs(), " "); got != want {
			t.Errorf("%q: %s, want %s", src, got, want)
		}
	}
}
