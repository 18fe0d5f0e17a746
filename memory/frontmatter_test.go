package memory

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestFrontMatter(t *testing.T) {
	const body = "intro\n\n## Sub\n\nwords\n\n# Own\n\nmore\n"
	for front, want := range map[string]front{
		"---\ntitle: Deploy notes\ntags: [ops, deploy]\ndate: 2026-01-02\n---\n":          {title: "Deploy notes", tags: []string{"ops", "deploy"}, date: time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)},
		"\uFEFF---\r\ntitle: \"A: b\"\r\ntags:\r\n- x\r\n  - 'y z'\r\nmore: a\r\n...\r\n": {title: "A: b", tags: []string{"x", "y z"}},
		"---\n# a comment\nTags: x, y\n\nnested:\n  title: no\n---\n":                     {tags: []string{"x", "y"}},
	} {
		list := collected("notes/x.md", Parse([]byte(front+body)), 400, 80, time.Time{})
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
		"---\ntitle: x\n" + strings.Repeat("a: b\n", maxFrontLines) + "---\n",
		"---\ntitle: " + strings.Repeat("x", maxFrontLine) + "\n---\n",
		"words\n---\ntitle: x\n---\n",
	} {
		list := collected("x.md", Parse([]byte(src)), 10_000, 0, time.Time{})
		text := ""
		for _, c := range list {
			text += c.Text + "\n"
		}
		if strings.TrimSpace(text) != strings.TrimSpace(src) {
			t.Errorf("of %.60q only %.60q is text", src, text)
		}
	}
}

// A file of entries may have front matter too: it is of its own text only.
func TestFrontMatterBeforeEntries(t *testing.T) {
	entry := string(Format(Entry{ID: "e1", Kind: KindNote, Time: at(t, day), Title: "Entry"}))
	list := collected("x.md", Parse([]byte("---\ntitle: T\ntags: x\n---\n"+entry+"behind\n")), 400, 80, time.Time{})
	if len(list) != 2 || list[0].Tags != nil || list[0].Title != "Entry" || list[1].Heading != "T" || !slices.Equal(list[1].Tags, []string{"x"}) {
		t.Errorf("%+v", list)
	}
}
