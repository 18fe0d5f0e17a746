package executor

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"agentflow/executor/agent"
	"agentflow/executor/agent/command"
	"agentflow/executor/runfolder"
	"agentflow/executor/supervise"
	"agentflow/memory"

	"github.com/google/uuid"
)

// shelf is a Recorder that keeps entries in memory, one for each id.
type shelf struct {
	mu      sync.Mutex
	entries []memory.Entry
	err     error
}

func (s *shelf) Record(_ context.Context, e memory.Entry) (string, []string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return "", nil, s.err
	}
	for _, known := range s.entries {
		if known.ID == e.ID {
			return "memory/today.md", nil, nil
		}
	}
	s.entries = append(s.entries, e)
	return "memory/today.md", nil, nil
}

// lab has the dependencies of a test's runs.
type lab struct {
	deps   Deps
	shelf  *shelf
	out    *bytes.Buffer
	events []agent.Event
}

func newLab(t testing.TB) *lab {
	t.Helper()
	l := &lab{shelf: &shelf{}, out: &bytes.Buffer{}}
	l.deps = Deps{
		Record:  l.shelf,
		Redact:  hideSecrets,
		Extract: findFacts,
		Sink:    func(ev agent.Event) { l.events = append(l.events, ev) },
		RunsDir: filepath.Join(t.TempDir(), "runs"), WorkTree: t.TempDir(),
		AgentOut: l.out,
	}
	return l
}

// findFacts replaces extraction: it finds FACT{…}.
func findFacts(messages []string, prompt string, _ time.Time) (facts []memory.Fact, cut []string) {
	said := strings.Join(messages, "\x00")
	for {
		_, after, ok := strings.Cut(said, "FACT{")
		text, rest, closed := strings.Cut(after, "}")
		if !ok || !closed {
			return facts, nil
		}
		if !strings.Contains(prompt, "FACT{"+text+"}") {
			facts = append(facts, memory.Fact{Type: memory.Semantic, Text: text})
		}
		said = rest
	}
}

func sh(t *testing.T, script string) agent.Agent {
	t.Helper()
	a, err := command.New("command", []string{"sh", "-c", script}, command.Text)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func (l *lab) run(t *testing.T, req Request) Record {
	t.Helper()
	rec, err := Run(t.Context(), l.deps, req)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

func TestRunOfAProgram(t *testing.T) {
	l := newLab(t)
	rec := l.run(t, Request{
		Task:  "Fix the login test\nwith SECRETtoken please",
		Agent: sh(t, `cat > prompt.txt; echo "FACT{use synctest} id $AGENTFLOW_RUN_ID"; echo 'all done SECRETx'; echo warn SECRETly >&2; touch $(dirname "$GIT_TRACE_REFS")/seen`),
	})
	e := rec.Entry
	if rec.Outcome != memory.OutcomeOK || !e.Result.Success || rec.ExitCode != 0 {
		t.Fatalf("outcome %q, entry %+v, degraded %q", rec.Outcome, e, rec.Degraded)
	}
	if len(rec.Degraded) > 0 || rec.RecordError != nil || rec.MemoryPath != "memory/today.md" {
		t.Errorf("degraded %q, record error %v, path %q", rec.Degraded, rec.RecordError, rec.MemoryPath)
	}
	if e.Title != "Fix the login test" || e.Task != "Fix the login test\nwith *** please" {
		t.Errorf("title %q, task %q", e.Title, e.Task)
	}
	if want := "FACT{use synctest} id " + e.ID + "\nall done ***"; e.Summary != want {
		t.Errorf("summary %q, want %q", e.Summary, want)
	}
	if len(e.Facts) != 1 || e.Facts[0].Text != "use synctest" || e.Facts[0].Source != e.ID || e.Facts[0].ID == "" {
		t.Errorf("facts %+v", e.Facts)
	}
	if len(e.Errors) > 0 {
		t.Errorf("errors %q", e.Errors)
	}
	if got := l.out.String(); !strings.HasSuffix(got, "all done SECRETx\n") {
		t.Errorf("standard output %q is not the program's own", got)
	}
	if prompt, err := os.ReadFile(filepath.Join(l.deps.WorkTree, "prompt.txt")); err != nil || !strings.HasSuffix(string(prompt), "with SECRETtoken please\n") {
		t.Errorf("the agent got %q, error %v: the task must reach it as it is", prompt, err)
	}
	if len(l.shelf.entries) != 1 {
		t.Errorf("%d entries, want 1", len(l.shelf.entries))
	}
	checkFolder(t, rec.Dir)
}

func checkFolder(t *testing.T, dir string) {
	t.Helper()
	for _, name := range []string{runfolder.JournalFile, runfolder.PromptFile, runfolder.EventsFile, runfolder.StderrFile, runfolder.RefsFile, "seen"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Error(err)
		}
		if bytes.Contains(data, []byte("SECRET")) {
			t.Errorf("%s holds a secret:\n%s", name, data)
		}
		info, err := os.Stat(filepath.Join(dir, name))
		if err == nil && name != "seen" && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", name, info.Mode())
		}
	}
	j, err := runfolder.ReadJournal(dir)
	if err != nil || j.Stage != runfolder.StageRecorded {
		t.Errorf("journal %+v, error %v", j, err)
	}
	if runfolder.Live(dir) {
		t.Error("the run is still locked")
	}
}

