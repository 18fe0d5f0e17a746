package markdown

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"agentflow/memory"
)

// checkPin pins what has id and unpins it: the mark comes and goes, and all
// else stays as it is.
func checkPin(t *testing.T, d *Document, id string) {
	t.Helper()
	for _, want := range []bool{true, false} {
		text, found := d.Pin(id, want)
		after := Parse(text)
		if !found || after.Pinned(id) != want {
			t.Fatalf("pin %v of %q: found %v, is %v in %q", want, id, found, after.Pinned(id), text)
		}
		if !slices.Equal(after.IDs(), d.IDs()) || !bytes.Equal(withoutComments(text), withoutComments(d.Bytes())) {
			t.Fatalf("pin %v of %q changed more:\n%q\n%q", want, id, d.Bytes(), text)
		}
		if again, _ := after.Pin(id, want); !bytes.Equal(again, text) {
			t.Fatalf("pinned twice: %q, once %q", again, text)
		}
	}
}

// withoutComments is text without its lines' last comments.
func withoutComments(text []byte) []byte {
	var out []byte
	for line := range bytes.Lines(text) {
		if i := bytes.LastIndex(line, []byte(commentOpen)); i >= 0 {
			line = line[:i]
		}
		out = append(out, line...)
	}
	return out
}

func TestPinKeepsTheBytes(t *testing.T) {
	for name, c := range map[string]struct{ id, plain, pinned string }{
		"entry":   {"e", "## x\n\n<!-- agentflow v=1 kind=note id=e -->\n\ntext\n---\n", "## x\n\n<!-- agentflow v=1 kind=note id=e pinned=1 -->\n\ntext\n---\n"},
		"CRLF":    {"e", "## x\r\n<!-- agentflow v=1 id=e -->\r\n", "## x\r\n<!-- agentflow v=1 id=e pinned=1 -->\r\n"},
		"fact":    {"f", "- a <!-- id=f type=semantic key=k -->\n- b\n", "- a <!-- id=f type=semantic tags=pinned key=k -->\n- b\n"},
		"tagged":  {"f", "* a <!-- id=f tags=x,y mine=1 -->\n  more\n", "* a <!-- id=f tags=x,y,pinned mine=1 -->\n  more\n"},
		"wrapped": {"f", "- a\n  b <!-- id=f -->\n", "- a\n  b <!-- id=f tags=pinned -->\n"},
		"copies":  {"f", "- a <!-- id=f -->\n\n- a <!-- id=f -->\n", "- a <!-- id=f tags=pinned -->\n\n- a <!-- id=f tags=pinned -->\n"},
		"both":    {"f", "## x\n<!-- agentflow v=1 id=e -->\n- a <!-- id=f -->\n- c <!-- id=g -->\n", "## x\n<!-- agentflow v=1 id=e -->\n- a <!-- id=f tags=pinned -->\n- c <!-- id=g -->\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got, found := Parse([]byte(c.plain)).Pin(c.id, true)
			if !found || string(got) != c.pinned {
				t.Errorf("pinned %q", got)
			}
			if got, found = Parse([]byte(c.pinned)).Pin(c.id, false); !found || string(got) != c.plain {
				t.Errorf("unpinned %q", got)
			}
			if same, _ := Parse([]byte(c.plain)).Pin(c.id, false); string(same) != c.plain {
				t.Errorf("unpinned what was not pinned: %q", same)
			}
			if _, found := Parse([]byte(c.plain)).Pin("z", true); found {
				t.Error("found what is not there")
			}
		})
	}
}

// TestPinnedEntryIsFormatted: what Pin writes is what Format writes.
func TestPinnedEntryIsFormatted(t *testing.T) {
	e := memory.Entry{ID: "e", Kind: memory.KindRun, Result: &memory.Result{Outcome: memory.OutcomeOK}, Facts: []memory.Fact{{ID: "f", Importance: 0.5, Key: "k", Source: "hand", Text: "x"}}}
	text, _ := Parse(Format(e)).Pin("e", true)
	text, _ = Parse(text).Pin("f", true)
	e.Pinned = true
	e.Facts[0].Tags = []string{"pinned"}
	if want := Format(e); !bytes.Equal(text, want) {
		t.Errorf("got %s, want %s", text, want)
	}
}

var undoneAt = time.Date(2026, 11, 22, 14, 10, 0, 0, time.FixedZone("", 3600))

