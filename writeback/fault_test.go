package writeback

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"agentflow/internal/atomicfile"
	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/writeback/internal/journal"
)

// faults is the real file system, with one change to disk that fails: the
// one when left reaches zero, and every one after it when lasting.
type faults struct {
	journal.Disk
	left    *int
	lasting bool
	err     error
	short   bool   // a failing write lets half of its bytes through
	under   string // only paths below it
}

// faultsMu: files are synced several at a time.
var faultsMu sync.Mutex

func (f faults) strike(path string) error {
	faultsMu.Lock()
	defer faultsMu.Unlock()
	if !strings.HasPrefix(path, f.under) {
		return nil
	}
	*f.left--
	if *f.left == 0 || *f.left < 0 && f.lasting {
		return &fs.PathError{Op: "change", Path: path, Err: f.err}
	}
	return nil
}

func (f faults) OpenFile(path string, flag int, perm fs.FileMode) (journal.File, error) {
	if err := f.strike(path); err != nil {
		return nil, err
	}
	inner, err := f.Disk.OpenFile(path, flag, perm)
	if err != nil {
		return nil, err
	}
	return faultyFile{inner, inner.(*os.File), f, path}, nil
}

func (f faults) CreateTemp(dir, pattern string) (atomicfile.File, error) {
	if err := f.strike(dir); err != nil {
		return nil, err
	}
	inner, err := f.Disk.CreateTemp(dir, pattern)
	if err != nil {
		return nil, err
	}
	return faultyFile{inner.(*os.File), inner.(*os.File), f, dir}, nil
}

func (f faults) Rename(from, to string) error {
	if err := f.strike(to); err != nil {
		return err
	}
	return f.Disk.Rename(from, to)
}

func (f faults) Exchange(a, b string) error {
	if err := f.strike(b); err != nil {
		return err
	}
	return f.Disk.Exchange(a, b)
}

func (f faults) SyncDir(dir string) error {
	if err := f.strike(dir); err != nil {
		return err
	}
	return f.Disk.SyncDir(dir)
}

func (f faults) MkdirAll(path string, perm fs.FileMode) error {
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	if err := f.strike(path); err != nil {
		return err
	}
	return f.Disk.MkdirAll(path, perm)
}

// killed removes nothing either once something failed, as a command that was
// killed: what it had begun to write stays.
type killed struct{ faults }

func (k killed) Remove(path string) error {
	if *k.left <= 0 {
		return k.err
	}
	return k.Disk.Remove(path)
}

type faultyFile struct {
	journal.File
	temp *os.File
	sys  faults
	path string
}

func (f faultyFile) Name() string              { return f.temp.Name() }
func (f faultyFile) Chmod(m fs.FileMode) error { return f.temp.Chmod(m) }

func (f faultyFile) Write(p []byte) (int, error) {
	if err := f.sys.strike(f.path); err != nil {
		if f.sys.short {
			n, _ := f.File.Write(p[:len(p)/2])
			return n, err
		}
		return 0, err
	}
	return f.File.Write(p)
}

func (f faultyFile) Sync() error {
	if err := f.sys.strike(f.path); err != nil {
		return err
	}
	return f.File.Sync()
}

func (f faultyFile) Truncate(size int64) error {
	if err := f.sys.strike(f.path); err != nil {
		return err
	}
	return f.File.Truncate(size)
}

// promise is what an operation promised to have made safe.
type promise struct {
	kept, gone []memory.Entry
	judged     []memory.Judgement
}

