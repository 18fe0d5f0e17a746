package toolcalls

import (
	"slices"
	"strings"
	"testing"
)

// TestReplay replays writes of which the tool reported only edits.
func TestReplay(t *testing.T) {
	edit := func(old, text string) *Edit { return &Edit{Old: old, New: text} }
	all := func(old, text string, patch ...Hunk) *Edit {
		return &Edit{Old: old, New: text, All: true, Patch: patch}
	}
	whole := func(text string, patch ...Hunk) *Edit { return &Edit{Whole: true, New: text, Patch: patch} }
	hunk := func(start int, lines ...string) Hunk { return Hunk{OldStart: start, Lines: lines} }
	for _, test := range []struct {
		name         string
		before, now  string // before: "none" is unknown
		edits        []*Edit
		changedSince bool
		proven       int // how many of the first writes get both ids
	}{
		{name: "one edit", before: "a\nb\n", now: "a\nc\n", edits: []*Edit{edit("b", "c")}, proven: 1},
		{name: "several edits", before: "a\nb\n", now: "d\nc\n", edits: []*Edit{edit("b", "c"), edit("a", "d")}, proven: 2},
		{name: "in the wrong order", before: "a\n", now: "c\n", edits: []*Edit{edit("b", "c"), edit("a", "b")}},
		{name: "a person after it", before: "a\nb\n", now: "a\nc\nd\n", edits: []*Edit{edit("b", "c")}},
		{name: "a person between", before: "a\nb\n", now: "A\nd\n", edits: []*Edit{edit("b", "c"), edit("c", "d")}},
		{name: "the old text is the person's", before: "a\nb\n", now: "a\nd\n", edits: []*Edit{edit("c", "d")}},
		{name: "the old text is there twice", before: "a\na\n", now: "b\na\n", edits: []*Edit{edit("a", "b")}},
		{name: "the new text was there", before: "a\nb\n", now: "b\nb\n", edits: []*Edit{edit("a", "b")}, proven: 1},
		{name: "CRLF and a byte order mark", before: "\ufeffa\r\nb\r\n", now: "a\nc\n", edits: []*Edit{edit("a\nb", "a\nc")}, proven: 1},
		{name: "a removed line", before: "a\nb\nc\n", now: "a\nc\n", edits: []*Edit{edit("b", "")}, proven: 1},
		{name: "nothing in an empty text", before: "a\n", now: "ba\n", edits: []*Edit{edit("", "b")}},
		{name: "no text before", before: "none", now: "b\n", edits: []*Edit{edit("a", "b")}},
		{name: "unknown edits", before: "a\n", now: "b\n", edits: []*Edit{nil}},
		{name: "all, with a patch", before: "a\n\tx\nb\n\tx\ny\n", now: "a\n\ty\nb\n\ty\ny\n", proven: 1,
			edits: []*Edit{all("x", "y", hunk(2, "-  x", "+  y", " b", "-  x", "+  y"))}},
		{name: "all in two hunks", before: "x\n1\n2\nx", now: "y\n1\n2\ny", proven: 1,
			edits: []*Edit{all("x", "y", hunk(1, "-x", "+y"), hunk(4, "-x", `\ No newline at end of file`, "+y", `\ No newline at end of file`))}},
		{name: "all, and a person replaced one", before: "x\n1\n2\nx\n", now: "y\n1\n2\ny\n", edits: []*Edit{all("x", "y", hunk(1, "-x", "+y"))}},
		{name: "all, but only one is known", before: "x\nx\n", now: "y\ny\n", edits: []*Edit{all("x", "y")}},
		{name: "all of one", before: "x\nb\n", now: "y\nb\n", edits: []*Edit{all("x", "y")}, proven: 1},
		{name: "a patch at another place", before: "a\nb\n", now: "a\nc\n", edits: []*Edit{{Old: "b", New: "c", Patch: []Hunk{hunk(1, "-b", "+c")}}}},
		{name: "a damaged patch", before: "a\nb\n", now: "a\nc\n", edits: []*Edit{{Old: "b", New: "c", Patch: []Hunk{hunk(-7, "", "b"), hunk(900)}}}},
		{name: "a whole text with its patch", before: "a\nb\n", now: "a\nc\n", edits: []*Edit{whole("a\nc\n", hunk(2, "-b", "+c"))}, proven: 1},
		{name: "a whole text over a person's", before: "a\nb\n", now: "a\nc\n", edits: []*Edit{whole("a\nc\n", hunk(2, "-B", "+c"))}},
		{name: "a whole text, and others put tabs before", before: "a\n  b\n  c\n", now: "a\n\tb\n\td\n", edits: []*Edit{whole("a\n\tb\n\td\n", hunk(3, "-  c", "+  d"))}},
		{name: "a whole text, and others put tabs around", before: "a\n  b\n  c\n", now: "a\n\tb\n\td\n", edits: []*Edit{whole("a\n\tb\n\td\n", hunk(2, "   b", "-  c", "+  d"))}},
		{name: "a whole text, and others put spaces after", before: "a\n\tb\n", now: "c\n  b\n", edits: []*Edit{whole("c\n  b\n", hunk(1, "-a", "+c"))}},
		{name: "a whole text with tabs and spaces", before: "\ta\n  b\n\tc\n", now: "\ta\n  d\n\tc\n", edits: []*Edit{whole("\ta\n  d\n\tc\n", hunk(1, "   a", "-  b", "+  d"))}, proven: 1},
		{name: "a whole text that is indented", before: "a\nb\n", now: "a\n\tc\n", edits: []*Edit{whole("a\n\tc\n", hunk(2, "-b", "+  c"))}, proven: 1},
		{name: "a whole text without a patch", before: "a\n", now: "c\n", edits: []*Edit{whole("c\n")}},
		{name: "committed before the last edit", before: "a\n", now: "b\n", edits: []*Edit{edit("a", "b"), edit("b", "c")}, changedSince: true, proven: 1},
		{name: "taken back by a person", before: "a\n", now: "b\n", edits: []*Edit{edit("a", "b"), edit("b", "c")}},
	} {
		var writes []Write
		for _, e := range test.edits {
			writes = append(writes, Write{Path: "f", Edit: e})
		}
		before := []byte(test.before)
		if test.before == "none" {
			before = nil
		}
		found := Replay(writes, before, TextID([]byte(test.now)), test.changedSince)
		proven := slices.IndexFunc(found, func(w Write) bool { return w.Before == "" || w.After == "" })
		if proven < 0 {
			proven = len(found)
		}
		if proven != test.proven || proven > 0 && (found[0].Before != TextID(before) || found[proven-1].After != TextID([]byte(test.now))) {
			t.Errorf("%s: %d writes are proven, want %d: %+v", test.name, proven, test.proven, found)
		}
	}
}

