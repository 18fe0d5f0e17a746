package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agentflow/memory"
)

// shellAgent returns a request for a run with a shell script as the agent.
func shellAgent(task, script string) RunRequest {
	return RunRequest{Task: task, Agent: "command", AgentArgs: []string{"sh", "-c", "cat >/dev/null; " + script}}
}

// runNow runs a script as the agent, in a repository.
func runNow(t *testing.T, m *Memory, task, script string) RunResult {
	t.Helper()
	res, err := Run(t.Context(), m, shellAgent(task, script))
	if err != nil || res.Run.Outcome != memory.OutcomeOK || res.Run.MemoryPath == "" {
		t.Fatalf("running %q: %+v, %v", task, res, err)
	}
	return res
}

func TestRun(t *testing.T) {
	p := newRepository(t)
	m := p.memory()
	ctx, events := heard(t.Context())
	req := shellAgent("Write a poem", "echo rose >poem; echo here it is; echo trouble >&2")
	var answer, output bytes.Buffer
	req.Answer, req.Output = &answer, &output
	res, err := Run(ctx, m, req)
	if err != nil || res.Run.Outcome != memory.OutcomeOK || len(res.Run.Uncommitted) != 1 || res.Run.Uncommitted[0].Path != "poem" || res.NotRecorded || len(res.Degraded) > 0 {
		t.Errorf("%+v, %v", res, err)
	}
	if answer.String() != "here it is\n" || output.String() != "trouble\n" {
		t.Errorf("the agent said %q, and beside that %q", answer.String(), output.String())
	}
	var kinds []EventKind
	for _, e := range *events {
		kinds = append(kinds, e.Kind)
		if e.Kind == EventRun && e.Run.Result != nil && e.Run.Result.Run.ID != res.Run.ID {
			t.Errorf("the last event is of run %s", e.Run.Result.Run.ID)
		}
	}
	if begun := slices.Index(kinds, EventRunBegins); begun < 0 || slices.Index(kinds, EventRun) < begun || kinds[len(kinds)-1] != EventRun {
		t.Errorf("events %v", kinds)
	}
	failed, err := Run(t.Context(), m, shellAgent("Fail", "exit 3"))
	if err != nil || failed.Run.Outcome != memory.OutcomeFailed || failed.Run.ExitCode != 3 || failed.Reason == "" {
		t.Errorf("a run that failed: %+v, %v", failed, err)
	}
}