// operations are what may be interrupted, over entries 1 and 2.
var operations = map[string]func(context.Context, *Store) (promise, error){
	"record": func(ctx context.Context, s *Store) (promise, error) {
		_, _, err := s.Record(ctx, entry(3))
		kept := []memory.Entry{entry(1), entry(2)}
		var pending *PendingError
		if err == nil || errors.As(err, &pending) {
			kept = append(kept, entry(3))
		}
		return promise{kept: kept}, err
	},
	"record all": func(ctx context.Context, s *Store) (promise, error) {
		dated := entry(4)
		dated.Time = day.AddDate(0, 0, -3)
		out, err := s.RecordAll(ctx, []memory.Entry{entry(3), dated, entry(2)})
		if err == nil && out.Written != 3 {
			err = fmt.Errorf("recorded %+v", out)
		}
		kept := []memory.Entry{entry(1), entry(2)}
		if out.Written+out.Waiting == 3 {
			kept = append(kept, entry(3), dated)
		}
		return promise{kept: kept}, err
	},
	"forget": func(ctx context.Context, s *Store) (promise, error) {
		_, err := s.Forget(ctx, entry(1).ID)
		return goneUnless(err), err
	},
	"purge": func(ctx context.Context, s *Store) (promise, error) {
		_, err := s.Purge(ctx, []string{entry(1).ID}, Traces{})
		return goneUnless(err), err
	},
	"restore": func(ctx context.Context, s *Store) (promise, error) {
		err := os.RemoveAll(s.Memory)
		if err == nil {
			_, err = s.Recover(ctx)
		}
		return promise{kept: []memory.Entry{entry(1), entry(2)}}, err
	},
	"pin": func(ctx context.Context, s *Store) (promise, error) {
		done, err := s.Pin(ctx, entry(1).ID, true)
		if err == nil && !done.Changed {
			err = errors.New("pin changed nothing")
		}
		kept := []memory.Entry{entry(2)}
		if err == nil {
			kept = append(kept, pinned(entry(1)))
		}
		return promise{kept: kept}, err
	},
	"judge": func(ctx context.Context, s *Store) (promise, error) {
		j, _, err := s.Judge(ctx, judgement(1))
		p := promise{kept: []memory.Entry{entry(1), entry(2)}}
		if err == nil {
			p.judged = append(p.judged, j)
		}
		return p, err
	},
}

func goneUnless(err error) promise {
	p := promise{kept: []memory.Entry{entry(2)}}
	if err == nil {
		p.gone = []memory.Entry{entry(1)}
	}
	return p
}

// TestEveryFault makes each single change to disk fail in turn, once or from then on. After a
// healthy Recover, everything promised must be there once, and so must everything that was there
// before.
func TestEveryFault(t *testing.T) {
	for operation, act := range operations {
		for _, kind := range []faults{
			{err: syscall.ENOSPC}, {err: syscall.ENOSPC, short: true}, {err: syscall.ENOSPC, short: true, lasting: true}, {err: syscall.EROFS, lasting: true},
		} {
			t.Run(fmt.Sprintf("%s/%v,short=%v,lasting=%v", operation, kind.err, kind.short, kind.lasting), func(t *testing.T) {
				t.Parallel() // they wait for the disk
				faultAtEachStep(t, kind, act)
			})
		}
	}
}

func faultAtEachStep(t *testing.T, kind faults, act func(context.Context, *Store) (promise, error)) {
	for step := 1; ; step++ {
		p := newPlace(t)
		p.RotateAt = 1 // rotate at every turn
		p.record(entry(1))
		p.record(entry(2))
		left := step
		kind.left = &left
		kind.under = p.root
		p.Sys = kind
		said, err := act(t.Context(), p.open())
		p.Sys = nil
		if left > 0 {
			if err != nil {
				t.Fatalf("no fault, and error %v", err)
			}
			return
		}
		if report, err := p.open().Recover(t.Context()); err != nil || len(report.Vanished) > 0 {
			t.Fatalf("step %d: recovering: %v, vanished %v", step, err, report.Vanished)
		}
		p.wantOnce(said.kept...)
		p.wantParsed()
		p.wantJudged(said.judged...)
		for _, e := range said.gone {
			if strings.Contains(p.read("2026-11-21.md"), e.ID) {
				t.Errorf("step %d: %s is still there", step, e.ID)
			}
		}
		if t.Failed() {
			t.Fatalf("at step %d, error %v", step, err)
		}
		if r := p.recover(); len(r.Finished)+len(r.Restored) > 0 {
			t.Fatalf("step %d: a second Recover did %+v", step, r)
		}
	}
}

