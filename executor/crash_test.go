package executor

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentflow/executor/agent"
	"agentflow/executor/agent/claude"
	"agentflow/executor/runfolder"
	"agentflow/internal/filelock"
	"agentflow/internal/proc"
	"agentflow/memory"
)

// fileShelf is a Recorder over a file, with one entry a line, for several processes.
type fileShelf struct{ name string }

func (s fileShelf) Record(ctx context.Context, e memory.Entry) (string, []string, error) {
	lock, err := filelock.Acquire(ctx, s.name+".lock", filelock.Self("test", time.Now()), time.Minute)
	if err != nil {
		return "", nil, err
	}
	defer lock.Release()
	known, err := s.entries()
	if err != nil {
		return "", nil, err
	}
	for _, k := range known {
		if k.ID == e.ID {
			return s.name, nil, nil
		}
	}
	line, err := json.Marshal(e)
	if err != nil {
		return "", nil, err
	}
	f, err := os.OpenFile(s.name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return "", nil, err
	}
	defer f.Close()
	_, err = f.Write(append(line, '\n'))
	return s.name, nil, err
}

func (s fileShelf) entries() ([]memory.Entry, error) {
	f, err := os.Open(s.name)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []memory.Entry
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e memory.Entry
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, lines.Err()
}

func crashDeps(base string) Deps {
	return Deps{
		Record: fileShelf{filepath.Join(base, "shelf")}, Redact: hideSecrets, Extract: findFacts, Work: &fakeWork{},
		RunsDir: filepath.Join(base, "runs"), WorkTree: filepath.Join(base, "tree"),
	}
}

// crashMain is the process that gets killed. It does one run in the folder from the
// environment, and prints "begun" when the run has begun.
func crashMain() int {
	base := os.Getenv("EXECUTOR_TEST_BASE")
	deps := crashDeps(base)
	program, err := os.Executable()
	if err != nil {
		return 2
	}
	deps.Env = append(os.Environ(), asVar+"=agent", "SCRIPTED_AGENT="+filepath.Join(base, "script"))
	deps.Sink = func(ev agent.Event) {
		if ev.Kind == EventPhase {
			fmt.Println(ev.Text)
		}
	}
	rec, err := Run(context.Background(), deps, Request{Task: "crash", Agent: claude.New(program), Grace: time.Second})
	if err != nil || rec.Outcome != memory.OutcomeOK {
		fmt.Println("run:", rec.Outcome, err, rec.Degraded)
		return 1
	}
	return 0
}

const crashScript = `
say first FACT{one}
start sleep 1002
write a.txt x
say second FACT{two}
write b.txt x
sh sleep 0.05
say done
`

// TestKilledRunsAreRecordedOnce kills a run at random moments. After the next command, every
// run with a journal is recorded once, and none of its processes is alive.
func TestKilledRunsAreRecordedOnce(t *testing.T) {
	random := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
	stages := map[memory.Outcome]int{}
	for range 30 {
		base := t.TempDir()
		killedRun(t, base, time.Duration(random.IntN(250))*time.Millisecond)
		for _, outcome := range afterKill(t, base) {
			stages[outcome]++
		}
	}
	t.Logf("outcomes %v", stages)
	if stages[memory.OutcomeInterrupted] == 0 {
		t.Error("no run was killed in its middle: nothing was tested")
	}
}

// killedRun starts a run and kills its process so long after its start.
func killedRun(t *testing.T, base string, after time.Duration) {
	t.Helper()
	for name, text := range map[string]string{"script": crashScript, "tree/x": ""} {
		name = filepath.Join(base, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), after)
	defer cancel()
	cmd := exec.CommandContext(ctx, program)
	cmd.Env = append(os.Environ(), asVar+"=crash", "EXECUTOR_TEST_BASE="+base)
	if out, err := cmd.Output(); err != nil && ctx.Err() == nil {
		t.Fatalf("the run: %v\n%s", err, out)
	}
}

// recoverAll recovers until each run with a journal has an entry: a child that a killed process
// was just starting keeps the lock until it has started.
func recoverAll(t *testing.T, deps Deps) []memory.Entry {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Second); ; {
		first := make(chan []Recovered)
		// Two at once: the lock decides who gets it.
		go func() { first <- Recover(t.Context(), deps) }()
		for _, r := range append(Recover(t.Context(), deps), <-first...) {
			if r.Err != nil {
				t.Errorf("recover: %v", r.Err)
			}
		}
		entries, err := deps.Record.(fileShelf).entries()
		if err != nil {
			t.Fatal(err)
		}
		journals, err := filepath.Glob(filepath.Join(deps.RunsDir, "*", runfolder.JournalFile))
		if err != nil {
			t.Fatal(err)
		}
		if len(entries) >= len(journals) || time.Now().After(deadline) {
			return entries
		}
	}
}

func afterKill(t *testing.T, base string) []memory.Outcome {
	t.Helper()
	deps := crashDeps(base)
	count := map[string]int{}
	entries := recoverAll(t, deps)
	var outcomes []memory.Outcome
	for _, e := range entries {
		count[e.ID]++
		outcomes = append(outcomes, e.Result.Outcome)
		if e.Task != "crash" || e.Agent != "claude" {
			t.Errorf("entry %+v", e)
		}
		for _, f := range e.Facts {
			if f.Source != e.ID || !strings.Contains("one two", f.Text) {
				t.Errorf("fact %+v", f)
			}
		}
	}
	for _, dir := range runfolder.Folders(deps.RunsDir) {
		id := filepath.Base(dir)
		if _, err := os.Stat(filepath.Join(dir, runfolder.JournalFile)); err == nil && count[id] != 1 {
			t.Errorf("run %s has a journal and %d entries", id, count[id])
		}
		if proc.Alive(id) {
			t.Errorf("run %s still has processes", id)
		}
	}
	return outcomes
}