func TestRunIsRefused(t *testing.T) {
	m := newRepository(t).memory()
	refused := errors.New("no task today")
	for name, c := range map[string]struct {
		req  RunRequest
		want Kind
	}{
		"no task":      {shellAgent("", "true"), KindUsage},
		"no agent":     {RunRequest{Task: "x", Agent: "nobody"}, KindUsage},
		"no number":    {RunRequest{Task: "x", MaxCost: "much"}, KindUsage},
		"no work tree": {RunRequest{Task: "x", Worktree: WorktreeRequest{Keep: true}}, KindUsage},
		"no such run":  {RunRequest{Task: "x", Resume: "abcdef"}, KindNotFound},
		"not asked":    {RunRequest{Agent: "command", AgentArgs: []string{"true"}, AskTask: func(context.Context, TaskSetting) (string, error) { return "", refused }}, KindInternal},
	} {
		ctx, events := heard(t.Context())
		_, err := Run(ctx, m, c.req)
		if name == "no such run" {
			if known, ok := err.(*Error); !ok || known.Kind == KindInternal {
				t.Errorf("%s: %v", name, err)
			}
		} else {
			wantKind(t, err, c.want)
		}
		if slices.ContainsFunc(*events, func(e Event) bool { return e.Kind == EventRunBegins }) {
			t.Errorf("%s: something was run", name)
		}
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	p := newRepository(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	ready := filepath.Join(p.Repo, "ready")
	pipe, w := io.Pipe()
	go func() {
		_, _ = pipe.Read(make([]byte, 1))
		cancel(Interrupt{Signal: os.Interrupt})
		_, _ = io.Copy(io.Discard, pipe)
	}()
	req := shellAgent("Wait", "echo 1 >"+ready+"; echo ready >&2; exec sleep 100")
	req.Output = w
	res, err := Run(ctx, p.memory(), req)
	if err != nil || res.Run.Outcome != memory.OutcomeInterrupted || res.Terminated || res.Run.MemoryPath == "" || len(res.Run.Uncommitted) != 1 {
		t.Errorf("%+v, %v", res, err)
	}
}

func TestPrompts(t *testing.T) {
	p := newRepository(t)
	m := p.memory()
	runNow(t, m, "Write a poem about okapis", "echo okapi >poem")
	res, err := Prompts(t.Context(), m, shellAgent("", "false"), "Mend the poem about okapis", "Say hello")
	if err != nil || len(res.Prompts) != 2 || !strings.Contains(res.Prompts[0], "okapis") || !strings.HasSuffix(strings.TrimSpace(res.Prompts[1]), "Say hello") {
		t.Errorf("%+v, %v", res, err)
	}
	_, err = Prompts(t.Context(), m, shellAgent(" ", "false"))
	wantKind(t, err, KindUsage)
}

func TestRunTasks(t *testing.T) {
	p := newRepository(t)
	m := p.memory()
	req := RunTasksRequest{RunRequest: shellAgent("", "echo $$ >shared; git add shared; git commit -qm shared; echo done >&2"), Tasks: []string{"One", "Two"}, AtOnce: 2}
	outputs := make([]bytes.Buffer, 2)
	req.Outputs = func(task int) io.Writer { return &outputs[task] }
	res, err := RunTasks(t.Context(), m, req)
	if err != nil || len(res.Tasks) != 2 || res.Interrupted != nil {
		t.Fatalf("%+v, %v", res, err)
	}
	for n, task := range res.Tasks {
		if task.Err != nil || task.Run.Task != req.Tasks[n] || task.Worktree == nil || task.Worktree.Path == "" || len(task.Worktree.Steps) == 0 || outputs[n].String() != "done\n" {
			t.Errorf("task %d: %+v, output %q", n, task, outputs[n].String())
		}
	}
	if len(res.Overlaps) != 1 || res.Overlaps[0].Path != "shared" || !slices.Equal(res.Overlaps[0].Tasks, []int{0, 1}) {
		t.Errorf("overlaps %v", res.Overlaps)
	}
	req.AtOnce = 0
	_, err = RunTasks(t.Context(), m, req)
	wantKind(t, err, KindUsage)
	folder := newFolder(t)
	req.AtOnce = 1
	res, err = RunTasks(t.Context(), folder.memory(), req)
	if err != nil || res.Tasks[0].Err == nil || res.Tasks[0].Run.Outcome != memory.OutcomeNotStarted {
		t.Errorf("without a repository: %+v, %v", res, err)
	}
}

func TestDiffAndUndo(t *testing.T) {
	p := newRepository(t)
	m := p.memory()
	_, err := Diff(t.Context(), m, DiffRequest{Run: "last"})
	wantKind(t, err, KindNoPlace)
	run := runNow(t, m, "Write a poem", "echo rose >poem; echo more >>README; git add poem; git commit -qm poem")
	for _, c := range []struct {
		req  DiffRequest
		want string
	}{
		{DiffRequest{Run: "last", Possible: true, Patch: true, ForApply: true}, "+rose"},
		{DiffRequest{Run: run.Run.ID, Possible: true, Patch: true, Paths: []string{"README"}}, "+more"},
	} {
		res, err := Diff(t.Context(), m, c.req)
		if err != nil || !res.Diff.Complete || !strings.Contains(string(res.Patch), c.want) {
			t.Errorf("%+v: %+v, %v", c.req, res, err)
		}
	}
	list, err := Diff(t.Context(), m, DiffRequest{Run: "last"})
	if err != nil || len(list.Diff.Changes) != 2 || list.Diff.Changes[0].Path != "README" || len(list.Diff.Commits)+len(list.Diff.Possible) != 1 {
		t.Errorf("%+v, %v", list, err)
	}
	_, err = Diff(t.Context(), m, DiffRequest{Run: "last", Paths: []string{"../.."}})
	wantKind(t, err, KindUsage)

	plan, err := PlanUndo(t.Context(), m, UndoRequest{Run: "last", Possible: true})
	if err != nil || plan.Refusal() != nil || plan.NothingLeft {
		t.Fatalf("%+v, %v", plan, err)
	}
	p.Write("README", "somebody else's\n")
	_, err = plan.Apply(t.Context())
	wantKind(t, err, KindRefused)
	if err := plan.Close(); err != nil {
		t.Error(err)
	}
	p.Write("README", "start\nmore\n")
	plan, err = PlanUndo(t.Context(), m, UndoRequest{Run: "last", Possible: true})
	if err != nil {
		t.Fatal(err)
	}
	defer plan.Close()
	done, err := plan.Apply(t.Context())
	if err != nil || !done.Done || done.Commit == "" || done.Again == "" {
		t.Errorf("%+v, %v", done, err)
	}
	if text, err := os.ReadFile(filepath.Join(p.Repo, "README")); err != nil || string(text) != "start\n" {
		t.Errorf("README is %q, %v", text, err)
	}
	if _, err := os.Lstat(filepath.Join(p.Repo, "poem")); err == nil {
		t.Error("the poem is still there")
	}
}

// TestHugeUntrackedFile checks that an untracked file of a terabyte is not read and takes no space, whether it existed
// before the run or the run made it.
func TestHugeUntrackedFile(t *testing.T) {
	p := newRepository(t)
	for _, name := range []string{"there.bin", "host.bin"} {
		p.Write(name, "")
		if err := os.Truncate(p.Path(name), 1<<40); err != nil {
			t.Fatal(err)
		}
	}
	run := runNow(t, p.memory(), "Work beside a terabyte", "echo small >small.txt; mv host.bin made.bin").Run
	changed := fmt.Sprint(run.Uncommitted, run.Meanwhile)
	for _, want := range []string{"small.txt", "made.bin", "host.bin"} {
		if !strings.Contains(changed, want) {
			t.Errorf("%s is not in %s", want, changed)
		}
	}
	if strings.Contains(changed, "there.bin") {
		t.Errorf("there.bin was not changed, and is in %s", changed)
	}
	var size int64
	err := filepath.WalkDir(p.Path(".git/agentflow"), func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		size += info.Size()
		return err
	})
	if err != nil || size > 1<<20 {
		t.Errorf("%d bytes were kept, error %v", size, err)
	}
}

// TestResumeSetsItsAgent checks that the options of a resumed run apply to the resumed agent, and not to the agent that
// a new run would have.
func TestResumeSetsItsAgent(t *testing.T) {
	o := newRepository(t).memory().begin(t.Context())
	r, err := newRunner(t.Context(), o, RunRequest{Task: "x", PermissionMode: "read-only", Model: "a-model"})
	if err != nil {
		t.Fatal(err)
	}
	exec, err := r.execution(&earlierRun{agent: "codex", session: "s"})
	if err != nil || exec.Agent.Name() != "codex" || exec.Permission != "read-only" || exec.Model != "a-model" || exec.Resume != "s" {
		t.Errorf("%+v, %v", exec, err)
	}
}
