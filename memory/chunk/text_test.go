package chunk

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"agentflow/internal/testing/memorytest"
	"agentflow/memory"
	"agentflow/memory/markdown"
)

func TestFrontMatter(t *testing.T) {
	const body = "intro\n\n## Sub\n\nwords\n\n# Own\n\nmore\n"
	type front struct {
		title string
		tags  []string
		date  time.Time
	}
	for front, want := range map[string]front{
		"---\ntitle: Deploy notes\ntags: [ops, deploy]\ndate: 2026-01-02\n---\n":          {title: "Deploy notes", tags: []string{"ops", "deploy"}, date: time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)},
		"\uFEFF---\r\ntitle: \"A: b\"\r\ntags:\r\n- x\r\n  - 'y z'\r\nmore: a\r\n...\r\n": {title: "A: b", tags: []string{"x", "y z"}},
		"---\n# a comment\nTags: x, y\n\nnested:\n  title: no\n---\n":                     {tags: []string{"x", "y"}},
	} {
		list := collected("notes/x.md", markdown.Parse([]byte(front+body)), 400, 80, time.Time{})
		if len(list) != 3 {
			t.Fatalf("%q: %d chunks", front, len(list))
		}
		for i, heading := range []string{want.title, strings.TrimPrefix(want.title+" > Sub", " > "), "Own"} {
			if c := list[i]; c.Heading != heading || !slices.Equal(c.Tags, want.tags) || !c.Date.Equal(want.date) {
				t.Errorf("%q: %+v", front, c)
			}
		}
		if first := list[0]; first.Text != "intro" || first.StartLine != strings.Count(front, "\n")+1 || list[2].Ordinal != 2 {
			t.Errorf("%q: %+v", front, first)
		}
	}
}

func TestNoFrontMatter(t *testing.T) {
	for _, src := range []string{
		"---\ntitle: left open\n",
		"---\nA sentence of words.\n---\nmore\n",
		"---\n---\nmore\n",
		"---\n- item\n---\nmore\n",
		"---\ntitle:x\n---\n",
		"---\ntitle: x\n" + strings.Repeat("a: b\n", 100) + "---\n",
		"---\ntitle: " + strings.Repeat("x", 1000) + "\n---\n",
		"words\n---\ntitle: x\n---\n",
	} {
		list := collected("x.md", markdown.Parse([]byte(src)), 10_000, 0, time.Time{})
		text := ""
		for _, c := range list {
			text += c.Text + "\n"
		}
		if strings.TrimSpace(text) != strings.TrimSpace(src) {
			t.Errorf("of %.60q only %.60q is text", src, text)
		}
	}
}

// A file of entries may have front matter too. It applies only to the hand-written text.
func TestFrontMatterBeforeEntries(t *testing.T) {
	entry := string(markdown.Format(memory.Entry{ID: "e1", Kind: memory.KindNote, Time: memorytest.At(t, memorytest.Day), Title: "Entry"}))
	list := collected("x.md", markdown.Parse([]byte("---\ntitle: T\ntags: x\n---\n"+entry+"behind\n")), 400, 80, time.Time{})
	if len(list) != 2 || list[0].Tags != nil || list[0].Title != "Entry" || list[1].Heading != "T" || !slices.Equal(list[1].Tags, []string{"x"}) {
		t.Errorf("%+v", list)
	}
}

// What a section says of itself all its chunks know, and no other section.
func TestMetaIsOfItsSection(t *testing.T) {
	src := "# 21 Nov 2026 · Notes\n\nwords\n\n## Login\n\n- tags: auth, pinned\n- type: procedural\n**Commit**: abc1234\nSee `auth/session.go`.\n\n" +
		numbered(60) + "\n\n```\n- tags: code\n`a/code.go`\n```\n\n<!--\n- tags: hidden\n-->\n\n### Below\n\nmore\n"
	list := collected("MEMORY-notes.md", markdown.Parse([]byte(src)), 100, 20, time.Time{})
	if len(list) < 5 || list[0].Heading != "21 Nov 2026 · Notes" || list[0].Tags != nil || list[0].Pinned {
		t.Fatalf("%d chunks, the first %+v", len(list), list[0])
	}
	for _, c := range list[1 : len(list)-1] {
		if c.Heading != "21 Nov 2026 · Notes > Login" || c.Title != c.Heading || !slices.Equal(c.Tags, []string{"auth", "pinned"}) || !c.Pinned ||
			!slices.Equal(c.Types, []memory.FactType{memory.Procedural}) || !slices.Equal(c.Commits, []string{"abc1234"}) || !slices.Equal(c.Paths, []string{"auth/session.go"}) {
			t.Errorf("%+v", c)
		}
	}
	last := list[len(list)-1]
	if last.Heading != "21 Nov 2026 · Notes > Login > Below" || last.Tags != nil || last.Commits != nil || last.Paths != nil || last.Date.Day() != 21 {
		t.Errorf("%+v", last)
	}
}

