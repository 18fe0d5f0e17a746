package executor

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"agentflow/executor/agent"
	"agentflow/executor/runfolder"
	"agentflow/memory"

	"github.com/google/uuid"
)

// following is a run with a folder that the test writes, and its follower.
type following struct {
	t   *testing.T
	dir string
	f   *Follower
}

func newFollowing(t *testing.T) *following {
	runs, id := t.TempDir(), uuid.Must(uuid.NewV7()).String()
	dir := filepath.Join(runs, id)
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return &following{t, dir, Follow(runs, id)}
}

func (f *following) journal(j runfolder.Journal) {
	f.t.Helper()
	j.Version, j.ID = runfolder.JournalVersion, filepath.Base(f.dir)
	if err := j.Write(runfolder.RealDisk{}, f.dir); err != nil {
		f.t.Fatal(err)
	}
}

// append adds text to the file of the run's events.
func (f *following) append(text string) {
	f.t.Helper()
	log, err := os.OpenFile(filepath.Join(f.dir, runfolder.EventsFile), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err == nil {
		_, err = log.WriteString(text)
		log.Close()
	}
	if err != nil {
		f.t.Fatal(err)
	}
}

// hears checks the texts of the new events.
func (f *following) hears(what string, want ...string) {
	f.t.Helper()
	var got []string
	if err := f.f.Next(func(ev agent.Event) { got = append(got, ev.Text) }); err != nil {
		f.t.Errorf("%s: %v", what, err)
	}
	if !slices.Equal(got, want) {
		f.t.Errorf("%s: %.200q, want %.200q", what, got, want)
	}
}

func saidLine(t *testing.T, text string) string {
	t.Helper()
	line, err := runfolder.EventLine(agent.Event{Kind: agent.Said, Text: text})
	if err != nil {
		t.Fatal(err)
	}
	return string(line)
}

// TestFollowerReadsEvents: events are read while they are written, in pieces of any size.
func TestFollowerReadsEvents(t *testing.T) {
	f := newFollowing(t)
	f.hears("before there are any")
	f.append(saidLine(t, "one") + saidLine(t, "two"))
	f.hears("two", "one", "two")
	f.hears("nothing new")
	line := saidLine(t, "three")
	f.append(line[:7])
	f.hears("a part of a line")
	f.append(line[7:] + saidLine(t, "four"))
	f.hears("its rest", "three", "four")
	f.append("\n{damaged}\n{\"text\": \"of no kind\"}\n" + strings.Repeat("x", agent.MaxLine+10) + "\n" + saidLine(t, "five"))
	f.hears("behind what is damaged or too long", "five")
	long := strings.Repeat("ä", 100<<10)
	f.append(saidLine(t, long) + saidLine(t, "six"))
	f.hears("more than is read at once", long, "six")
	if err := os.Truncate(filepath.Join(f.dir, runfolder.EventsFile), 10); err != nil {
		t.Fatal(err)
	}
	f.hears("cut off")
	f.append(saidLine(t, "seven"))
	f.hears("behind the cut", "seven")
	if err := os.RemoveAll(f.dir); err != nil {
		t.Fatal(err)
	}
	f.hears("when the folder is gone")
}

// TestFollowerFollowsNoLink: otherwise a link in the folder would reveal any file.
func TestFollowerFollowsNoLink(t *testing.T) {
	f := newFollowing(t)
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte(saidLine(t, "secret")), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(secret, filepath.Join(f.dir, runfolder.EventsFile)); err != nil {
		t.Skip(err)
	}
	err := f.f.Next(func(ev agent.Event) { t.Errorf("told %+v", ev) })
	if err == nil {
		t.Error("no error")
	}
}

// TestFollowerKnowsTheRun: the follower reads each change of the journal.
func TestFollowerKnowsTheRun(t *testing.T) {
	f := newFollowing(t)
	if run, known := f.f.Run(); known || run.ID != filepath.Base(f.dir) || run.Started.IsZero() || f.f.Phase() != PhaseBegin || f.f.Dir() != "" {
		t.Errorf("before there is a journal: %+v, %v", run, known)
	}
	started := time.Now().Add(-time.Minute).Truncate(time.Second)
	j := runfolder.Journal{Stage: runfolder.StageBegun, Agent: "claude", Task: "the task", Title: "the title", Dir: "/work", Started: started, PID: 7, Before: []byte(`{"large": true}`)}
	f.journal(j)
	if run, known := f.f.Run(); !known || run.Task != "the task" || run.Agent != "claude" || run.PID != 7 || !run.Started.Equal(started) || f.f.Dir() != "/work" || f.f.journal.Before != nil {
		t.Errorf("begun: %+v, %v", run, known)
	}
	if got := f.f.Phase(); got != PhaseAgent {
		t.Errorf("begun: phase %s", got)
	}
	j.Stage = runfolder.StageEnded
	f.journal(j)
	if _, known := f.f.Run(); !known || f.f.Phase() != PhaseFinish {
		t.Errorf("ended: phase %s", f.f.Phase())
	}
	if err := os.WriteFile(filepath.Join(f.dir, runfolder.JournalFile), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if run, known := f.f.Run(); !known || run.Task != "the task" {
		t.Errorf("damaged: %+v, %v", run, known)
	}
}

// TestFollowerSeesLife: a run is live while a process holds its lock.
func TestFollowerSeesLife(t *testing.T) {
	f := newFollowing(t)
	if f.f.Live() {
		t.Error("nobody holds it")
	}
	lock, err := runfolder.LockFolder(context.Background(), f.dir, 0, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if !f.f.Live() {
		t.Error("it is held")
	}
	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
	if f.f.Live() {
		t.Error("it was given back")
	}
}

// TestFollowerKnowsTheEnd: the folder is sufficient to know the end.
func TestFollowerKnowsTheEnd(t *testing.T) {
	started := time.Now().Add(-time.Hour).Truncate(time.Second)
	result := agent.Event{Kind: agent.Result, Turns: 3, CostUSD: 0.5, Time: started.Add(time.Minute)}
	failed := result
	failed.Failed = true
	for name, c := range map[string]struct {
		journal *runfolder.Journal
		events  []agent.Event
		want    End
		err     bool
	}{
		"no journal":              {nil, nil, End{Outcome: memory.OutcomeInterrupted}, false},
		"killed":                  {&runfolder.Journal{Stage: runfolder.StageBegun}, nil, End{Outcome: memory.OutcomeInterrupted, Unfinished: true}, false},
		"killed behind a result":  {&runfolder.Journal{Stage: runfolder.StageBegun}, []agent.Event{result}, End{Outcome: memory.OutcomeInterrupted, Unfinished: true, Turns: 3, CostUSD: 0.5, Duration: time.Minute}, false},
		"killed while it records": {&runfolder.Journal{Stage: runfolder.StageEnded, Ended: started.Add(2 * time.Minute), End: &runfolder.Ending{}}, []agent.Event{result}, End{Outcome: memory.OutcomeOK, Unfinished: true, Turns: 3, CostUSD: 0.5, Duration: 2 * time.Minute}, false},
		"recorded":                {&runfolder.Journal{Stage: runfolder.StageRecorded, Ended: started.Add(2 * time.Minute), End: &runfolder.Ending{}}, []agent.Event{result}, End{Outcome: memory.OutcomeOK, Turns: 3, CostUSD: 0.5, Duration: 2 * time.Minute}, false},
		"failed":                  {&runfolder.Journal{Stage: runfolder.StageRecorded, End: &runfolder.Ending{}}, []agent.Event{failed}, End{Outcome: memory.OutcomeFailed, Turns: 3, CostUSD: 0.5, Duration: time.Minute}, false},
		"timed out":               {&runfolder.Journal{Stage: runfolder.StageRecorded, End: &runfolder.Ending{Reason: runfolder.ReasonTimeout}}, nil, End{Outcome: memory.OutcomeTimeout}, false},
		"not started":             {&runfolder.Journal{Stage: runfolder.StageRecorded, End: &runfolder.Ending{NotBegun: "no such program"}}, nil, End{Outcome: memory.OutcomeNotStarted}, false},
		"a result in the journal": {&runfolder.Journal{Stage: runfolder.StageRecorded, End: &runfolder.Ending{Result: &result}}, nil, End{Outcome: memory.OutcomeOK, Turns: 3, CostUSD: 0.5, Duration: time.Minute}, false},
		"a clock that went back":  {&runfolder.Journal{Stage: runfolder.StageRecorded, Ended: started.Add(-time.Minute), End: &runfolder.Ending{}, Raw: true}, nil, End{Outcome: memory.OutcomeOK}, false},
		"damaged":                 {&runfolder.Journal{Stage: "strange"}, nil, End{Outcome: memory.OutcomeInterrupted}, true},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFollowing(t)
			if c.journal != nil {
				c.journal.Started = started
				f.journal(*c.journal)
			}
			for _, ev := range c.events {
				line, err := runfolder.EventLine(ev)
				if err != nil {
					t.Fatal(err)
				}
				f.append(string(line))
			}
			got, err := f.f.End()
			if got != c.want || (err != nil) != c.err {
				t.Errorf("%+v, %v\nwant %+v", got, err, c.want)
			}
		})
	}
}
