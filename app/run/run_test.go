package run_test

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

	"agentflow/app"
	applist "agentflow/app/list"
	"agentflow/app/run"
	"agentflow/app/undo"
	"agentflow/app/worktree"
	"agentflow/internal/testing/apptest"
	"agentflow/memory"
)

func TestRun(t *testing.T) {
	p := apptest.NewRepository(t)
	m := p.Memory()
	ctx, events := apptest.Heard(t.Context())
	req := apptest.ShellAgent("Write a poem", "echo rose >poem; echo here it is; echo trouble >&2")
	var answer, output bytes.Buffer
	req.Answer, req.Output = &answer, &output
	res, err := run.Run(ctx, m, req)
	if err != nil || res.Run.Outcome != memory.OutcomeOK || len(res.Run.Uncommitted) != 1 || res.Run.Uncommitted[0].Path != "poem" || res.NotRecorded || len(res.Degraded) > 0 {
		t.Errorf("%+v, %v", res, err)
	}
	if answer.String() != "here it is\n" || output.String() != "trouble\n" {
		t.Errorf("the agent said %q, and beside that %q", answer.String(), output.String())
	}
	var kinds []app.EventKind
	for _, e := range *events {
		kinds = append(kinds, e.Kind)
		if e.Kind == app.EventRun && e.Run.Result != nil && e.Run.Result.Run.ID != res.Run.ID {
			t.Errorf("the last event is of run %s", e.Run.Result.Run.ID)
		}
	}
	if begun := slices.Index(kinds, app.EventRunBegins); begun < 0 || slices.Index(kinds, app.EventRun) < begun || kinds[len(kinds)-1] != app.EventRun {
		t.Errorf("events %v", kinds)
	}
	failed, err := run.Run(t.Context(), m, apptest.ShellAgent("Fail", "exit 3"))
	if err != nil || failed.Run.Outcome != memory.OutcomeFailed || failed.Run.ExitCode != 3 || failed.Reason == "" {
		t.Errorf("a run that failed: %+v, %v", failed, err)
	}
}