// closedPipe is a writer without a reader.
type closedPipe struct{ calls int }

func (c *closedPipe) Write([]byte) (int, error) { c.calls++; return 0, io.ErrClosedPipe }

func TestNobodyReadsTheOutput(t *testing.T) {
	l := newLab(t)
	var out, errs closedPipe
	l.deps.AgentOut, l.deps.AgentErr = &out, &errs
	rec := l.run(t, Request{Task: "x", Agent: sh(t, "for i in 1 2 3; do echo $i; echo $i >&2; sleep 0.05; done")})
	if rec.Outcome != memory.OutcomeOK || rec.Entry.Summary != "1\n2\n3" || len(rec.Degraded) > 0 {
		t.Errorf("outcome %q, summary %q, degraded %q", rec.Outcome, rec.Entry.Summary, rec.Degraded)
	}
	if out.calls != 1 || errs.calls != 1 {
		t.Errorf("written to %d and %d times after the reader had gone", out.calls, errs.calls)
	}
}

func TestRunThatFails(t *testing.T) {
	l := newLab(t)
	rec := l.run(t, Request{Task: "x", Agent: sh(t, `for i in $(seq 30); do echo line $i >&2; done; exit 7`)})
	if rec.Outcome != memory.OutcomeFailed || rec.ExitCode != 7 {
		t.Fatalf("outcome %q, exit code %d", rec.Outcome, rec.ExitCode)
	}
	all := strings.Join(rec.Entry.Errors, "\n")
	if !strings.Contains(all, "exit code 7") || !strings.Contains(all, "line 30") || strings.Contains(all, "line 10\n") {
		t.Errorf("errors %q", rec.Entry.Errors)
	}
}

func TestRunThatDoesNotStart(t *testing.T) {
	l := newLab(t)
	a, err := command.New("command", []string{"no-such-program-here"}, "")
	if err != nil {
		t.Fatal(err)
	}
	rec := l.run(t, Request{Task: "x", Agent: a})
	if rec.Outcome != memory.OutcomeNotStarted || rec.ExitCode != 127 || len(rec.Entry.Errors) != 1 {
		t.Errorf("outcome %q, exit code %d, errors %q", rec.Outcome, rec.ExitCode, rec.Entry.Errors)
	}
}

func TestLeftoversAreEndedAndNamed(t *testing.T) {
	l := newLab(t)
	rec := l.run(t, Request{Task: "x", Agent: sh(t, `sleep 1000 & echo ok`), Grace: time.Second})
	if rec.Outcome != memory.OutcomeOK {
		t.Errorf("outcome %q", rec.Outcome)
	}
	if got := strings.Join(rec.Entry.Remarks, "\n"); !strings.Contains(got, "ended 1 background process: sleep 1000 (pid ") {
		t.Errorf("remarks %q", got)
	}
}

func TestVerifyDecides(t *testing.T) {
	for _, test := range []struct {
		verify string
		want   memory.Outcome
	}{{"exit 0", memory.OutcomeOK}, {"echo not SECRETly; exit 3", memory.OutcomeFailed}} {
		l := newLab(t)
		rec := l.run(t, Request{Task: "x", Agent: sh(t, "true"), Verify: test.verify})
		if rec.Outcome != test.want {
			t.Errorf("verify %q: outcome %q, want %q", test.verify, rec.Outcome, test.want)
		}
		if errs := strings.Join(rec.Entry.Errors, "\n"); test.want != memory.OutcomeOK && !strings.Contains(errs, "verify ended with exit code 3: echo not *** exit 3\nnot ***") {
			t.Errorf("errors %q", errs)
		}
	}
}