// TestReplayAmongReports replays edits before and after writes of which the tool reported the texts.
func TestReplayAmongReports(t *testing.T) {
	id := func(text string) string { return TextID([]byte(text)) }
	writes := []Write{
		{Before: NoText, After: id("a\n"), Edit: &Edit{Whole: true, New: "a\n"}},
		{Edit: &Edit{Old: "a", New: "b"}},
		{Before: id("b\n"), After: id("c\n"), Edit: &Edit{Old: "b", New: "c"}},
		{Edit: &Edit{Old: "c", New: "d"}},
	}
	found := Replay(writes, nil, id("d\n"), false)
	if found[1].Before != id("a\n") || found[1].After != id("b\n") || found[3].Before != id("c\n") || found[3].After != id("d\n") {
		t.Errorf("a new file: %+v", found)
	}
	found = Replay(writes, nil, id("d\ne\n"), false)
	if found[1].After != id("b\n") || found[3].After != "" {
		t.Errorf("a person after it: %+v", found)
	}
	writes[2].Before = id("B\n")
	if found = Replay(writes, nil, id("d\n"), false); !slices.Equal(found, writes) {
		t.Errorf("a person between: %+v", found)
	}
}

// TestReplayIsBounded: many edits of a very large text stay unknown.
func TestReplayIsBounded(t *testing.T) {
	before := strings.Repeat("a\n", maxReplayed/4)
	e := &Edit{Old: "x", New: "x"}
	writes := slices.Repeat([]Write{{Edit: e}}, 3)
	if found := Replay(writes, []byte("x"+before), TextID([]byte("x"+before)), false); !slices.Equal(found, writes) {
		t.Errorf("%+v", found)
	}
}
