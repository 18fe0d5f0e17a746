package executor

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"agentflow/executor/agent"
	"agentflow/executor/runfolder"
	"agentflow/gitwatch/toolcalls"
	"agentflow/internal/atomicfile"
	"agentflow/memory"
	"agentflow/memory/changeset"
)

// fullDisk is the real disk, but full at some step.
type fullDisk struct {
	runfolder.Disk
	step string // the step that fails, every time
	room int    // bytes that may be written before writes fail; with step "" only
}

func (d *fullDisk) fail(step string) error {
	if d.step == step {
		return &os.PathError{Op: step, Path: "run", Err: syscall.ENOSPC}
	}
	return nil
}

func (d *fullDisk) Mkdir(dir string) error {
	if err := d.fail("mkdir"); err != nil {
		return err
	}
	return d.Disk.Mkdir(dir)
}

func (d *fullDisk) Create(name string) (runfolder.LogFile, error) {
	if err := d.fail("create"); err != nil {
		return nil, err
	}
	f, err := d.Disk.Create(name)
	return &fullFile{LogFile: f, d: d}, err
}

func (d *fullDisk) CreateTemp(dir, pattern string) (atomicfile.File, error) {
	if err := d.fail("temp"); err != nil {
		return nil, err
	}
	if d.step == "" && d.room == 0 {
		return nil, syscall.ENOSPC
	}
	f, err := d.Disk.CreateTemp(dir, pattern)
	return &fullTemp{f, d}, err
}

func (d *fullDisk) Rename(from, to string) error {
	if err := d.fail("rename"); err != nil {
		return err
	}
	return d.Disk.Rename(from, to)
}

func (d *fullDisk) SyncDir(dir string) error {
	if err := d.fail("syncdir"); err != nil {
		return err
	}
	return d.Disk.SyncDir(dir)
}

type fullFile struct {
	runfolder.LogFile
	d        *fullDisk
	at, size int
}

func (f *fullFile) Seek(offset int64, whence int) (int64, error) {
	at, err := f.LogFile.Seek(offset, whence)
	f.at = int(at)
	return at, err
}

func (f *fullFile) Write(p []byte) (int, error) {
	if err := f.d.fail("write"); err != nil {
		return 0, err
	}
	if f.d.step != "" {
		return f.LogFile.Write(p)
	}
	over := min(len(p), f.size-f.at) // overwriting takes no space
	n, err := f.LogFile.Write(p[:min(len(p), over+f.d.room)])
	f.d.room -= max(0, n-over)
	f.at += n
	f.size = max(f.size, f.at)
	if err == nil && n < len(p) {
		err = syscall.ENOSPC
	}
	return n, err
}

type fullTemp struct {
	atomicfile.File
	d *fullDisk
}

func (f *fullTemp) Write(p []byte) (int, error) {
	if err := f.d.fail("tempwrite"); err != nil {
		n, _ := f.File.Write(p[:len(p)/2])
		return n, err
	}
	return f.File.Write(p)
}

func (f *fullTemp) Sync() error {
	if err := f.d.fail("sync"); err != nil {
		return err
	}
	return f.File.Sync()
}

// TestFullDiskNeverStopsTheAgent: if the disk is full at any step, the agent runs, its outcome
// is returned, its entry is recorded, and the failure is reported.
func TestFullDiskNeverStopsTheAgent(t *testing.T) {
	for _, step := range []string{"mkdir", "create", "write", "temp", "tempwrite", "sync", "rename", "syncdir"} {
		t.Run(step, func(t *testing.T) {
			l := newLab(t)
			t.Setenv("TMPDIR", t.TempDir()) // no other test's
			l.deps.disk = &fullDisk{Disk: runfolder.RealDisk{}, step: step}
			rec := l.run(t, Request{Task: "x", Agent: sh(t, `echo "FACT{kept} done"; touch ran`)})
			if _, err := os.Stat(filepath.Join(l.deps.WorkTree, "ran")); err != nil {
				t.Error("the agent did not run")
			}
			if rec.Outcome != memory.OutcomeOK || rec.RecordError != nil || len(l.shelf.entries) != 1 {
				t.Fatalf("record %+v", rec)
			}
			if e := l.shelf.entries[0]; len(e.Facts) != 1 || e.Summary != "FACT{kept} done" {
				t.Errorf("entry %+v", e)
			}
			all := strings.Join(rec.Degraded, "\n")
			if !strings.Contains(all, "no space left") || strings.Count(all, "\n") > 6 {
				t.Errorf("degraded:\n%s", all)
			}
			temps, err := filepath.Glob(filepath.Join(os.TempDir(), "agentflow-run-*"))
			if err != nil || step == "mkdir" && len(temps) > 0 {
				t.Errorf("left behind: %q, error %v", temps, err)
			}
		})
	}
}