func TestRunIsRefused(t *testing.T) {
	m := apptest.NewRepository(t).Memory()
	refused := errors.New("no task today")
	for name, c := range map[string]struct {
		req  run.Request
		want app.Kind
	}{
		"no task":      {apptest.ShellAgent("", "true"), app.KindUsage},
		"no agent":     {run.Request{Task: "x", Agent: "nobody"}, app.KindUsage},
		"no number":    {run.Request{Task: "x", MaxCost: "much"}, app.KindUsage},
		"no work tree": {run.Request{Task: "x", Worktree: worktree.WorktreeRequest{Keep: true}}, app.KindUsage},
		"no such run":  {run.Request{Task: "x", Resume: "abcdef"}, app.KindNotFound},
		"not asked":    {run.Request{Agent: "command", AgentArgs: []string{"true"}, AskTask: func(context.Context, run.TaskSetting) (string, error) { return "", refused }}, app.KindInternal},
	} {
		ctx, events := apptest.Heard(t.Context())
		_, err := run.Run(ctx, m, c.req)
		if name == "no such run" {
			if known, ok := err.(*app.Error); !ok || known.Kind == app.KindInternal {
				t.Errorf("%s: %v", name, err)
			}
		} else {
			apptest.WantKind(t, err, c.want)
		}
		if slices.ContainsFunc(*events, func(e app.Event) bool { return e.Kind == app.EventRunBegins }) {
			t.Errorf("%s: something was run", name)
		}
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	p := apptest.NewRepository(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	ready := filepath.Join(p.Repo, "ready")
	pipe, w := io.Pipe()
	go func() {
		_, _ = pipe.Read(make([]byte, 1))
		cancel(run.Interrupt{Signal: os.Interrupt})
		_, _ = io.Copy(io.Discard, pipe)
	}()
	req := apptest.ShellAgent("Wait", "echo 1 >"+ready+"; echo ready >&2; exec sleep 100")
	req.Output = w
	res, err := run.Run(ctx, p.Memory(), req)
	if err != nil || res.Run.Outcome != memory.OutcomeInterrupted || res.Terminated || res.Run.MemoryPath == "" || len(res.Run.Uncommitted) != 1 {
		t.Errorf("%+v, %v", res, err)
	}
}

func TestPrompts(t *testing.T) {
	p := apptest.NewRepository(t)
	m := p.Memory()
	apptest.RunNow(t, m, "Write a poem about okapis", "echo okapi >poem")
	res, err := run.Prompts(t.Context(), m, apptest.ShellAgent("", "false"), "Mend the poem about okapis", "Say hello")
	if err != nil || len(res.Prompts) != 2 || !strings.Contains(res.Prompts[0], "okapis") || !strings.HasSuffix(strings.TrimSpace(res.Prompts[1]), "Say hello") {
		t.Errorf("%+v, %v", res, err)
	}
	_, err = run.Prompts(t.Context(), m, apptest.ShellAgent(" ", "false"))
	apptest.WantKind(t, err, app.KindUsage)
}

func TestRunTasks(t *testing.T) {
	p := apptest.NewRepository(t)
	m := p.Memory()
	req := run.TasksRequest{Request: apptest.ShellAgent("", "echo $$ >shared; git add shared; git commit -qm shared; echo done >&2"), Tasks: []string{"One", "Two"}, AtOnce: 2}
	outputs := make([]bytes.Buffer, 2)
	req.Outputs = func(task int) io.Writer { return &outputs[task] }
	res, err := run.RunTasks(t.Context(), m, req)
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
	_, err = run.RunTasks(t.Context(), m, req)
	apptest.WantKind(t, err, app.KindUsage)
	folder := apptest.NewFolder(t)
	req.AtOnce = 1
	res, err = run.RunTasks(t.Context(), folder.Memory(), req)
	if err != nil || res.Tasks[0].Err == nil || res.Tasks[0].Run.Outcome != memory.OutcomeNotStarted {
		t.Errorf("without a repository: %+v, %v", res, err)
	}
}

func TestDiffAndUndo(t *testing.T) {
	p := apptest.NewRepository(t)
	m := p.Memory()
	_, err := applist.Diff(t.Context(), m, applist.DiffRequest{Run: "last"})
	apptest.WantKind(t, err, app.KindNoPlace)
	run := apptest.RunNow(t, m, "Write a poem", "echo rose >poem; echo more >>README; git add poem; git commit -qm poem")
	for _, c := range []struct {
		req  applist.DiffRequest
		want string
	}{
		{applist.DiffRequest{Run: "last", Possible: true, Patch: true, ForApply: true}, "+rose"},
		{applist.DiffRequest{Run: run.Run.ID, Possible: true, Patch: true, Paths: []string{"README"}}, "+more"},
	} {
		res, err := applist.Diff(t.Context(), m, c.req)
		if err != nil || !res.Diff.Complete || !strings.Contains(string(res.Patch), c.want) {
			t.Errorf("%+v: %+v, %v", c.req, res, err)
		}
	}
	list, err := applist.Diff(t.Context(), m, applist.DiffRequest{Run: "last"})
	if err != nil || len(list.Diff.Changes) != 2 || list.Diff.Changes[0].Path != "README" || len(list.Diff.Commits)+len(list.Diff.Possible) != 1 {
		t.Errorf("%+v, %v", list, err)
	}
	_, err = applist.Diff(t.Context(), m, applist.DiffRequest{Run: "last", Paths: []string{"../.."}})
	apptest.WantKind(t, err, app.KindUsage)

	plan, err := undo.PlanUndo(t.Context(), m, undo.Request{Run: "last", Possible: true})
	if err != nil || plan.Refusal() != nil || plan.NothingLeft {
		t.Fatalf("%+v, %v", plan, err)
	}
	p.Write("README", "somebody else's\n")
	_, err = plan.Apply(t.Context())
	apptest.WantKind(t, err, app.KindRefused)
	if err := plan.Close(); err != nil {
		t.Error(err)
	}
	p.Write("README", "start\nmore\n")
	plan, err = undo.PlanUndo(t.Context(), m, undo.Request{Run: "last", Possible: true})
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
	p := apptest.NewRepository(t)
	for _, name := range []string{"there.bin", "host.bin"} {
		p.Write(name, "")
		if err := os.Truncate(p.Path(name), 1<<40); err != nil {
			t.Fatal(err)
		}
	}
	run := apptest.RunNow(t, p.Memory(), "Work beside a terabyte", "echo small >small.txt; mv host.bin made.bin").Run
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
	o := apptest.NewRepository(t).Memory().Begin(t.Context())
	r, err := run.NewRunner(t.Context(), o, run.Request{Task: "x", PermissionMode: "read-only", Model: "a-model"})
	if err != nil {
		t.Fatal(err)
	}
	exec, err := r.Execution(&run.EarlierRun{Agent: "codex", Session: "s"})
	if err != nil || exec.Agent.Name() != "codex" || exec.Permission != "read-only" || exec.Model != "a-model" || exec.Resume != "s" {
		t.Errorf("%+v, %v", exec, err)
	}
}