// A fact's tags and those of its section stay apart from the next chunk's.
func TestFactsOfChunksKeepTheirTags(t *testing.T) {
	src := "- tags: all\n\n- one <!-- id=f1 tags=a -->\n\n" + numbered(20) + "\n\n- two <!-- id=f2 tags=b type=semantic -->\n"
	list := collected(daily, markdown.Parse([]byte(src)), 60, 0, time.Time{})
	first, last := list[0], list[len(list)-1]
	if !slices.Equal(first.Tags, []string{"all", "a"}) || !slices.Equal(last.Tags, []string{"all", "b"}) || first.Types != nil {
		t.Errorf("%v and %v", first.Tags, last.Tags)
	}
}

func headings(src string) string {
	var list []string
	for _, c := range collected("x.md", markdown.Parse([]byte(src)), 400, 0, time.Time{}) {
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
		list := collected("x.md", markdown.Parse([]byte(src)), 400, 0, time.Time{})
		if len(list) != 1 || list[0].Body != want {
			t.Errorf("%q: %+v", src, list)
		}
	}
	if list := collected("x.md", markdown.Parse([]byte("<!-- only this -->\n\n<!--\nand this\n-->\n")), 400, 0, time.Time{}); list != nil {
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
		for _, c := range collected("x.md", markdown.Parse([]byte(src)), 120, 20, time.Time{}) {
			whole = whole || strings.Contains(c.Text, strings.TrimSpace(table(10)))
		}
		if !whole {
			t.Errorf("cut after %d sentences", n)
		}
	}
}

func TestLongTableIsCutBetweenRows(t *testing.T) {
	list := collected("x.md", markdown.Parse([]byte("Before.\n\n"+table(100)+"\nBehind.\n")), 100, 0, time.Time{})
	if len(list) < 8 {
		t.Fatalf("%d chunks", len(list))
	}
	for i, c := range list {
		if memory.Tokens(c.Text) > 100 || i > 0 && i < len(list)-1 && !strings.HasPrefix(c.Text, "| service") {
			t.Errorf("%q", c.Text)
		}
		if strings.Contains(c.Body, "| service") && !strings.Contains(c.Body, "| name | port |") {
			t.Errorf("%q has no head", c.Body)
		}
	}
}

func TestFenceIsWhole(t *testing.T) {
	fence := "```go\n# a comment\n\n" + strings.Repeat("f(x, y) // words\n\n", 50) + "```"
	list := collected("x.md", markdown.Parse([]byte(numbered(8)+"\n"+fence+"\n"+numbered(8))), 60, 10, time.Time{})
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
		for _, c := range collected("x.md", markdown.Parse([]byte(strings.Repeat(item, 40))), 100, 0, time.Time{}) {
			if !strings.HasPrefix(c.Text, mark) {
				t.Errorf("%q", c.Text)
			}
		}
	}
}

func TestSentencesAreWhole(t *testing.T) {
	for _, sentence := range []string{"これは文です。", "你说「好的。」", "真的吗？！", "第一；", "He said \"so it is.\" ", "It is (as said). "} {
		src := strings.TrimSpace(strings.Repeat(sentence, 60))
		list := collected("x.md", markdown.Parse([]byte(src)), 40, 0, time.Time{})
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

// No part of an entry repeats text of the section before it.
func TestOverlapStaysInItsSection(t *testing.T) {
	e := memory.Entry{ID: "e1", Kind: memory.KindRun, Time: memorytest.At(t, memorytest.Day), Title: "Long", Task: "T", Summary: numbered(18), Errors: []string{"short error"},
		Facts: []memory.Fact{{ID: "f1", Text: numbered(30)}}}
	for limit := 40; limit < 160; limit++ {
		list := collected(daily, markdown.Parse(markdown.Format(e)), limit, limit/2, time.Time{})
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
