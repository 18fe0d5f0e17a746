package seen

import (
	"bytes"
	"maps"
	"reflect"
	"testing"

	"agentflow/writeback/internal/items"
	"agentflow/writeback/internal/journal"
)

// TestSeenReadsBack checks that a seen file reads back as it was written, that the files are left
// out if they are not asked for, and that it is rejected if any byte of it differs.
func TestSeenReadsBack(t *testing.T) {
	want := &Seen{Pos: journal.Position{Gen: "7", Offset: 99}, Dir: 5, Tombs: map[string]bool{"a": true, "b": true},
		Gone:  []items.Ref{{ID: "c", File: "2026-11-21.md", Title: "A \"title\"\nof two lines"}},
		Files: map[string]Stamp{"2026-11-21.md": {1, 2, 3, "ab"}, "a b\n.md": {4, 5, 6, "cd"}}}
	data := want.format()
	if got := parseSeen(bytes.NewReader(data), true); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	head := parseSeen(bytes.NewReader(data), false)
	if head == nil || len(head.Files) > 0 || !maps.Equal(head.Tombs, want.Tombs) || head.Pos != want.Pos {
		t.Errorf("without the files: %+v", head)
	}
	for i := range data {
		data[i] ^= 1
		if s := parseSeen(bytes.NewReader(data), true); s != nil {
			t.Errorf("byte %d is %q: %+v", i, data[i], s)
		}
		if parseSeen(bytes.NewReader(data[:i]), true) != nil {
			t.Errorf("cut after %d bytes it is believed", i)
		}
		data[i] ^= 1
	}
}

func FuzzSeen(f *testing.F) {
	f.Add((&Seen{Files: map[string]Stamp{"a b.md": {1, 2, 3, "x"}}, Tombs: map[string]bool{"t": true}, Gone: []items.Ref{{ID: "1", Title: "x y", File: "f"}}}).format())
	f.Fuzz(func(t *testing.T, data []byte) {
		if s := parseSeen(bytes.NewReader(data), true); s != nil && parseSeen(bytes.NewReader(s.format()), true) == nil {
			t.Error("a seen file does not read back")
		}
	})
}
