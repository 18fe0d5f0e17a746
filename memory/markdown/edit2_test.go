package markdown

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"agentflow/internal/testing/memorytest"
	"agentflow/memory"
	"agentflow/memory/changeset"
)

const (
	run2 = "## 14:32 Task: failed\n\nWhy it failed.\n\n- failed: exit 1\n- changed: a.go +1 −0\n\n" +
		"<!-- agentflow v=2 kind=run id=r1 time=2026-11-21T14:32:07Z outcome=failed -->\n\n"
	fact2  = "- [fact] Say so. <!-- id=f1 source=r1 -->\n"
	notes2 = "## Notes\n\n- One. <!-- id=f2 note=n2 noted=2026-11-21T14:32:07Z -->\n- Two. <!-- id=f3 note=n3 noted=2026-11-21T14:33:07Z -->\n  More.\n\n"
)

// TestEditsOfV2 holds that every edit of a file with both versions keeps all other bytes.
func TestEditsOfV2(t *testing.T) {
	withFact := strings.Replace(run2, "+1 −0\n", "+1 −0\n"+fact2, 1)
	first := string(Format(memorytest.RunEntry(t)))
	remove := func(id string) func(*Document) []byte {
		return func(d *Document) []byte {
			text, _ := d.RemoveAll(func(i string) bool { return i == id })
			return text
		}
	}
	for name, c := range map[string]struct {
		before string
		edit   func(*Document) []byte
		after  string
	}{
		"pin":         {run2, func(d *Document) []byte { text, _ := d.Pin("r1", true); return text }, strings.Replace(run2, "failed -->", "failed pinned=1 -->", 1)},
		"pin a fact":  {withFact, func(d *Document) []byte { text, _ := d.Pin("f1", true); return text }, strings.Replace(withFact, "id=f1 ", "id=f1 tags=pinned ", 1)},
		"pin a note":  {notes2, func(d *Document) []byte { text, _ := d.Pin("n2", true); return text }, strings.Replace(notes2, "32:07Z -->", "32:07Z pinned=1 -->", 1)},
		"undone":      {run2, func(d *Document) []byte { text, _ := d.Undone("r1", undoneAt, ""); return text }, strings.Replace(run2, "−0\n", "−0\n- undone: 2026-11-22T14:10:00+01:00\n", 1)},
		"undone bare": {"## 14:32 x\n\n<!-- agentflow v=2 kind=run id=r1 -->\n", func(d *Document) []byte { text, _ := d.Undone("r1", undoneAt, ""); return text }, "## 14:32 x\n\n- undone: 2026-11-22T14:10:00+01:00\n\n<!-- agentflow v=2 kind=run id=r1 -->\n"},
		"first fact": {run2, func(d *Document) []byte {
			text, _ := d.AddFacts("r1", []memory.Fact{{ID: "f1", Source: "r1", Text: "Say so."}})
			return text
		}, withFact},
		"second fact": {withFact, func(d *Document) []byte {
			text, _ := d.AddFacts("r1", []memory.Fact{{ID: "f9", Text: "More."}})
			return text
		}, strings.Replace(withFact, fact2, fact2+"- [fact] More. <!-- id=f9 -->\n", 1)},
		"replace": {withFact, func(d *Document) []byte {
			text, _ := d.Replace("f1", memory.Fact{ID: "f1", Source: "r1", Text: "Say it."})
			return text
		}, strings.Replace(withFact, "Say so", "Say it", 1)},
		"replace a note": {notes2, func(d *Document) []byte {
			text, _ := d.Replace("f3", memory.Fact{ID: "f3", Text: "Three."})
			return text
		}, strings.Replace(strings.Replace(notes2, "Two", "Three", 1), "  More.\n", "", 1)},
		"remove a fact":      {withFact, remove("f1"), run2},
		"remove an entry":    {withFact, remove("r1"), ""},
		"remove a note":      {notes2, remove("n2"), "## Notes\n\n" + notes2[strings.Index(notes2, "- Two"):]},
		"remove a noted":     {notes2, remove("f3"), strings.Replace(notes2, "- Two. <!-- id=f3 note=n3 noted=2026-11-21T14:33:07Z -->\n  More.\n", "", 1)},
		"remove the only":    {"# Day\n\n## Notes\n\n- One. <!-- id=f2 note=n2 -->\n\n", remove("f2"), "# Day\n\n"},
		"remove among words": {"## Notes\n\n- One. <!-- id=f2 note=n2 -->\n\nMine.\n", remove("f2"), "## Notes\n\n\nMine.\n"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, around := range [][2]string{{"", ""}, {"By hand.\n\n" + first, first + "# More\n"}} {
				got := c.edit(Parse([]byte(around[0] + c.before + around[1])))
				if string(got) != around[0]+c.after+around[1] {
					t.Errorf("got\n%s\nwant\n%s", got, around[0]+c.after+around[1])
				}
			}
		})
	}
}

