// Package run runs an agent on a task (Run), or several agents in parallel (RunTasks), and remembers what they did.
// Prompts makes the prompts of runs without running anything. The package also stores the conversations of chat
// (KeepConversation), and reads the changes that runs made (EditsOf).
//
// Run opens memory, finishes what a crash left, and passes package executor its dependencies: package app/recall for
// memory, app/propose for the record, and package gitwatch for changes. If memory is absent, switched off or fails,
// the agent runs without it, and the result names the failure. Run returns an error only if no run took place. An
// interrupted run is recorded too.
//
// Parallel runs are in one process. Each has its folder, lock, processes and work tree, and one context ends them
// all. Each counts in the budget with its cost, or with its whole limit if it was cut off without reporting one.
//
// Not guaranteed: outside a repository, and with NoRecord, a run is not remembered.
package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"agentflow/app"
	appagent "agentflow/app/agent"
	"agentflow/app/builtin"
	appextract "agentflow/app/extract"
	"agentflow/app/indexes"
	"agentflow/app/lookup"
	"agentflow/app/propose"
	"agentflow/app/purge"
	"agentflow/app/recall"
	"agentflow/app/share"
	"agentflow/app/upkeep"
	"agentflow/app/worktree"
	"agentflow/executor"
	"agentflow/executor/agent"
	"agentflow/executor/agent/command"
	"agentflow/executor/progress"
	"agentflow/executor/supervise"
	"agentflow/internal/ask"
	"agentflow/internal/config"
	"agentflow/internal/extract"
	"agentflow/memory"
)

// Request asks for a run of an agent on a task. Fields that override settings are checked like settings, and an
// empty one leaves the setting.
type Request struct {
	Task string
	// AskTask returns the task if Task is empty. It is called before anything is started, and its error ends Run.
	AskTask func(context.Context, TaskSetting) (string, error)

	Agent     string   // claude, codex, gemini, opencode, command, or the name of an agent in the settings
	AgentArgs []string // for the agent; for command: the program and its arguments
	Resume    string   // the run to continue in its folder, with its agent session: an id, the end of one, or "last"

	Verify         string // shell command; its exit code decides success
	PermissionMode string // the permission mode, in the agent's terms
	Model          string // model of the agent
	Timeout        string // a duration; 0 is never
	IdleTimeout    string // duration without any output
	MaxCost        string // US dollars
	Top            string // largest number of recalled entries
	Budget         string // tokens for recalled entries

	NoRecall bool // put nothing in front of the task
	NoRecord bool // do not record the run
	// Tools is the command line of the server of memory's tools. It is offered to an agent that supports tools, unless
	// the settings forbid it. Empty: no tools.
	Tools []string

	Worktree worktree.WorktreeRequest

	// Answer receives the agent's answer: the output of a program while it runs, otherwise the final text once. Output
	// receives other output of the agent, and the output of the verify and on_finish commands. Nil drops it.
	Answer, Output io.Writer
	PlainAnswer    bool // Answer gets the final text without <save_memory> tags
	// Hurry, when closed, ends every grace period of an agent that was asked to end. The end of the context asks the
	// agent to end. If its cause is an Interrupt, that names the signal.
	Hurry <-chan struct{}
}

// Check returns an error if parts of the request contradict each other. Run checks it too, but later.
func (r *Request) Check() error {
	return r.Worktree.Check(r.Resume)
}

// Interrupt is the cause of a context that a signal ended.
type Interrupt = supervise.Interrupt

// Run runs an agent on a task: it recalls memory before the run and records the run after it. It returns an error only
// if no run took place. The outcome of the run, and failures of memory, are in the result. An interrupted run is
// recorded too: from EventRunBegins on, the end of the context does not end Run at once.
func Run(ctx context.Context, m *app.Memory, req Request) (res app.RunResult, err error) {
	o := m.Begin(ctx)
	defer o.End(&res.Degraded, &err)
	r, err := newRunner(ctx, o, req)
	if err != nil {
		return res, err
	}
	if err := r.findTask(ctx); err != nil {
		return res, err
	}
	r.makeMemory(ctx)
	o.Tell(app.Event{Kind: app.EventRunBegins})
	rec, tree, err := r.run(ctx)
	var nested *executor.NestedError
	if errors.As(err, &nested) {
		return res, &app.Error{Kind: app.KindRefused, Err: err, Hint: nested.Hint()}
	}
	if err != nil {
		return res, err
	}
	tellTrouble(r.Repo, rec)
	res = r.result(rec, tree)
	o.Tell(app.Event{Kind: app.EventRun, Run: &app.RunEvent{Result: &res}})
	Finished(ctx, r.Repo, finishOf(rec), req.Output)
	share.SyncSoon(r.Repo)
	return res, nil
}

