package executor

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"agentflow/executor/agent"
	"agentflow/executor/agent/claude"
	"agentflow/executor/agent/command"
	"agentflow/executor/runfolder"
	"agentflow/gitwatch/toolcalls"
	"agentflow/memory"
	"agentflow/memory/changeset"
)

// scripted returns an agent that speaks Claude's stream and really executes a script.
func (l *lab) scripted(t *testing.T, script string) agent.Agent {
	t.Helper()
	return claude.New(l.scriptedProgram(t, script))
}

// scriptedProgram prepares the environment and returns the program.
func (l *lab) scriptedProgram(t *testing.T, script string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "script.txtar")
	if err := os.WriteFile(name, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	l.deps.Env = append(os.Environ(), asVar+"=agent", "SCRIPTED_AGENT="+name)
	return program
}

// fakeWork is a Workspace that records the evidence that it is given.
type fakeWork struct {
	evidence toolcalls.Evidence
	set      changeset.Set
}

func (w *fakeWork) Snapshot(context.Context, string, time.Time, func()) (json.RawMessage, error) {
	return json.RawMessage(`{"state":"before"}`), nil
}

func (w *fakeWork) Compare(_ context.Context, _ json.RawMessage, ev toolcalls.Evidence) changeset.Set {
	ev.Others, ev.Shared = ev.AskOthers()
	w.evidence = ev
	return w.set
}

func TestRunOfClaude(t *testing.T) {
	l := newLab(t)
	work := &fakeWork{}
	l.deps.Work = work
	agent := l.scripted(t, `
say I will look. FACT{from the first message}
read go.mod
write notes/a.txt "hello SECRETinfile"
sub "FACT{from a subagent}"
sh "echo 'FACT{from a tool}'"
say "The notes are written. FACT{from the last message}"
cost 0.04
-- go.mod --
`)
	if err := os.WriteFile(filepath.Join(l.deps.WorkTree, "go.mod"), []byte("FACT{from a file}"), 0o600); err != nil {
		t.Fatal(err)
	}
	rec := l.run(t, Request{Task: "Do it", Agent: agent, Permission: "acceptEdits"})
	e := rec.Entry
	if rec.Outcome != memory.OutcomeOK || e.Agent != "claude" || e.Session == "" || e.Model != "scripted" || e.Result.CostUSD != 0.04 || e.Result.Turns == 0 {
		t.Fatalf("entry %+v, result %+v, degraded %q", e, e.Result, rec.Degraded)
	}
	if e.Summary != "The notes are written. FACT{from the last message}" || l.out.String() != e.Summary+"\n" {
		t.Errorf("summary %q, standard output %q", e.Summary, l.out)
	}
	var facts []string
	for _, f := range e.Facts {
		facts = append(facts, f.Text)
	}
	if !slices.Equal(facts, []string{"from the first message", "from the last message"}) {
		t.Errorf("facts %q", facts)
	}
	if got := wroteIn(work.evidence); got != filepath.Join(l.deps.WorkTree, "notes/a.txt") {
		t.Errorf("wrote %q", got)
	}
	if work.evidence.Dir != rec.Dir || work.evidence.Recovered || work.evidence.Shared || work.evidence.Ended.IsZero() {
		t.Errorf("evidence %+v", work.evidence)
	}
	// The data of a finished run on disk are the same.
	disk, err := load(t.Context(), l.deps.withDefaults(), rec.Dir, takeWait)
	if err != nil {
		t.Fatal(err)
	}
	again, _ := disk.entry(changeset.Set{}, false)
	for i := range again.Facts {
		again.Facts[i].ID = e.Facts[i].ID
	}
	if e.Time.Equal(again.Time) {
		again.Time = e.Time // the same, in another representation
	}
	if !reflect.DeepEqual(again, e) {
		t.Errorf("from disk %+v, want %+v", again, e)
	}
	if err := disk.Close(); err != nil {
		t.Fatal(err)
	}
	if again := Recover(t.Context(), l.deps); len(again) > 0 || len(l.shelf.entries) != 1 {
		t.Errorf("finished twice: %+v, %d entries", again, len(l.shelf.entries))
	}
}