// wantParsed checks that the files hold nothing but a heading and whole
// entries, each once.
func (p *place) wantParsed() {
	p.t.Helper()
	files, err := list(p.Memory)
	if err != nil {
		p.t.Fatal(err)
	}
	seen := map[string]bool{}
	for name := range files {
		src := []byte(p.read(name))
		if name == memory.FeedbackFile {
			continue // see wantJudged
		}
		doc := markdown.Parse(src)
		if !bytes.Equal(doc.Bytes(), src) {
			p.t.Errorf("%s: Bytes differ", name)
		}
		for _, b := range doc.Blocks {
			if b.Entry == nil {
				if text := strings.TrimSpace(string(b.Raw)); text != "" && text != "# "+strings.TrimSuffix(name, ".md") {
					p.t.Errorf("%s: holds half of something: %q", name, text)
				}
				continue
			}
			if seen[b.Entry.ID] || !bytes.Equal(b.Raw, markdown.FormatV2(*b.Entry)) {
				p.t.Errorf("%s: entry %s stands twice or in part:\n%s", name, b.Entry.ID, src)
			}
			seen[b.Entry.ID] = true
		}
	}
}

// TestNoLog: when no log can be written the entry still goes to Markdown.
func TestNoLog(t *testing.T) {
	p := newPlace(t)
	left := 1
	for _, under := range []string{p.State, p.Fallback} {
		if err := os.MkdirAll(under, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	p.Sys = faultsUnder{faults{left: &left, lasting: true, err: syscall.EROFS}, []string{p.State, p.Fallback}}
	_, degraded, err := p.open().Record(t.Context(), entry(1))
	if err != nil || len(degraded) == 0 {
		t.Fatalf("degraded %q, error %v", degraded, err)
	}
	p.wantOnce(entry(1))
}

// TestNoLogAndAnotherFolder: memory is in a folder that was copied, so that all of it is looked at
// again, and no log can be written. The entry is then in no log, and is written to Markdown all the
// same.
func TestNoLogAndAnotherFolder(t *testing.T) {
	p := newPlace(t)
	p.record(entry(1))
	copied := p.Memory + "-copied"
	if err := os.CopyFS(copied, os.DirFS(p.Memory)); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Rename(p.Memory, p.Memory+"-old"), os.Rename(copied, p.Memory)); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(p.Fallback, 0o700); err != nil {
		t.Fatal(err)
	}
	left := 1
	p.Sys = faultsUnder{faults{left: &left, lasting: true, err: syscall.EROFS}, []string{p.State, p.Fallback}}
	for n := range 2 {
		_, degraded, err := p.open().Record(t.Context(), entry(n+2))
		if err != nil || len(degraded) == 0 {
			t.Fatalf("degraded %q, error %v", degraded, err)
		}
	}
	p.wantOnce(entry(1), entry(2), entry(3))
	p.Sys = nil
	p.recover()
	p.wantOnce(entry(1), entry(2), entry(3))
}

// TestUnloggedIsNotSeen: an entry that went to Markdown without the log is
// taken up into the log by the next command, so that it comes back with its
// folder like all others.
func TestUnloggedIsNotSeen(t *testing.T) {
	p := newPlace(t)
	p.record(entry(1))
	left := 1
	logs := faultsUnder{faults{left: &left, lasting: true, err: syscall.ENOSPC}, []string{filepath.Join(p.State, "log"), p.Fallback}}
	p.Sys = logs
	if _, _, err := p.open().Record(t.Context(), entry(2)); err != nil {
		t.Fatal(err)
	}
	p.Sys = nil
	p.recover()
	if err := os.RemoveAll(p.Memory); err != nil {
		t.Fatal(err)
	}
	p.recover()
	p.wantOnce(entry(1), entry(2))
}

// TestNothingWritable: an entry that is nowhere is an error that says so.
func TestNothingWritable(t *testing.T) {
	p := newPlace(t)
	left := 1
	p.Sys = faults{left: &left, lasting: true, err: syscall.EROFS}
	_, _, err := p.open().Record(t.Context(), entry(1))
	var pending *PendingError
	if !errors.Is(err, syscall.EROFS) || errors.As(err, &pending) {
		t.Fatalf("error %v", err)
	}
}

// TestReadOnlyTree: the log takes the entry, the next command writes it.
func TestReadOnlyTree(t *testing.T) {
	p := newPlace(t)
	left := 1
	p.Sys = faultsUnder{faults{left: &left, lasting: true, err: syscall.EROFS}, []string{p.Memory, strings.TrimSuffix(p.Memory, "/memory")}}
	_, _, err := p.open().Record(t.Context(), entry(1))
	var pending *PendingError
	if !errors.As(err, &pending) || pending.ID != entry(1).ID || !errors.Is(err, syscall.EROFS) {
		t.Fatalf("error %v", err)
	}
	p.Sys = nil
	if r := p.recover(); len(r.Finished) != 1 || r.Finished[0].ID != entry(1).ID {
		t.Fatalf("report %+v", r)
	}
	p.wantOnce(entry(1))
}

// TestFallbackIsMerged: what was logged elsewhere comes home.
func TestFallbackIsMerged(t *testing.T) {
	p := newPlace(t)
	p.record(entry(1))
	left := 1
	p.Sys = faultsUnder{faults{left: &left, lasting: true, err: syscall.EROFS}, []string{p.State, p.Memory}}
	_, degraded, err := p.open().Record(t.Context(), entry(2))
	var pending *PendingError
	if !errors.As(err, &pending) || len(degraded) == 0 {
		t.Fatalf("degraded %q, error %v", degraded, err)
	}
	p.Sys = faultsUnder{faults{left: &left, lasting: true, err: syscall.EROFS}, []string{p.State}}
	if _, degraded, err = p.open().Record(t.Context(), entry(3)); err != nil || len(degraded) == 0 {
		t.Fatalf("degraded %q, error %v", degraded, err)
	}
	p.wantOnce(entry(1), entry(2), entry(3))
	p.Sys = nil
	p.recover()
	p.wantOnce(entry(1), entry(2), entry(3))
	if p.open().logs.FallbackLogged() {
		t.Error("the fallback still holds a log")
	}
	if err := os.RemoveAll(p.Memory); err != nil {
		t.Fatal(err)
	}
	p.recover()
	p.wantOnce(entry(1), entry(2), entry(3))
}

// faultsUnder makes changes below any of some folders fail.
type faultsUnder struct {
	faults
	dirs []string
}

func (f faultsUnder) at(path string) journal.System {
	for _, dir := range f.dirs {
		if strings.HasPrefix(path, dir) {
			return f.faults
		}
	}
	return journal.Disk{}
}

func (f faultsUnder) OpenFile(path string, flag int, perm fs.FileMode) (journal.File, error) {
	return f.at(path).OpenFile(path, flag, perm)
}
func (f faultsUnder) CreateTemp(dir, pattern string) (atomicfile.File, error) {
	return f.at(dir).CreateTemp(dir, pattern)
}
func (f faultsUnder) Rename(from, to string) error { return f.at(to).Rename(from, to) }
func (f faultsUnder) SyncDir(dir string) error     { return f.at(dir).SyncDir(dir) }
func (f faultsUnder) MkdirAll(path string, perm fs.FileMode) error {
	return f.at(path).MkdirAll(path, perm)
}
