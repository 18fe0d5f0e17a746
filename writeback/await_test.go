package writeback

import (
	"os"
	"testing"

	"agentflow/memory/markdown"
	"agentflow/writeback/internal/items"
	"agentflow/writeback/internal/journal"
)

// TestSettleBesideAWriter: a reader waits until a writer has finished the records that were in the
// log, not until the writer releases its lock.
func TestSettleBesideAWriter(t *testing.T) {
	p := newPlace(t)
	p.record(entry(1))
	s := p.open()
	e := entry(2)
	if _, _, err := s.logs.Append(t.Context(), true, journal.Record{Op: journal.OpEntry, ID: e.ID, File: s.Folder.DayFile(e.Time), Title: items.TitleOf(e), Text: markdown.FormatV2(e)}); err != nil {
		t.Fatal(err)
	}
	w, err := s.begin(t.Context(), "write", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Release()
	type result struct {
		Report
		err error
	}
	read := make(chan result)
	go func() {
		report, err := p.open().Settle(t.Context())
		p.wantOnce(entry(1), e)
		read <- result{report, err}
	}()
	if err := w.finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := w.Save(); err != nil {
		t.Fatal(err)
	}
	if got := <-read; got.err != nil || len(got.Degraded)+len(got.Finished) > 0 {
		t.Errorf("%+v", got)
	}
}

// TestSettleNoticesACutLog: a log that is shorter than the part already seen is read again.
func TestSettleNoticesACutLog(t *testing.T) {
	p := newPlace(t)
	p.record(entry(1))
	s := p.open()
	var target journal.Position
	if _, done := s.logs.CaughtUp(&target); !done {
		t.Fatal("there is something to do")
	}
	f, err := s.Sys.OpenFile(s.logs.Main.Path(), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(target.Offset - 1); err != nil {
		t.Fatal(err)
	}
	target = journal.Position{}
	for range 2 {
		if _, done := s.logs.CaughtUp(&target); done {
			t.Error("a log that was cut counts as seen")
		}
	}
}