func TestDeniedWritesAreNoSuccess(t *testing.T) {
	for _, test := range []struct {
		name, script string
		set          changeset.Set
		want         memory.Outcome
		denials      int
	}{
		{"all denied", "deny Write a.txt\nsay could not", changeset.Set{}, memory.OutcomeFailed, 1},
		{"one went through", "deny Write a.txt\nwrite b.txt x\nsay half", changeset.Set{}, memory.OutcomeOK, 1},
		{"one denied twice", "deny Write a.txt\ndeny Write a.txt\nwrite b.txt x\nsay half", changeset.Set{}, memory.OutcomeOK, 1},
		{"a command denied after edits", "write b.txt x\ndeny Bash git commit\nsay not committed", changeset.Set{}, memory.OutcomeOK, 1},
		{"written another way", "deny Write a.txt\nsay done",
			changeset.Set{Uncommitted: changeset.List{Items: []changeset.Change{{Status: changeset.StatusAdded, Path: "a.txt"}}}}, memory.OutcomeOK, 1},
		{"nothing denied, nothing written", "say an answer", changeset.Set{}, memory.OutcomeOK, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := newLab(t)
			l.deps.Work = &fakeWork{set: test.set}
			rec := l.run(t, Request{Task: "x", Agent: l.scripted(t, test.script)})
			if rec.Outcome != test.want || len(rec.Entry.Denials) != test.denials {
				t.Errorf("outcome %q, want %q; denials %q", rec.Outcome, test.want, rec.Entry.Denials)
			}
			if failed := test.want == memory.OutcomeFailed; failed != (len(rec.Entry.Errors) > 0) {
				t.Errorf("errors %q", rec.Entry.Errors)
			}
		})
	}
}

func TestWaysAClaudeRunFails(t *testing.T) {
	for _, test := range []struct {
		name, script, wants string
		code                int
	}{
		{"an API error", "write a x\nfail the server said SECRETno", "the server said ***", 1},
		{"an end without a result", "say half\nexit 0", "without a result", 0},
		{"a crash", "say half\nstderr out of memory\nexit 9", "exit code 9", 9},
		{"killed", "say half\ndie", "SIGKILL", 137},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := newLab(t)
			rec := l.run(t, Request{Task: "x", Agent: l.scripted(t, test.script)})
			errs := strings.Join(rec.Entry.Errors, "\n")
			if rec.Outcome != memory.OutcomeFailed || rec.ExitCode != test.code || !strings.Contains(errs, test.wants) {
				t.Errorf("outcome %q, exit code %d, errors %q", rec.Outcome, rec.ExitCode, errs)
			}
			if strings.Contains(test.script, "stderr") && !strings.Contains(errs, "out of memory") {
				t.Errorf("errors %q lack standard error", errs)
			}
		})
	}
}

func TestSilentAgentIsEnded(t *testing.T) {
	l := newLab(t)
	rec := l.run(t, Request{
		Task: "x", Agent: l.scripted(t, "write a.txt x\nsay working\nsilent"), IdleTimeout: 2 * time.Second, Grace: 2 * time.Second,
	})
	if rec.Outcome != memory.OutcomeTimeout || !strings.Contains(strings.Join(rec.Entry.Errors, " "), "silent for 2s") {
		t.Errorf("outcome %q, errors %q", rec.Outcome, rec.Entry.Errors)
	}
	if rec.Entry.Summary != "working" {
		t.Errorf("summary %q", rec.Entry.Summary)
	}
}

func TestDeafAgentIsKilledAfterTheGrace(t *testing.T) {
	l := newLab(t)
	rec := l.run(t, Request{
		Task: "x", Agent: l.scripted(t, "deaf\nsay working\nsilent"), Timeout: 300 * time.Millisecond, Grace: 200 * time.Millisecond,
	})
	if rec.Outcome != memory.OutcomeTimeout || rec.Signal != "SIGKILL" {
		t.Errorf("outcome %q, signal %q", rec.Outcome, rec.Signal)
	}
}

func TestStartedProcessesAreEndedAndNamed(t *testing.T) {
	l := newLab(t)
	rec := l.run(t, Request{Task: "x", Agent: l.scripted(t, "start sleep 1001\nsay started"), Grace: time.Second})
	if got := strings.Join(rec.Entry.Remarks, "\n"); !strings.Contains(got, "sleep 1001 (pid ") {
		t.Errorf("remarks %q", got)
	}
	if rec.Outcome != memory.OutcomeOK {
		t.Errorf("outcome %q, errors %q", rec.Outcome, rec.Entry.Errors)
	}
}

