package index

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"agentflow/index/store"
	"agentflow/memory/retrieval"
)

// TestAppendWhileSyncing syncs and searches from several handles and
// processes while entries are appended: no call fails, and in the end the
// index agrees with the files.
func TestAppendWhileSyncing(t *testing.T) {
	s := filled(t)
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := range 60 {
			f, err := os.OpenFile(s.file("2026-11-21.md"), os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				t.Error(err)
				return
			}
			_, err = f.WriteString(entry(fmt.Sprintf("new%d", i), day, fmt.Sprintf("Entry appended %d", i), "More words."))
			if err := errors.Join(err, f.Close()); err != nil {
				t.Error(err)
			}
		}
	})
	for range 3 {
		wg.Go(func() {
			d, err := Open(t.Context(), s.db(), Options{})
			if err != nil {
				t.Error(err)
				return
			}
			defer d.Close()
			for range 10 {
				if _, err := d.Sync(t.Context(), s.source()); err != nil {
					t.Error(err)
				}
				if _, err := d.Search(t.Context(), retrieval.Query{Text: "appended login"}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Go(func() { together(t, 3, "search", s.dir) })
	wg.Wait()
	check(t, s)
	d := s.open(Options{})
	s.sync(d)
	if got := search1(t, d, retrieval.Query{Text: "appended", Limit: 100}); len(got) != 60 {
		t.Errorf("%d of 60 entries are found", len(got))
	}
}

// TestKilled ends a syncing process at many moments; the next process
// finishes the work.
func TestKilled(t *testing.T) {
	s := filled(t)
	for i := range 25 {
		s.put(fmt.Sprintf("more-%02d.md", i), strings.Repeat(entry(fmt.Sprintf("m%d", i), day, "More", "words of "+fmt.Sprint(i)), 10))
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(2*i)*time.Millisecond)
		c := command(t, "sync", s.dir)
		must(t, c.Start())
		<-ctx.Done()
		_ = c.Process.Kill()
		_ = c.Wait()
		cancel()
		if i%5 == 0 {
			check(t, s)
		}
	}
	check(t, s)
}

// TestBusy holds the write lock: a Sync ends with its context and a typed
// error, and searches use the existing index.
func TestBusy(t *testing.T) {
	s := filled(t)
	d := s.open(Options{})
	s.sync(d)
	s.put("more.md", entry("more", day, "More", "words"))
	other := s.open(Options{})
	err := other.filled.Update(t.Context(), func(store.Update) error {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := d.Sync(ctx, s.source()); !errors.Is(err, ErrBusy) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("sync under another's lock: %v", err)
		}
		if got := headings(t, d, retrieval.Query{Text: "flaky login"}); got != "Fix the flaky login test" {
			t.Errorf("found %q meanwhile", got)
		}
		return nil
	})
	must(t, err)
	if s.sync(d).Changed != 1 {
		t.Error("the change is not indexed after the lock is free")
	}
}

// TestUnwritable puts the index where none can be: below a file.
func TestUnwritable(t *testing.T) {
	s := filled(t)
	s.db() // what SQLite does
	must(t, os.WriteFile(filepath.Join(s.dir, "state"), nil, 0o600))
	said := 0
	d := s.open(Options{Notice: func(string) { said++ }})
	if r := s.sync(d); !r.Memory || r.Changed == 0 {
		t.Errorf("%+v", r)
	}
	if got := headings(t, d, retrieval.Query{Text: "flaky login"}); got != "Fix the flaky login test" || said != 1 {
		t.Errorf("found %q, said %d times", got, said)
	}
}

// TestReadOnly reads an index that is up to date, and builds one in memory when
// the one on disk is stale.
func TestReadOnly(t *testing.T) {
	s := filled(t)
	s.db() // what SQLite does
	must(t, child(t.Context(), "sync", s.dir))
	said := 0
	d := s.open(Options{ReadOnly: true, Notice: func(string) { said++ }})
	if r := s.sync(d); r.Memory || said != 0 {
		t.Errorf("up to date: %+v, said %d times", r, said)
	}
	s.put("new.md", entry("new", day, "A zebra", "Seen."))
	if r := s.sync(d); !r.Memory || said != 1 {
		t.Errorf("out of date: %+v, said %d times", r, said)
	}
	if got := headings(t, d, retrieval.Query{Text: "zebra"}); got != "A zebra" {
		t.Errorf("found %q", got)
	}
	other := s.open(Options{})
	if s.sync(other).Changed != 1 {
		t.Error("the file was written")
	}
}

// TestSkipped checks that a sync names the files it skipped and keeps what the
// index knows of them.
func TestSkipped(t *testing.T) {
	s := filled(t)
	must(t, os.Symlink("/etc/passwd", s.file("link.md")))
	d := s.open(Options{})
	if r := s.sync(d); len(r.Skipped) != 1 || !strings.Contains(r.Skipped[0], "link.md: not a regular file") {
		t.Errorf("%+v", r)
	}
}

// TestFreshFile edits a file twice within one tick, keeping its size.
func TestFreshFile(t *testing.T) {
	s := newStore(t)
	d := s.open(Options{})
	d.now = time.Now
	now := time.Now()
	for _, word := range []string{"zebra", "okapi", "camel"} {
		s.put("f.md", entry("e", day, "A "+word, "Seen."))
		must(t, os.Chtimes(s.file("f.md"), now, now))
		s.sync(d)
		if got := headings(t, d, retrieval.Query{Text: word}); got != "A "+word {
			t.Errorf("%s: found %q", word, got)
		}
	}
}

func TestModes(t *testing.T) {
	s := newStore(t)
	s.sync(s.open(Options{}))
	for path, want := range map[string]os.FileMode{filepath.Dir(s.db()): 0o700, s.db(): 0o600, s.db() + "-wal": 0o600} {
		info, err := os.Stat(path)
		must(t, err)
		if info.Mode().Perm() != want {
			t.Errorf("%s has mode %o", filepath.Base(path), info.Mode().Perm())
		}
	}
}

func TestStats(t *testing.T) {
	s := filled(t)
	d := s.open(Options{})
	s.sync(d)
	got, err := d.Stats(t.Context())
	must(t, err)
	if got.State != store.Current || got.Files != 21 || got.Entries != 301 || got.Chunks < 301 || got.Bytes == 0 || got.Memory {
		t.Errorf("%+v", got)
	}
}