// PromptsResult holds the prompts that agents would get.
type PromptsResult struct {
	Prompts  []string // one for each task
	Degraded []string
}

// Prompts makes the prompts that agents would get for tasks, or for the task of req if there are none. It runs nothing.
func Prompts(ctx context.Context, m *app.Memory, req Request, tasks ...string) (res PromptsResult, err error) {
	o := m.Begin(ctx)
	defer o.End(&res.Degraded, &err)
	r, err := newRunner(ctx, o, req)
	if err != nil {
		return res, err
	}
	if len(tasks) == 0 {
		if err := r.findTask(ctx); err != nil {
			return res, err
		}
		tasks = []string{r.req.Task}
	} else if r.exec, err = r.Execution(nil); err != nil {
		return res, err
	}
	for _, task := range tasks {
		r.exec.Task = task
		p := executor.Prepare(ctx, r.deps(ctx), r.exec)
		r.Repo.Degraded("run", p.Degraded)
		res.Prompts = append(res.Prompts, p.Prompt)
	}
	return res, nil
}

type runner struct {
	Repo   *app.Repo
	req    Request
	exec   executor.Request // of each run; with several tasks, its task, id and limit differ
	before *earlierRun      // the run with the agent session to continue; nil: none
	tools  []string         // tools that the agent called; set when it has ended
}

func newRunner(ctx context.Context, o *app.Operation, req Request) (*runner, error) {
	if err := req.Check(); err != nil {
		return nil, err
	}
	if ask.Inside(o.Environ) { // a question of this program must not become a run
		return nil, fmt.Errorf("start a run: %w", ask.ErrInside)
	}
	s, err := openToRun(ctx, o, req)
	if err != nil {
		return nil, err
	}
	s.Redact.Prepare() // concurrently with the other preparations
	return &runner{Repo: s, req: req}, nil
}

// openToRun opens the memory for runs. If memory is absent or switched off, it notifies listeners, and the run
// continues without memory.
func openToRun(ctx context.Context, o *app.Operation, req Request) (*app.Repo, error) {
	place, dirs, err := o.Place()
	if err != nil && !errors.Is(err, config.ErrNoPlace) {
		o.Warn("%v", err)
	}
	unplaced := place.Root == ""
	settings, err := o.LoadOn(place, dirs)
	off := app.IsSwitchedOff(err)
	if err != nil && !off {
		return nil, err
	}
	if err := req.overlay(settings); err != nil {
		return nil, err
	}
	switch {
	case off:
		o.Say("%v: this run recalls nothing and is not remembered", err)
	case unplaced:
		o.Say("no repository here: this run is not remembered")
		o.Hint("'agentflow init' starts a memory in this folder")
	}
	if off || unplaced || req.NoRecord && !place.HasMemory() {
		red, err := app.Redactor(o, settings)
		return &app.Repo{Operation: o, Place: place, Dirs: dirs, Settings: settings, Redact: red}, err
	}
	s, err := o.Assemble(ctx, place, dirs, settings)
	if err == nil {
		app.TellUntrusted(ctx, s)
	}
	return s, err
}

func (r *Request) overlay(settings *config.Config) error {
	if err := Overlay(settings, FlagKey{Flag: "agent", Key: "agent.default", Text: r.Agent}); err != nil {
		return err
	}
	return Overlay(settings,
		FlagKey{Flag: "verify", Key: "run.verify", Text: r.Verify},
		FlagKey{Flag: "timeout", Key: "run.timeout", Text: r.Timeout},
		FlagKey{Flag: "idle-timeout", Key: "run.idle_timeout", Text: r.IdleTimeout},
		FlagKey{Flag: "max-cost", Key: "run.max_cost", Text: r.MaxCost},
		FlagKey{Flag: "top", Key: "recall.top", Text: r.Top},
		FlagKey{Flag: "budget", Key: "recall.budget", Text: r.Budget},
	)
}

// TaskSetting describes the situation to a person who writes a task.
type TaskSetting struct {
	Agent    string             // the agent for the task
	Folder   string             // the folder of the run, absolute
	Branch   string             // the current branch in that folder; empty if there is none
	Settings []string           // the existing settings files
	Earlier  []worktree.RunName // the last runs on the branch, newest first
}

