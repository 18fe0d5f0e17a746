package executor

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentflow/executor/agent"
	"agentflow/executor/runfolder"
	"agentflow/gitwatch/toolcalls"
	"agentflow/memory"

	"github.com/google/uuid"
)

// left makes the folder of a run that a process abandoned in this state.
func (l *lab) left(t testing.TB, j runfolder.Journal, events ...agent.Event) string {
	t.Helper()
	if j.ID == "" {
		j.ID = uuid.Must(uuid.NewV7()).String()
	}
	j.Version = runfolder.JournalVersion
	if j.Started.IsZero() {
		j.Started = time.Now().Add(-time.Hour)
	}
	dir := filepath.Join(l.deps.RunsDir, j.ID)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := j.Write(runfolder.RealDisk{}, dir); err != nil {
		t.Fatal(err)
	}
	log, err := runfolder.OpenEventLog(runfolder.RealDisk{}, filepath.Join(dir, runfolder.EventsFile))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	for _, ev := range events {
		if err := log.Add(ev); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestRecoverBuildsTheEntryFromTheFolder(t *testing.T) {
	l := newLab(t)
	work := &fakeWork{}
	l.deps.Work = work
	started := time.Now().Add(-time.Hour).Truncate(time.Millisecond)
	dir := l.left(t, runfolder.Journal{
		Stage: runfolder.StageBegun, Agent: "claude", Task: "the task", Title: "the title", WorkTree: l.deps.WorkTree, Started: started,
	},
		agent.Event{Kind: agent.Session, Session: "s1", Model: "opus", Time: started.Add(time.Second)},
		agent.Event{Kind: agent.Said, Text: "FACT{seen}", Time: started.Add(2 * time.Second)},
		agent.Event{Kind: agent.ToolStarted, Tool: "Write", Call: "1", Paths: []string{"a"}, Writes: true},
		agent.Event{Kind: agent.ToolEnded, Call: "1"},
		agent.Event{Kind: agent.ToolStarted, Tool: "Write", Call: "2", Paths: []string{"refused"}, Writes: true},
		agent.Event{Kind: agent.ToolEnded, Call: "2", Failed: true},
		agent.Event{Kind: agent.ToolStarted, Tool: "Edit", Call: "3", Paths: []string{"b"}, Writes: true, Time: started.Add(90 * time.Second)},
	)
	got := Recover(t.Context(), l.deps)
	if len(got) != 1 || got[0].Err != nil || got[0].Dir != dir {
		t.Fatalf("recovered %+v", got)
	}
	e := l.shelf.entries[0]
	if e.Result.Outcome != memory.OutcomeInterrupted || e.Result.Success || e.Result.Duration != 90*time.Second || e.Result.ExitCode != -1 {
		t.Errorf("result %+v", e.Result)
	}
	if e.Session != "s1" || e.Model != "opus" || e.Summary != "FACT{seen}" || len(e.Facts) != 1 || e.Title != "the title" {
		t.Errorf("entry %+v", e)
	}
	if !strings.Contains(strings.Join(e.Remarks, "\n"), "recovered") {
		t.Errorf("remarks %q", e.Remarks)
	}
	// The write without an observed end may have happened, the refused one did not.
	if ev := work.evidence; wroteIn(ev) != "a" || !ev.Calls[2].Ended.IsZero() || !ev.Recovered || !ev.Ended.IsZero() || !ev.Started.Equal(started) {
		t.Errorf("evidence %+v", ev)
	}
}

// wroteIn returns the files that file tools wrote according to the evidence.
func wroteIn(ev toolcalls.Evidence) string {
	var paths []string
	for _, c := range ev.Calls {
		for _, w := range c.Wrote {
			paths = append(paths, w.Path)
		}
	}
	return strings.Join(paths, " ")
}

func TestRecoverKeepsAKnownOutcome(t *testing.T) {
	l := newLab(t)
	l.left(t, runfolder.Journal{Stage: runfolder.StageEnded, Agent: "command", Raw: true, Task: "t", End: &runfolder.Ending{ExitCode: 3}, Ended: time.Now()})
	got := Recover(t.Context(), l.deps)
	if len(got) != 1 || got[0].Record.Outcome != memory.OutcomeFailed || got[0].Record.ExitCode != 3 {
		t.Errorf("recovered %+v", got)
	}
}

func TestRecoverPassesOverWhatIsNotItsOwn(t *testing.T) {
	l := newLab(t)
	recorded := l.left(t, runfolder.Journal{Stage: runfolder.StageRecorded, Task: "recorded"})
	l.left(t, runfolder.Journal{Stage: runfolder.StageBegun, Task: "not wanted", NoRecord: true})
	for _, name := range []string{"not-a-run", uuid.Must(uuid.NewV7()).String()} {
		if err := os.MkdirAll(filepath.Join(l.deps.RunsDir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	without := l.deps
	without.Record = nil
	if got := Recover(t.Context(), without); got != nil {
		t.Errorf("recovered without a recorder: %+v", got)
	}
	Recover(t.Context(), l.deps)
	// One that was recorded between the first look and the lock.
	if _, ok := recoverOne(t.Context(), l.deps.withDefaults(), recorded); ok {
		t.Error("a recorded run was taken up")
	}
	if len(l.shelf.entries) > 0 {
		t.Errorf("entries %+v", l.shelf.entries)
	}
	if again := Recover(t.Context(), l.deps); len(again) > 0 {
		t.Errorf("again %+v", again)
	}
}

// TestRecoverRemovesCopies: who died before the journal was there leaves copies of
// the user's files.
func TestRecoverRemovesCopies(t *testing.T) {
	l := newLab(t)
	for _, died := range []bool{false, true} {
		dir := filepath.Join(l.deps.RunsDir, uuid.Must(uuid.NewV7()).String())
		err := os.MkdirAll(dir, 0o700)
		if died {
			err = errors.Join(err, os.WriteFile(filepath.Join(dir, "before.zip"), []byte("secret"), 0o600))
		}
		if err != nil {
			t.Fatal(err)
		}
		Recover(t.Context(), l.deps)
		if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) != died {
			t.Errorf("with copies %v: %v", died, err)
		}
	}
}

func TestRecoverTriesAgainWhatCouldNotBeRecorded(t *testing.T) {
	l := newLab(t)
	l.left(t, runfolder.Journal{Stage: runfolder.StageBegun, Task: "t"})
	l.shelf.err = errBroken
	if got := Recover(t.Context(), l.deps); len(got) != 1 || got[0].Err == nil {
		t.Errorf("recovered %+v", got)
	}
	l.shelf.err = nil
	if got := Recover(t.Context(), l.deps); len(got) != 1 || got[0].Err != nil || len(l.shelf.entries) != 1 {
		t.Errorf("recovered %+v", got)
	}
}

// TestDamagedJournals: each damage is reported, none is fatal, and the readable part is
// recorded once.
func TestDamagedJournals(t *testing.T) {
	whole, err := (&runfolder.Journal{
		Version: runfolder.JournalVersion, Stage: runfolder.StageBegun, ID: "x", Agent: "claude", Title: "the title", Task: "the task",
		Started: time.Now(), Before: json.RawMessage(`{"large":[1,2,3]}`),
	}).Encode()
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct{ data, task string }{
		"empty":       {"", runfolder.UnknownTask},
		"cut":         {string(whole[:bytes.Index(whole, []byte(`"large"`))]), "the task"},
		"junk":        {"\xff\x00{]", runfolder.UnknownTask},
		"newer":       {strings.Replace(string(whole), `"version":1`, `"version":2`, 1), "the task"},
		"other types": {strings.Replace(string(whole), `"agent":"claude"`, `"agent":[7]`, 1), "the task"},
		"a list":      {"[]", runfolder.UnknownTask},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t)
			dir := l.left(t, runfolder.Journal{Stage: runfolder.StageBegun}, agent.Event{Kind: agent.Said, Text: "still here"})
			if err := os.WriteFile(filepath.Join(dir, runfolder.JournalFile), []byte(test.data), 0o600); err != nil {
				t.Fatal(err)
			}
			got := Recover(t.Context(), l.deps)
			if len(got) != 1 || got[0].Err != nil || len(l.shelf.entries) != 1 {
				t.Fatalf("recovered %+v", got)
			}
			e := l.shelf.entries[0]
			if e.ID != filepath.Base(dir) || e.Task != test.task || e.Summary != "still here" || time.Since(e.Time) > 2*time.Hour {
				t.Errorf("entry %+v", e)
			}
			if !strings.Contains(strings.Join(got[0].Record.Degraded, "\n"), dir) {
				t.Errorf("degraded %q does not name the journal", got[0].Record.Degraded)
			}
			if again := Recover(t.Context(), l.deps); len(again) > 0 {
				t.Errorf("again %+v", again)
			}
		})
	}
}

func FuzzJournal(f *testing.F) {
	whole, err := (&runfolder.Journal{
		Version: runfolder.JournalVersion, ID: "id", Stage: runfolder.StageEnded, Task: "t", Started: epoch(), End: &runfolder.Ending{ExitCode: 1},
		Before: json.RawMessage(`{"a":1}`),
	}).Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add(whole[:len(whole)/2])
	f.Add([]byte(`{"version":"1","task":"t","end":[]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		j, err := runfolder.ParseJournal(data)
		if err != nil {
			return
		}
		again, err := j.Encode()
		if err != nil {
			t.Fatal(err)
		}
		k, err := runfolder.ParseJournal(again)
		if err != nil {
			t.Fatalf("what was read cannot be read again: %v\n%s", err, again)
		}
		once, _ := k.Encode()
		if !bytes.Equal(once, again) {
			t.Errorf("written %s, read and written %s", again, once)
		}
	})
}

func TestSharedWorkTree(t *testing.T) {
	at := func(sec int) time.Time { return epoch().Add(time.Duration(sec) * time.Second) }
	for _, test := range []struct {
		name           string
		tree           string
		started, ended time.Time
		want           bool
	}{
		{"before", "tree", at(0), at(9), false},
		{"after", "tree", at(21), at(30), false},
		{"inside", "tree", at(12), at(15), true},
		{"around", "tree", at(0), at(60), true},
		{"over the start", "tree", at(5), at(11), true},
		{"still going on", "tree", at(15), time.Time{}, true},
		{"in another work tree", "other", at(12), at(15), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := newLab(t)
			l.left(t, runfolder.Journal{Stage: runfolder.StageRecorded, WorkTree: test.tree, Started: test.started, Ended: test.ended})
			mine := runfolder.Journal{ID: "mine", WorkTree: "tree", Started: at(10), Ended: at(20)}
			if _, got := othersAtWork(t.Context(), Deps{RunsDir: l.deps.RunsDir}, mine.ID, mine); got != test.want {
				t.Errorf("shared %v, want %v", got, test.want)
			}
		})
	}
}

func TestTwoRunsAtOnceKnowOfEachOther(t *testing.T) {
	l := newLab(t)
	work := &fakeWork{}
	l.deps.Work = work
	other, err := Begin(t.Context(), l.deps, Request{Task: "other", Agent: sh(t, "true")})
	if err != nil {
		t.Fatal(err)
	}
	if runs, err := Live(l.deps.RunsDir); err != nil || len(runs) != 1 || runs[0].ID != other.ID || runs[0].Task != "other" {
		t.Errorf("live %+v, error %v", runs, err)
	}
	l.run(t, Request{Task: "mine", Agent: sh(t, "true")})
	if !work.evidence.Shared {
		t.Error("a run did not learn of the other that is going on")
	}
	other.Execute(t.Context())
	other.Finish(t.Context())
	if !work.evidence.Shared {
		t.Error("a run did not learn of the other that was over first")
	}
	l.run(t, Request{Task: "alone", Agent: sh(t, "true")})
	if work.evidence.Shared {
		t.Error("a run alone thinks that it is not")
	}
	if runs, err := Live(l.deps.RunsDir); err != nil || len(runs) > 0 {
		t.Errorf("live %+v, error %v", runs, err)
	}
}

func TestRetention(t *testing.T) {
	run := func(name string, bytes int64, kept bool) runSize { return runSize{name, bytes, kept} }
	for name, test := range map[string]struct {
		runs []runSize
		want string
	}{
		"few":                      {[]runSize{run("a", 1, false), run("b", 1, false)}, ""},
		"too many":                 {[]runSize{run("a", 1, false), run("b", 1, false), run("c", 1, false), run("d", 1, false)}, "a"},
		"too large":                {[]runSize{run("a", 60, false), run("b", 60, false), run("c", 1, false)}, "a"},
		"live and unrecorded stay": {[]runSize{run("a", 60, true), run("b", 60, false), run("c", 60, true), run("d", 1, true)}, "b"},
	} {
		if got := strings.Join(surplus(test.runs, 3, 100), " "); got != test.want {
			t.Errorf("%s: removes %q, want %q", name, got, test.want)
		}
	}
}

func TestOldRunFoldersGo(t *testing.T) {
	l := newLab(t)
	var dirs []string
	for range runfolder.KeepRuns + 5 {
		dirs = append(dirs, l.left(t, runfolder.Journal{Stage: runfolder.StageRecorded, Started: epoch(), Ended: epoch()}))
	}
	unrecorded := l.left(t, runfolder.Journal{ID: "00000000-0000-7000-8000-000000000000", Stage: runfolder.StageBegun})
	rec := l.run(t, Request{Task: "x", Agent: sh(t, "true")})
	for dir, want := range map[string]bool{dirs[0]: false, dirs[4]: false, dirs[len(dirs)-1]: true, unrecorded: true, rec.Dir: true} {
		if _, err := os.Stat(dir); (err == nil) != want {
			t.Errorf("%s: stat error %v, want it there %v", filepath.Base(dir), err, want)
		}
	}
	if n := len(runfolder.Folders(l.deps.RunsDir)); n != runfolder.KeepRuns+1 && n != runfolder.KeepRuns {
		t.Errorf("%d folders are left", n)
	}
}