func TestInterruptIsForwardedAndRecorded(t *testing.T) {
	l := newLab(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	l.deps.Sink = func(ev agent.Event) {
		if ev.Kind == agent.Said && strings.Contains(ev.Text, "ready") {
			cancel(supervise.Interrupt{Signal: os.Interrupt})
		}
	}
	rec, err := Run(ctx, l.deps, Request{Task: "x", Agent: sh(t, `trap 'echo caught; exit 0' INT; echo ready; while :; do sleep 0.05; done`)})
	if err != nil {
		t.Fatal(err)
	}
	if rec.Outcome != memory.OutcomeInterrupted || rec.Terminated || !strings.Contains(l.out.String(), "caught") {
		t.Errorf("outcome %q, terminated %v, output %q", rec.Outcome, rec.Terminated, l.out)
	}
	if len(l.shelf.entries) != 1 {
		t.Errorf("%d entries", len(l.shelf.entries))
	}
}

func TestNestedRunIsRefusedWhileTheOuterLives(t *testing.T) {
	l := newLab(t)
	outer, err := Begin(t.Context(), l.deps, Request{Task: "outer", Agent: sh(t, "true")})
	if err != nil {
		t.Fatal(err)
	}
	inner := l.deps
	inner.Env = []string{"AGENTFLOW_RUN_ID=" + outer.ID}
	_, err = Begin(t.Context(), inner, Request{Task: "inner", Agent: sh(t, "true")})
	var nested *NestedError
	if !errors.As(err, &nested) || nested.RunID != outer.ID {
		t.Fatalf("error %v, want a *NestedError", err)
	}
	outer.Execute(t.Context())
	outer.Finish(t.Context())
	if again, err := Begin(t.Context(), inner, Request{Task: "inner", Agent: sh(t, "true")}); err != nil {
		t.Errorf("a finished run's variable: %v", err)
	} else {
		again.Close()
	}
}

func TestBeginAndFinishInTwoProcesses(t *testing.T) {
	l := newLab(t)
	begun, err := Begin(t.Context(), l.deps, Request{Task: "two", Agent: sh(t, `echo "FACT{kept}"`)})
	if err != nil {
		t.Fatal(err)
	}
	begun.Execute(t.Context())
	if err := begun.Close(); err != nil {
		t.Fatal(err)
	}
	finished := Recover(t.Context(), l.deps)
	if len(finished) != 1 || finished[0].Err != nil {
		t.Fatalf("recovered %+v", finished)
	}
	rec := finished[0].Record
	if rec.Outcome != memory.OutcomeOK || len(rec.Entry.Facts) != 1 || rec.Entry.Summary != "FACT{kept}" {
		t.Errorf("record %+v", rec)
	}
	if got := Recover(t.Context(), l.deps); len(got) > 0 {
		t.Errorf("recovered %+v", got)
	}
}

func TestRecoverFinishesWhatWasBegun(t *testing.T) {
	l := newLab(t)
	begun, err := Begin(t.Context(), l.deps, Request{Task: "lost", Agent: sh(t, "true")})
	if err != nil {
		t.Fatal(err)
	}
	if got := Recover(t.Context(), l.deps); len(got) > 0 {
		t.Fatalf("took a live run: %+v", got)
	}
	begun.Close()
	got := Recover(t.Context(), l.deps)
	if len(got) != 1 || got[0].Err != nil || got[0].Record.Outcome != memory.OutcomeInterrupted {
		t.Fatalf("recovered %+v", got)
	}
	if again := Recover(t.Context(), l.deps); len(again) > 0 || len(l.shelf.entries) != 1 {
		t.Errorf("again %+v, entries %d", again, len(l.shelf.entries))
	}
}

func TestARunTakesTheIDItIsGiven(t *testing.T) {
	id := uuid.Must(uuid.NewV7()).String()
	if got, err := idOf(Request{ID: id}); err != nil || got != id {
		t.Errorf("%q, %v; want %q", got, err, id)
	}
	if _, err := idOf(Request{ID: "../../elsewhere"}); err == nil {
		t.Error("an id that is a path was taken")
	}
	if got, err := idOf(Request{}); err != nil || uuid.Validate(got) != nil {
		t.Errorf("a new id: %q, %v", got, err)
	}
}
