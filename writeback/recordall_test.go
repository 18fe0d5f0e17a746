package writeback

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/writeback/internal/journal"
)

// spread are n entries, three a day, from some number on.
func spread(from, n int) []memory.Entry {
	var out []memory.Entry
	for i := range n {
		e := entry(from + i)
		e.Time = day.AddDate(0, 0, -100+i/3)
		out = append(out, e)
	}
	return out
}

func (p *place) recordAll(entries []memory.Entry) Recorded {
	p.t.Helper()
	out, err := p.open().RecordAll(p.t.Context(), entries)
	if err != nil || len(out.Degraded) > 0 {
		p.t.Fatalf("recording %d: %v, %+v", len(entries), err, out)
	}
	return out
}

func TestRecordAll(t *testing.T) {
	p := newPlace(t)
	p.write("2026-08-13.md", "# By hand\n\nA thought without an end")
	all := spread(0, 60)
	if out := p.recordAll(all[:40]); out.Written != 40 {
		t.Errorf("first: %+v", out)
	}
	if out := p.recordAll(all); out.Written != 60 {
		t.Errorf("again, and more: %+v", out)
	}
	p.wantOnce(all...)
	if text := p.read("2026-08-13.md"); !strings.HasPrefix(text, "# By hand\n\nA thought without an end\n\n## ") {
		t.Errorf("the day reads %q", text)
	}
	if out, err := p.open().RecordAll(t.Context(), nil); err != nil || out.Written+out.Waiting != 0 {
		t.Errorf("none: %+v, %v", out, err)
	}
}

func TestRecordAllLeavesOutWhatWasTakenOut(t *testing.T) {
	p := newPlace(t)
	all := spread(0, 9)
	p.recordAll(all)
	if _, err := p.open().Forget(t.Context(), all[0].ID); err != nil {
		t.Fatal(err)
	}
	name := memory.DayFile(all[4].Time)
	p.write(name, strings.Replace(p.read(name), string(markdown.FormatV2(all[4])), "", 1))
	p.later(name, time.Hour)
	if r := p.recover(); len(r.Vanished) != 1 {
		t.Fatalf("vanished %v", r.Vanished)
	}
	barred, err := p.open().Barred(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range all {
		if got, want := barred(e.ID), i == 0 || i == 4; got != want {
			t.Errorf("entry %d barred: %v", i, got)
		}
	}
	if out := p.recordAll(all); out.Forgotten != 1 || out.Removed != 1 || out.Written != 7 {
		t.Errorf("again: %+v", out)
	}
	for _, e := range []memory.Entry{all[0], all[4]} {
		if strings.Contains(p.read(memory.DayFile(e.Time)), e.ID) {
			t.Errorf("%s is back", e.ID)
		}
	}
}

// TestRecordAllBesideWriters has bulk writers of the same entries, single
// writers and an editor at once.
func TestRecordAllBesideWriters(t *testing.T) {
	p := newPlace(t)
	p.RotateAt = 30 << 10
	p.open()
	all := spread(0, 90)
	var work sync.WaitGroup
	for range 3 {
		work.Go(func() {
			for i := 0; i < len(all); i += 30 {
				s, err := open(p.Place)
				if err == nil {
					_, err = s.RecordAll(t.Context(), all[i:i+30])
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	single := spread(1000, 30)
	work.Go(func() {
		for _, e := range single {
			s, err := open(p.Place)
			if err == nil {
				_, _, err = s.Record(t.Context(), e)
			}
			if err != nil {
				t.Error(err)
			}
		}
	})
	work.Go(func() {
		for i := range 20 {
			name := memory.DayFile(all[3*i].Time)
			text, err := os.ReadFile(p.path(name))
			if err != nil {
				continue
			}
			saving := p.path(fmt.Sprintf(".saving%d", i))
			err = os.WriteFile(saving, append([]byte("- a thought\n\n"), text...), 0o600)
			if err := errors.Join(err, os.Rename(saving, p.path(name))); err != nil {
				t.Error(err)
			}
		}
	})
	work.Wait()
	if r := p.recover(); len(r.Vanished) > 0 {
		t.Errorf("vanished %v", r.Vanished)
	}
	p.wantOnce(all...)
	p.wantOnce(single...)
}

// TestRecordAllCancelled: what was logged is finished by the next command.
func TestRecordAllCancelled(t *testing.T) {
	p := newPlace(t)
	all := spread(0, 30)
	ctx, cancel := context.WithCancel(t.Context())
	p.Sys = cancelling{journal.Disk{}, cancel, memory.DayFile(all[9].Time)}
	out, err := p.open().RecordAll(ctx, all)
	if !errors.Is(err, context.Canceled) || out.Waiting == 0 || out.Written == 0 || out.Waiting+out.Written != 30 {
		t.Fatalf("%+v, %v", out, err)
	}
	p.Sys = nil
	if r := p.recover(); len(r.Finished) != out.Waiting {
		t.Errorf("finished %d of %d", len(r.Finished), out.Waiting)
	}
	p.wantOnce(all...)
	p.LockWait = time.Millisecond
	s := p.open()
	err = s.Exclude(t.Context(), func() error {
		_, err := p.open().RecordAll(t.Context(), all)
		return err
	})
	if !errors.Is(err, ErrLocked) {
		t.Errorf("beside another writer: %v", err)
	}
}

// cancelling ends a context when a file is opened.
type cancelling struct {
	journal.Disk
	cancel context.CancelFunc
	at     string
}

func (c cancelling) OpenFile(path string, flag int, perm os.FileMode) (journal.File, error) {
	if strings.HasSuffix(path, c.at) {
		c.cancel()
	}
	return c.Disk.OpenFile(path, flag, perm)
}

// BenchmarkRecordAll is 500 entries of 100 days into a memory of some size.
func BenchmarkRecordAll(b *testing.B) {
	p := newPlace(b)
	p.RotateAt = 0
	for n := 0; b.Loop(); n++ {
		p.recordAll(spread(1000*n, 500))
	}
}