// TestFloods lets agents print 200 MB: memory, redaction and the run's folder stay within
// limits, and the last message is still known.
func TestFloods(t *testing.T) {
	flood := "flood 200MB\nsay the end FACT{after the flood}"
	for _, test := range []struct {
		name  string
		agent func(l *lab) agent.Agent
	}{
		{"claude", func(l *lab) agent.Agent { return l.scripted(t, flood) }},
		{"text", func(l *lab) agent.Agent {
			a, err := command.New("command", []string{l.scriptedProgram(t, flood)}, command.Text)
			if err != nil {
				t.Fatal(err)
			}
			return a
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := newLab(t)
			out := &counter{}
			l.deps.AgentOut, l.deps.Sink = out, nil
			var bytes int
			l.deps.Redact = func(text string) string {
				bytes += len(text)
				return hideSecrets(text)
			}
			peak := heapPeak()
			rec := l.run(t, Request{Task: "x", Agent: test.agent(l)})
			if grown := peak(); grown > 100<<20 {
				t.Errorf("the heap grew to %d MB", grown>>20)
			}
			if bytes > 3*maxSaid {
				t.Errorf("%d MB were redacted", bytes>>20)
			}
			if test.name == "text" && out.n < 200_000_000 {
				t.Errorf("only %d MB reached standard output", out.n>>20)
			}
			if size := folderBytes(rec.Dir); size > runfolder.MaxEvents+2*runfolder.ResultRoom {
				t.Errorf("the run's folder holds %d MB", size>>20)
			}
			e := rec.Entry
			if rec.Outcome != memory.OutcomeOK || !strings.HasSuffix(e.Summary, "the end FACT{after the flood}") || len(e.Facts) != 1 {
				t.Errorf("outcome %q, summary …%q, facts %+v", rec.Outcome, e.Summary[max(0, len(e.Summary)-60):], e.Facts)
			}
			if len(e.Remarks) != 1 || !strings.Contains(e.Remarks[0], "more than is kept") {
				t.Errorf("remarks %q", e.Remarks)
			}
		})
	}
}

type counter struct{ n int }

func (c *counter) Write(p []byte) (int, error) { c.n += len(p); return len(p), nil }

// heapPeak watches the live heap until it is asked for the highest value.
func heapPeak() func() uint64 {
	stop, done := make(chan struct{}), make(chan uint64)
	go func() {
		var peak uint64
		var stats runtime.MemStats
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				runtime.ReadMemStats(&stats)
				peak = max(peak, stats.HeapInuse)
			case <-stop:
				done <- peak
				return
			}
		}
	}()
	return func() uint64 { close(stop); return <-done }
}

// TestCallsAreEvidence checks the stored data of a run's tool calls: the files that their
// commands write, the state of those, and no secret.
func TestCallsAreEvidence(t *testing.T) {
	l := newLab(t)
	work := &fakeWork{}
	l.deps.Work = work
	agent := l.scripted(t, `
sh "cat read.txt; touch made.txt SECRETname.txt"
sh "cd sub && touch below.txt"
sh "touch anywhere.txt & wait"
sh "echo wrote somewhere.txt"
-- read.txt --
`)
	if err := os.Mkdir(filepath.Join(l.deps.WorkTree, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	rec := l.run(t, Request{Task: "Do it", Agent: agent})
	got := work.evidence.Calls
	if len(got) != 4 || !work.evidence.Tells {
		t.Fatalf("evidence %+v", work.evidence)
	}
	if len(got[3].Names) > 0 { // the shell has moved to an unknown folder
		t.Errorf("printed names %q", got[3].Names)
	}
	in := func(name string) string { return filepath.Join(l.deps.WorkTree, name) }
	for i, want := range []string{in("made.txt"), in("sub/below.txt"), "**/anywhere.txt"} {
		c := got[i]
		if !slices.Equal(c.Names, []string{want}) || c.Background != (i == 2) || c.Ended.Before(c.Began) {
			t.Errorf("call %+v, want it to name %s", c, want)
		}
		if i < 2 && (len(c.Left) != 1 || c.Left[0].Path != want || c.Left[0].ChangedAt.IsZero()) {
			t.Errorf("left %+v", c.Left)
		}
	}
	events, err := os.ReadFile(filepath.Join(rec.Dir, runfolder.EventsFile))
	if err != nil || strings.Contains(string(events), "SECRET") {
		t.Errorf("%v: a secret is kept: %s", err, events)
	}
}

// TestPlainOut: a reader of the answer on a terminal sees no tags.
func TestPlainOut(t *testing.T) {
	for _, plain := range []bool{false, true} {
		l := newLab(t)
		l.deps.PlainOut = plain
		l.deps.Plain = func(message string) string { return strings.ReplaceAll(message, "<tag>", "") }
		l.run(t, Request{Task: "x", Agent: l.scripted(t, "say done <tag>")})
		if got := strings.Contains(l.out.String(), "<tag>"); got == plain {
			t.Errorf("plain %v: %q", plain, l.out.String())
		}
	}
}