// maxEarlier bounds the earlier runs in a TaskSetting.
const maxEarlier = 5

func (r *runner) taskSetting(ctx context.Context) TaskSetting {
	t := TaskSetting{Agent: cmp.Or(r.req.Agent, r.Repo.Settings.Agent), Folder: r.Repo.Dir}
	for _, file := range []string{r.Repo.Dirs.ConfigFile(), r.Repo.ConfigFile()} {
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
			t.Settings = append(t.Settings, r.Repo.Shown(file))
		}
	}
	t.Branch, _ = lookup.Branch(ctx, r.Repo)
	if r.Repo.Store == nil {
		return t
	}
	for _, b := range Newest(r.Repo, maxEarlier, func(e *memory.Entry) bool { return e.Kind.ByAgent() && e.Branch == t.Branch }) {
		t.Earlier = append(t.Earlier, worktree.RunName{ID: memory.ShortID(b.Entry.ID), Title: purge.TitleOf(b.Entry)})
	}
	return t
}

// findTask determines the task of a single run, and the earlier run to continue.
func (r *runner) findTask(ctx context.Context) (err error) {
	if r.req.Task == "" && r.req.AskTask != nil {
		if r.req.Task, err = r.req.AskTask(ctx, r.taskSetting(ctx)); err != nil {
			return err
		}
	}
	if strings.TrimSpace(r.req.Task) == "" {
		return app.Usagef("the task is empty")
	}
	if r.before, err = earlier(ctx, r.Repo, r.req.Resume); err != nil {
		return err
	}
	r.exec, err = r.Execution(r.before)
	r.exec.Task = r.req.Task
	return err
}

// makeMemory creates the memory if there is none. It is called after all checks that could refuse a run.
func (r *runner) makeMemory(ctx context.Context) {
	if r.Repo.Store == nil {
		return
	}
	if fresh := !r.Repo.HasMemory(); !r.req.NoRecord {
		if err := r.Repo.Store.Folder.Prepare(); err != nil {
			r.Repo.Degraded("run", []string{err.Error()})
		} else if fresh {
			r.Repo.Say("made a private memory in %s (git ignores it)", r.Repo.Shown(r.Repo.Root))
		}
	}
	r.Repo.Topics.Recover(ctx, r.Repo)
}

// run runs the agent in the current folder, in a new working tree if the request asks for one, or in the folder of an
// earlier run.
func (r *runner) run(ctx context.Context) (executor.Record, *app.WorktreeLeft, error) {
	deps, exec := r.deps(ctx), r.exec
	if r.before != nil {
		return r.runThere(ctx, deps, exec)
	}
	if !r.req.Worktree.Own {
		rec, err := r.execute(ctx, deps, exec, 0)
		return rec, nil, err
	}
	tree, err := worktree.MakeWorktree(ctx, r.Repo, r.req.Worktree, exec.Task)
	if err != nil {
		return executor.Record{}, nil, err
	}
	r.Repo.Say("working in %s on branch %s", tree.Path, tree.Branch)
	worktree.TellUncommitted(ctx, r.Repo)
	tree.Enter(ctx, &deps, &exec)
	rec, err := r.execute(ctx, deps, exec, 0)
	return rec, tree.Leave(ctx, r.req.Worktree, rec), err
}

func (r *runner) execute(ctx context.Context, deps executor.Deps, exec executor.Request, task int) (executor.Record, error) {
	state := progress.New(exec.Agent.Name(), deps.WorkTree)
	deps.Sink = func(ev agent.Event) {
		state.Add(ev)
		r.Repo.Tell(app.Event{Kind: app.EventRun, Run: &app.RunEvent{
			Task: task, Doing: state.Doing(), Turns: state.Turns, CostUSD: state.CostUSD, Line: state.Plain(ev), Said: deps.Plain(state.Prose(ev)),
		}})
	}
	deps.Prepared = func(p executor.Prepared) {
		if line := givenLine(p); line != "" {
			r.Repo.Tell(app.Event{Kind: app.EventRun, Run: &app.RunEvent{Task: task, Given: line}})
		}
	}
	if r.Repo.Store != nil && deps.WorkTree == r.Repo.Worktree {
		var end func()
		deps.Sink, end = upkeep.BesideAgent(ctx, r.Repo, deps.Sink)
		defer end()
	}
	exec.Writable = builtin.GitFolders(deps.WorkTree)
	rec, err := executor.Run(ctx, deps, exec)
	r.tools = state.Tools()
	if err == nil {
		r.Repo.Degraded("extract", appextract.AfterRun(ctx, r.Repo, &rec))
	}
	return rec, err
}

