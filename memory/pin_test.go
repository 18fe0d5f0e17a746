package memory

import (
	"bytes"
	"slices"
	"testing"
	"time"
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
	e := Entry{ID: "e", Kind: KindRun, Result: &Result{Outcome: OutcomeOK}, Facts: []Fact{{ID: "f", Importance: 0.5, Key: "k", Source: "hand", Text: "x"}}}
	text, _ := Parse(Format(e)).Pin("e", true)
	text, _ = Parse(text).Pin("f", true)
	e.Pinned = true
	e.Facts[0].Tags = []string{"pinned"}
	if want := Format(e); !bytes.Equal(text, want) {
		t.Errorf("got %s, want %s", text, want)
	}
	for _, c := range collected("memory/2026-11-21.md", Parse(Format(Entry{ID: "e", Title: "x", Pinned: true})), 400, 80, time.Time{}) {
		if !c.Pinned {
			t.Error("the chunk of a pinned entry is not")
		}
	}
}