// TestNothingIsMadeUpOfARunThatLeftNothing: if neither journal nor entry could be written, a
// later command has nothing to report.
func TestNothingIsMadeUpOfARunThatLeftNothing(t *testing.T) {
	l := newLab(t)
	deps := l.deps
	deps.disk, deps.Record = &fullDisk{Disk: runfolder.RealDisk{}, step: "temp"}, broken{}
	rec, err := Run(t.Context(), deps, Request{Task: "x", Agent: sh(t, "echo done")})
	if err != nil || !errors.Is(rec.RecordError, errBroken) || rec.Entry.Summary != "done" {
		t.Fatalf("record %+v, error %v", rec, err)
	}
	if got := Recover(t.Context(), l.deps); len(got) > 0 || len(l.shelf.entries) > 0 {
		t.Errorf("a later command made %+v of it", got)
	}
}

// TestFullDiskAndAgainRoom: a run that ended well while nothing could be
// written is recorded as that by a later command.
func TestFullDiskAndAgainRoom(t *testing.T) {
	for name, agent := range map[string]func(t *testing.T, l *lab) agent.Agent{
		"program": func(t *testing.T, l *lab) agent.Agent { return sh(t, "echo done") },
		"claude":  func(t *testing.T, l *lab) agent.Agent { return l.scripted(t, "write a.txt a\nsay done\n") },
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t)
			a := agent(t, l)
			deps := l.deps
			full := &fullDisk{Disk: runfolder.RealDisk{}, room: 1 << 20}
			deps.disk, deps.Record = full, broken{}
			r, err := Begin(t.Context(), deps, Request{Task: "x", Agent: a})
			if err != nil {
				t.Fatal(err)
			}
			full.room = 0
			r.Execute(t.Context())
			if rec := r.Finish(t.Context()); !errors.Is(rec.RecordError, errBroken) || rec.Outcome != memory.OutcomeOK {
				t.Fatalf("record %+v", rec)
			}
			if got := Recover(t.Context(), l.deps); len(got) != 1 || got[0].Record.Outcome != memory.OutcomeOK {
				t.Errorf("a later command made %+v of it", got)
			}
		})
	}
}

// broken is a memory with only failing functions.
type broken struct{ hang <-chan struct{} }

var errBroken = errors.New("broken on purpose")

func (b broken) Recall(context.Context, string) (Known, error) {
	if b.hang != nil {
		<-b.hang // it does not listen to its context
	}
	return Known{Degraded: []string{"the index is stale"}}, errBroken
}

func (b broken) Record(context.Context, memory.Entry) (string, []string, error) {
	return "", []string{"the log took nothing"}, errBroken
}

func (b broken) Snapshot(context.Context, string, time.Time, func()) (json.RawMessage, error) {
	return nil, errBroken
}

func (b broken) Compare(_ context.Context, before json.RawMessage, _ toolcalls.Evidence) changeset.Set {
	if before != nil {
		panic("a snapshot that was never taken")
	}
	return changeset.Set{Changes: changeset.List{Unread: "broken on purpose"}}
}

func TestBrokenMemoryNeverStopsTheAgent(t *testing.T) {
	l := newLab(t)
	hang := make(chan struct{})
	defer close(hang)
	for name, b := range map[string]broken{"failing": {}, "hanging": {hang: hang}} {
		t.Run(name, func(t *testing.T) {
			deps := l.deps
			deps.Recall, deps.Record, deps.Work = b, b, b
			rec, err := Run(t.Context(), deps, Request{Task: "x", Agent: sh(t, "echo done"), RecallDeadline: 50 * time.Millisecond})
			if err != nil {
				t.Fatal(err)
			}
			if rec.Outcome != memory.OutcomeOK || rec.Entry.Summary != "done" || rec.Entry.Changes.Unread == "" {
				t.Errorf("record %+v", rec)
			}
			if !errors.Is(rec.RecordError, errBroken) {
				t.Errorf("record error %v", rec.RecordError)
			}
			all := strings.Join(rec.Degraded, "\n")
			for _, part := range []string{"nothing was recalled", "state before the run", "the log took nothing", "not recorded"} {
				if strings.Count(all, part) != 1 {
					t.Errorf("%q is not said once in:\n%s", part, all)
				}
			}
			if got := Recover(t.Context(), l.deps); len(got) != 1 || got[0].Err != nil || got[0].Record.Outcome != memory.OutcomeOK {
				t.Errorf("the next command made of it %+v", got)
			}
		})
	}
	if len(l.shelf.entries) != 2 {
		t.Errorf("%d entries, want 2", len(l.shelf.entries))
	}
}

func TestRunWithoutAnyMemory(t *testing.T) {
	l := newLab(t)
	deps := Deps{WorkTree: l.deps.WorkTree, AgentOut: l.out}
	rec, err := Run(t.Context(), deps, Request{Task: "x", Agent: sh(t, "echo done")})
	if err != nil || rec.Outcome != memory.OutcomeOK || l.out.String() != "done\n" || len(rec.Degraded) > 0 {
		t.Errorf("record %+v, error %v, output %q", rec, err, l.out)
	}
	if rec.Entry.Task != "(text withheld)" {
		t.Errorf("task %q: nobody redacted it", rec.Entry.Task)
	}
	if rec.Dir != "" {
		t.Errorf("a folder %q that nobody asked for", rec.Dir)
	}
}