// givenLine describes in a few words the memory in front of a task. It is empty if memory was not searched, or not
// completely without a result.
func givenLine(p executor.Prepared) string {
	switch {
	case len(p.Facts)+len(p.Files)+len(p.Hits) > 0:
		return "recalled " + RecalledWords(len(p.Facts), len(p.Files), len(p.Hits), p.Tokens)
	case p.Recalled && len(p.Degraded) == 0:
		return "nothing relevant in memory"
	}
	return ""
}

func (r *runner) deps(ctx context.Context) executor.Deps {
	s := r.Repo
	d := executor.Deps{
		Redact: s.Redact.Text, Extract: extract.Tagged, Plain: extract.WithoutTags, Now: time.Now, Hurry: r.req.Hurry,
		AgentOut: r.req.Answer, PlainOut: r.req.PlainAnswer, AgentErr: r.req.Output, Env: s.Environ, WorkTree: s.Worktree, MainTree: worktree.IsMainTree(s), Home: s.Dirs.Home, Dir: s.Dir, Ignore: func(path string) bool { return indexes.Ignored(s, path) },
	}
	if s.Store != nil {
		d.Recall = recall.Recaller{Mem: s, Top: r.exec.Top, Agent: r.exec.Agent.Name(), Resumed: r.req.Resume}
		d.RunsDir = s.Runs()
	}
	if s.Store != nil && !r.req.NoRecord {
		d.Record = propose.Recorder{Mem: s}
	}
	if s.Root != "" {
		d.Work = worktree.Workspace(ctx, s)
	}
	return d
}

// Execution builds the executor request, except the task. before is the run to continue; nil: none.
func (r *runner) Execution(before *earlierRun) (executor.Request, error) {
	c := r.Repo.Settings
	exec := executor.Request{
		NoRecall: r.req.NoRecall, NoRecord: r.req.NoRecord, Limits: recall.Limits(r.Repo),
		RecallDeadline: cmp.Or(c.Recall.Deadline, recall.None), Timeout: c.Run.Timeout, IdleTimeout: cmp.Or(c.Run.IdleTimeout, recall.None),
		MaxCostUSD: c.Run.MaxCost, Verify: c.Run.Verify, Model: r.req.Model, // only Claude has this setting
	}
	name := c.Agent
	if before != nil {
		exec.Resume = before.Session
		if r.req.Agent == "" {
			name = before.Agent
		}
	}
	agentSettings := builtin.NamedOrDefault(c, name)
	if err := Overlay(c, FlagKey{Flag: "permission-mode", Key: agentSettings.Permission, Text: r.req.PermissionMode}, FlagKey{Flag: "model", Key: agentSettings.Model, Text: r.req.Model}); err != nil {
		return exec, err
	}
	if len(r.req.Tools) > 0 && c.Tools.Offer && !r.req.NoRecord && r.Repo.Store != nil {
		exec.Tools = agent.Tools{Name: "agentflow", Argv: r.req.Tools, Reading: appagent.ReadingTools, Variables: builtin.ToolVariables(r.Repo.Environ)}
	}
	return withAgent(r.Repo, exec, name, r.req.AgentArgs)
}

func withAgent(s *app.Repo, req executor.Request, name string, args []string) (executor.Request, error) {
	var err error
	named, ok := s.Settings.Agents[name]
	builtIn, known := builtin.Named(s.Settings, name)
	switch {
	case ok:
		req.Args = args
		req.Agent, err = command.New(name, named.Argv, command.Protocol(named.Protocol))
	case known:
		req = builtin.Request(s, req, builtIn, args)
	case name == "command" && (len(args) == 0 || args[0] == ""):
		return req, &app.Error{Kind: app.KindUsage, Err: errors.New("starting the agent: --agent command needs a program"),
			Hint: "put it after --: agentflow run --agent command TASK -- PROGRAM ARGS…"}
	case name == "command":
		req.Agent, err = command.New("command", args, command.Text)
	default:
		return req, &app.Error{Kind: app.KindUsage, Err: fmt.Errorf("starting the agent: there is no agent %q", name),
			Hint: fmt.Sprintf("add [agent.%s] argv = […] to %s", name, s.Dirs.ConfigFile())}
	}
	return req, err
}