// TestHandEditedV2 holds that a person's text in an entry belongs to it.
func TestHandEditedV2(t *testing.T) {
	for name, c := range map[string]struct{ old, edited, title, summary, extra string }{
		"as it was":     {"", "", "Task", "Why it failed.", ""},
		"title":         {"14:32 Task: failed", "14:32 Other", "Other", "Why it failed.", ""},
		"no time":       {"14:32 Task: failed", "Other", "Other", "Why it failed.", ""},
		"another time":  {"14:32 Task", "15:00 Task", "Task", "Why it failed.", ""},
		"text":          {"Why it failed.", "My words.\n\n- a\n- list\n", "Task", "My words.\n\n- a\n- list", ""},
		"a section":     {"- changed", "## Mine\n\n- bullet\n\n- changed", "Task", "Why it failed.", "## Mine\n- bullet"},
		"a known list":  {"a.go +1 −0", "some files", "Task", "Why it failed.", ""},
		"an odd list":   {"a.go +1 −0", "a.go +many", "Task", "Why it failed.", "- changed: a.go +many"},
		"fenced bullet": {"Why it failed.", "See:\n```\n- failed: no\n```", "Task", "See:\n```\n- failed: no\n```", ""},
	} {
		t.Run(name, func(t *testing.T) {
			src := "Before.\n\n" + strings.Replace(run2, c.old, c.edited, 1) + "After.\n"
			d := Parse([]byte(src))
			if len(d.Blocks) != 3 || !bytes.Equal(d.Bytes(), []byte(src)) || d.Blocks[1].Entry == nil {
				t.Fatalf("%d blocks: %q", len(d.Blocks), d.Bytes())
			}
			if e := d.Blocks[1].Entry; e.Title != c.title || e.Summary != c.summary || e.Extra != c.extra || len(e.Errors) != 1 {
				t.Errorf("title %q, summary %q, extra %q, errors %q", e.Title, e.Summary, e.Extra, e.Errors)
			}
		})
	}
}

func TestAddNote(t *testing.T) {
	bullet := "- Three. <!-- id=f4 note=n4 noted=2026-11-21T15:00:00Z -->\n"
	got, ok := AddNote([]byte("# Day\n\n"+notes2+run2), []byte(bullet))
	if want := "# Day\n\n" + strings.Replace(notes2, "  More.\n", "  More.\n"+bullet, 1) + run2; !ok || string(got) != want {
		t.Errorf("%v:\n%s\nwant\n%s", ok, got, want)
	}
	if _, ok := AddNote([]byte(run2), []byte(bullet)); ok {
		t.Error("a file without notes took one")
	}
}

func TestLongListsOfFiles(t *testing.T) {
	e := memory.Entry{ID: "r1", Kind: memory.KindRun, Time: memorytest.At(t, memorytest.Day), Title: "Move"}
	for i := range 20 {
		e.Changes.Items = append(e.Changes.Items, changeset.Change{Status: changeset.StatusModified, Path: "dir/" + string(rune('a'+i)) + ".go", Added: i, Counted: true, Certainty: changeset.Shown})
	}
	text := string(FormatV2(e))
	if !strings.Contains(text, "dir/h.go +7 −0, and 12 more\n") || strings.Contains(text, "dir/i.go +8") {
		t.Errorf("it says\n%s", text)
	}
	checkEntry2(t, e)
}

// TestTakenFiles: what another person committed is not called uncommitted.
func TestTakenFiles(t *testing.T) {
	taken := func(path, note string) changeset.Change {
		return changeset.Change{Status: changeset.StatusModified, Path: path, Added: 1, Counted: true, Note: note, Certainty: changeset.Shown}
	}
	mine, theirs, stashed := taken("a", ""), taken("b", "committed meanwhile in 9de23cc"), taken("c", "stashed meanwhile as 1a2b3c4")
	many := slices.Repeat([]changeset.Change{theirs}, maxListed)
	for want, e := range map[string]memory.Entry{
		"- changed: b +1 −0 (committed meanwhile in 9de23cc)\n":                                         {Uncommitted: changeset.List{Items: []changeset.Change{theirs}}},
		"- changed: b +1 −0 (committed meanwhile in 9de23cc), c +1 −0 (stashed meanwhile as 1a2b3c4)\n": {Uncommitted: changeset.List{Items: []changeset.Change{theirs, stashed}}},
		"- changed: a +1 −0, b +1 −0 (committed meanwhile in 9de23cc) (the rest uncommitted)\n":         {Uncommitted: changeset.List{Items: []changeset.Change{mine, theirs}}},
		"- changed: b +1 −0 (committed meanwhile in 9de23cc) (committed)\n":                             {Changes: changeset.List{Items: []changeset.Change{theirs}}},
		"- changed: b +1 −0 (\\x74he rest uncommitted) (uncommitted)\n":                                 {Uncommitted: changeset.List{Items: []changeset.Change{taken("b", "the rest uncommitted")}}},
		"b +1 −0 (committed meanwhile in 9de23cc), and 1 more\n":                                        {Uncommitted: changeset.List{Items: append(many, mine)}},
	} {
		e.ID, e.Kind, e.Time, e.Title = "r1", memory.KindSession, memorytest.At(t, memorytest.Day), "Fix"
		if text := string(FormatV2(e)); !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
		checkEntry2(t, e)
	}
}
