package turns

import (
	"testing"
	"time"

	"agentflow/executor/runfolder"
)

// TestShownBySegment: what was shown with the event that begins a segment belongs to it, and what
// was shown before does not.
func TestShownBySegment(t *testing.T) {
	f, err := At(t.TempDir(), "claude", "1b4c")
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Make(); err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 11, 27, 10, 0, 0, 5, time.UTC)
	item := func(id string) []runfolder.RecalledItem { return []runfolder.RecalledItem{{ID: id}} }
	for _, err := range []error{
		f.Show(at, nil, item("start"), nil), f.BeginPart("first", at),
		f.Know(at.Add(time.Second), item("own")[0]),
		f.Show(at.Add(time.Minute), item("earlier"), nil, nil),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if s := f.Shown(); len(s.Facts) != 1 || s.Facts[0].ID != "start" || len(s.Hits) != 1 || !s.Has(item("own")[0]) {
		t.Errorf("the first segment was shown %+v", s)
	}
	later := at.Add(time.Hour)
	for _, err := range []error{f.Show(later, item("prompt"), nil, nil), f.BeginPart("second", later)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if s := f.Shown(); len(s.Facts) != 0 || len(s.Hits) != 1 || s.Hits[0].ID != "prompt" || !s.Has(item("start")[0]) {
		t.Errorf("the second segment was shown %+v", s)
	}
}
