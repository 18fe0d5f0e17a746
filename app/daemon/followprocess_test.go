package daemon_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentflow/app/api"
	"agentflow/app/fact"
	"agentflow/app/setup"
	"agentflow/internal/testing/apptest"
	"agentflow/internal/testing/labtest"
	"agentflow/memory"
)

// followLab follows the memory of a lab in which other processes work.
func followLab(t *testing.T, script string) (*apptest.Place, *following) {
	l := &apptest.Place{Lab: labtest.New(t, script)}
	l.Agentflow("init")
	return l, follow(t, l.Memory())
}

// TestFollowAnotherProcess checks that changes of facts by commands are reported, and that commands without changes
// report nothing.
func TestFollowAnotherProcess(t *testing.T) {
	l, f := followLab(t, "")
	l.Env = append(l.Env, "EDITOR="+l.Program("../home/editor", `sed -i 's/are shy/are very shy/' "$1"`), "VISUAL=")
	id := strings.TrimSpace(l.Agentflow("remember", "Okapis are shy."))
	e := f.await(api.MemoryStored)
	if e.Fact.Text != "Okapis are shy." || !strings.HasSuffix(e.ID, id) {
		t.Errorf("%s was stored, and %+v told", id, e)
	}
	id = e.ID
	is := func(what string, kind api.EventKind, args ...string) api.Event {
		t.Helper()
		l.Agentflow(args...)
		e := f.await(kind)
		if e.ID != id {
			t.Errorf("%s: %+v", what, e)
		}
		return e
	}
	nothing := func(args ...string) {
		t.Helper()
		l.Agentflow(args...)
		l.Agentflow("remember", "Nothing came of "+strings.Join(args, " "))
		if e := f.await(api.MemoryStored); !strings.HasPrefix(e.Fact.Text, "Nothing") {
			t.Errorf("%v: %+v", args, e)
		}
	}
	if e := is("edited", api.MemoryChanged, "memory", "edit", id); e.Fact.Text != "Okapis are very shy." {
		t.Errorf("%+v", e.Fact)
	}
	is("pinned", api.MemoryChanged, "pin", id)
	is("unpinned", api.MemoryChanged, "unpin", id)
	nothing("remember", "Okapis are very shy.")
	nothing("memory", "edit", id)
	nothing("index", "--rebuild")
	nothing("search", "okapi")
	nothing("consolidate")
	is("forgotten", api.MemoryForgotten, "forget", "--yes", id)
	is("restored", api.MemoryStored, "memory", "restore", id)
}

// TestFollowARunOfAnotherProcess follows the progress of a run.
func TestFollowARunOfAnotherProcess(t *testing.T) {
	l, f := followLab(t, "sh while [ ! -e ../begin ]; do sleep 0.01; done\nsay begun\nsh while [ ! -e ../go ]; do sleep 0.01; done\ncost 0.25\nsay \"<save_memory>Okapis are shy.</save_memory> done\"\n")
	run := l.Start("run", "-q", "Count the okapis")
	t.Cleanup(func() { _ = run.Process.Kill() })
	started := f.await(api.RunStarted)
	if r := started.Run; r == nil || r.ID != started.ID || r.Task != "Count the okapis" || r.Outcome != "" || r.Recorded {
		t.Errorf("started: %+v", started.Run)
	}
	late := follow(t, f.m)
	if e := late.await(api.RunStarted); e.ID != started.ID {
		t.Errorf("whoever comes later hears %+v", e)
	}
	l.Write("../begin", "")
	if e := f.await(api.RunProgress); e.ID != started.ID || e.Run.Doing == "" || e.Run.Turns == 0 {
		t.Errorf("progress: %+v", e.Run)
	}
	l.Write("../go", "")
	e := f.next()
	for e.Kind == api.RunProgress || e.Kind == api.Synced {
		e = f.next()
	}
	if e.Kind != api.MemoryStored || e.Fact.Text != "Okapis are shy." || e.Fact.Source != started.ID {
		t.Errorf("before the end comes %+v", e)
	}
	if r := f.await(api.RunEnded).Run; r.ID != started.ID || r.Outcome != memory.OutcomeOK || !r.Recorded || r.CostUSD != 0.25 || r.DurationMS <= 0 {
		t.Errorf("ended: %+v", r)
	}
	if err := run.Wait(); err != nil {
		t.Error(err)
	}
}

// TestFollowAKilledRun checks that a run of a killed process ends and is recorded, and that its facts come before its
// end.
func TestFollowAKilledRun(t *testing.T) {
	l, f := followLab(t, "say \"<save_memory>Okapis are shy.</save_memory>\"\nsh touch ../said\nsilent\n")
	run := l.Start("run", "-q", "Count the okapis")
	t.Cleanup(func() { _ = run.Process.Kill() })
	started := f.await(api.RunStarted)
	l.AwaitFile("../said")
	labtest.Await(t, "what the agent said to be kept", func() bool { // output in the pipe dies with the run
		logs, _ := filepath.Glob(filepath.Join(l.Repo, ".git/agentflow/runs/*/events.jsonl"))
		text, _ := os.ReadFile(strings.Join(logs, "")) // one run, one file
		return bytes.Contains(text, []byte("Okapis"))
	})
	if err := run.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = run.Wait()
	e := f.next()
	for e.Kind == api.RunProgress || e.Kind == api.Synced {
		e = f.next()
	}
	if e.Kind != api.MemoryStored || e.Fact.Text != "Okapis are shy." {
		t.Errorf("before the end comes %+v", e)
	}
	if r := f.await(api.RunEnded).Run; r.ID != started.ID || r.Outcome != memory.OutcomeInterrupted || !r.Recorded {
		t.Errorf("ended: %+v", r)
	}
	if runs := l.Runs(); len(runs) != 1 || runs[0].Outcome != memory.OutcomeInterrupted {
		t.Errorf("%+v", runs)
	}
}

// TestFollowThroughTheFolder removes the memory folder, which reports nothing, and brings it back. Changes after that
// are reported.
func TestFollowThroughTheFolder(t *testing.T) {
	p := apptest.NewRepository(t)
	m := p.Memory()
	apptest.Must(setup.Init(t.Context(), m))(t)
	p.Write(lastingFile, "# Memory\n\n- Okapis are shy\n")
	f := follow(t, m)
	stored := func(text string) {
		t.Helper()
		if e := f.await(api.MemoryStored); e.Fact.Text != text {
			t.Errorf("%+v", e.Fact)
		}
	}
	for _, folder := range []string{".agentflow/memory", ".agentflow"} {
		l := &looking{Place: p, t: t}
		l.move(folder, "../home/away")
		text, global := "Without "+folder, memory.GlobalNamespace
		apptest.Must(fact.Remember(t.Context(), m, fact.RememberRequest{Change: fact.Change{Text: &text, Namespace: &global}}))(t)
		stored(text)
		l.move("../home/away", folder)
		p.Write(lastingFile, p.Read(lastingFile)+"- With "+folder+"\n")
		stored("With " + folder)
	}
}