func TestUndoneIsABulletOfTheResult(t *testing.T) {
	const commit = "0123456789abcdef0123456789abcdef01234567"
	run := memory.Entry{ID: "0199aaaa", Kind: memory.KindRun, Time: undoneAt, Title: "Task", Result: &memory.Result{Outcome: memory.OutcomeOK, Success: true, Turns: 2}, Remarks: []string{"pulled"}, Summary: "Done."}
	file := "# Day\n\nby hand\n\n" + string(Format(run)) + string(Format(memory.Entry{ID: "0199bbbb", Kind: memory.KindRun, Time: undoneAt, Result: &memory.Result{}}))
	got, found := Parse([]byte(file)).Undone("0199aaaa", undoneAt, commit)
	want := strings.Replace(file, "- **Turns**: 2\n", "- **Turns**: 2\n- **Undone**: 2026-11-22T14:10:00+01:00 · **Reverted by**: "+commit+"\n", 1)
	if !found || string(got) != want {
		t.Fatalf("%v:\n%s", found, got)
	}
	e := Parse(got).Entries()[0]
	if !e.IsUndone() || !e.Result.Undone.Equal(undoneAt) || e.Result.RevertedBy != commit || e.Extra != "" || string(Format(*e)) != string(Parse(got).Blocks[1].Raw) {
		t.Errorf("read back it is %+v", e.Result)
	}
	if again, _ := Parse(got).Undone("0199aaaa", undoneAt.Add(time.Hour), ""); string(again) != want {
		t.Errorf("marked twice:\n%s", again)
	}
	if _, found := Parse(got).Undone("0199cccc", undoneAt, ""); found {
		t.Error("an entry that is not there was found")
	}
}

// TestUndoneWhereAPersonEdited: the mark is set and read for any remains of the result.
func TestUndoneWhereAPersonEdited(t *testing.T) {
	const head = "## 2026-11-22 14:10 · Task\n\n<!-- agentflow v=1 kind=run id=0199aaaa time=2026-11-22T14%3A10%3A00Z outcome=ok -->\n"
	for name, body := range map[string]string{
		"no result":        "\n### Summary\nmine\n\n---\n",
		"no end":           "\n### Summary\nmine",
		"nothing":          "",
		"a heading alone":  "\n### Result\n\n### Summary\nmine\n---\n",
		"a fence below it": "\n### Result\n- **Success**: true\n```\n- **Undone**: no\n```\n---\n\nmore\n",
		"line ends of DOS": "\r\n### Result\r\n- **Success**: true\r\n\r\n---\r\n",
	} {
		got, _ := Parse([]byte(head+body)).Undone("0199aaaa", undoneAt, "")
		e := Parse(got).Entries()
		if len(e) != 1 || !e[0].IsUndone() {
			t.Errorf("%s: not undone:\n%s", name, got)
		}
		for line := range strings.Lines(head + body) {
			if !strings.Contains(string(got), strings.TrimRight(line, "\r\n")) {
				t.Errorf("%s: %q is lost in\n%s", name, line, got)
			}
		}
	}
}

func TestAddFacts(t *testing.T) {
	for name, c := range map[string]struct{ file, want string }{
		"without memories": {
			"By hand.\n\n## 2026-11-21 14:32 · Fix it\n\n<!-- agentflow v=1 kind=run id=r1 time=2026-11-21T14:32:07Z -->\n\n### Errors Encountered\nNone\n\n---\n\nmore\n",
			"### Errors Encountered\nNone\n\n### Memories\n- new <!-- id=f9 -->\n\n---\n\nmore\n"},
		"with memories": {
			"## 2026-11-21 14:32 · Fix it\n\n<!-- agentflow v=1 kind=run id=r1 time=2026-11-21T14:32:07Z -->\n\n### Memories\n- old <!-- id=f1 mood=good -->\n  and more\n\n---\n\n",
			"- old <!-- id=f1 mood=good -->\n  and more\n- new <!-- id=f9 -->\n\n---\n\n"},
		"without an end": {
			"## 2026-11-21 14:32 · Fix it\n\n<!-- agentflow v=1 kind=run id=r1 time=2026-11-21T14:32:07Z -->\n\n### Summary\nDone.",
			"### Summary\nDone.\n\n### Memories\n- new <!-- id=f9 -->\n\n"},
	} {
		text, ok := Parse([]byte(c.file)).AddFacts("r1", []memory.Fact{{ID: "f9", Text: "new"}})
		if !ok || !strings.HasSuffix(string(text), c.want) {
			t.Errorf("%s: %v\n%s", name, ok, text)
		}
		if kept, ok := Parse([]byte(c.file)).AddFacts("r1", nil); !ok || string(kept) != c.file {
			t.Errorf("%s: no facts changed it:\n%s", name, kept)
		}
	}
	if text, ok := Parse([]byte("text\n")).AddFacts("r1", []memory.Fact{{ID: "f9"}}); ok || string(text) != "text\n" {
		t.Errorf("an entry that is not there: %q", text)
	}
}

// FuzzAddFacts: an entry with facts added is that entry and no other.
func FuzzAddFacts(f *testing.F) {
	f.Add([]byte("a run"), "The tests need a clock.\n---\n")
	f.Fuzz(func(t *testing.T, data []byte, text string) {
		s := source{data: data}
		e := s.entry()
		e.ID, e.Kind = "r1", memory.KindRun
		fact := memory.Fact{ID: "f9", Text: text, Source: "r1"}
		before := append([]byte("By hand.\n\n"), Format(e)...)
		got, ok := Parse(before).AddFacts("r1", []memory.Fact{fact})
		if !ok {
			t.Fatalf("no entry in\n%s", before)
		}
		want := e
		want.Facts = append(want.Facts[:len(want.Facts):len(want.Facts)], fact)
		entries := Parse(got).Entries()
		if len(entries) != 1 || !reflect.DeepEqual(*entries[0], want.Normal()) {
			t.Errorf("got\n%s\nwant\n%s", got, Format(want))
		}
	})
}
