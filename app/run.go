package app

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"agentflow/config"
	"agentflow/executor"
	"agentflow/executor/agent/claude"
	"agentflow/executor/agent/command"
	"agentflow/extract"
	"agentflow/internal/ask"
	"agentflow/prompt"

	"github.com/spf13/cobra"
)

// runOptions are the flags of run. Texts that overlay settings stay texts:
// they are checked as settings are.
type runOptions struct {
	agent, file, resume, verify, permission, model string
	timeout, idle, maxCost, top, budget            string
	noRecall, noRecord, passthrough, dryRun        bool
	quiet, asJSON, strict                          bool
	agentArgs                                      []string
	treeOptions
	parallelOptions
}

func (a *operation) runCommand() *cobra.Command {
	var o runOptions
	cmd := &cobra.Command{
		Use:   "run [flags] TASK… [-- AGENT ARGS…]",
		Short: "Run an agent on a task, with memory before and after",
		Long: `Run puts what memory holds about the task in front of the prompt, runs the
agent, looks at what it changed in git and appends a summary to memory.

The task is the words given, or - to read it from standard input, or --file.
Without a task, on a terminal, your editor opens. The agent's answer goes to
stdout, everything else to stderr. A task that starts with /command goes to
the agent alone, so that its own command works; /remember TEXT, /recall TASK
and /forget ID… do what those verbs do, with their exit codes, and start no
agent. Flags stand first: "/remember --key deploy.day We deploy on Tuesdays."

--resume goes on with the agent's session of an earlier run, in the folder and
the work tree that it worked in, one of its own too; where that is gone nothing
is started.

With --agent command the program to run stands after --; it reads the prompt
on standard input, and its output is the answer.

--worktree runs in a linked work tree of its own, on a new branch made from
HEAD, and --worktree=BRANCH (with the =) on that branch; your work tree stays
as it is. It stands in the folder REPOSITORY.agentflow beside the repository;
memory is the one of the repository. It holds what is committed: neither your
uncommitted changes nor untracked or ignored files such as .env. Afterwards it
stays, with the commands that look at it, merge it and remove it, when the run
left anything there; otherwise it goes, and its branch too. --rm removes it
also when the run committed, --keep keeps it always; one that holds work that
is nowhere else stays in any case.

--parallel runs the tasks of a file, so many at a time, each in such a work
tree. A line of the file is a task, and # begins a comment; or, where the file
has lines of ---, what stands between two of them is one. --max-total-cost
gives each run an equal share of what is left as its --max-cost and starts
none when all is spent. The first interrupt ends all runs, each recorded, a
second one hurries. At the end stands a report of all tasks.

Exit codes: 0 ok; 1 error; 2 usage or unusable settings; 3 the agent or
--verify failed; 4 the entry could not be written to memory; 6 no repository
for --worktree; 124 timed out; 127 the agent could not start; 130 interrupted;
143 terminated. --parallel exits with 3 when not every task ended well.`,
		Example: `  agentflow run "Fix the flaky login test"
  agentflow run --verify "go test ./..." --max-cost 2 --file TASK.md
  agentflow run --agent command "Say hello" -- ./my-agent --fast
  agentflow run --worktree "Fix the flaky login test"
  agentflow run --parallel 4 --max-total-cost 20 -f tasks.txt`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if dash := cmd.ArgsLenAtDash(); dash >= 0 {
				args, o.agentArgs = args[:dash], args[dash:]
			}
			a.quiet = o.quiet
			return a.run(cmd.Context(), o, args)
		},
	}
	o.register(cmd)
	return cmd
}

func (o *runOptions) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.agent, "agent", "", "claude, command, or an `agent` named in your config")
	f.StringVarP(&o.file, "file", "f", "", "read the task, or with --parallel the tasks, from this `file`")
	f.StringVar(&o.resume, "resume", "", "go on with the agent session of this `run`, where it worked")
	f.StringVar(&o.verify, "verify", "", "shell `command` run afterwards; its result decides success")
	f.StringVar(&o.permission, "permission-mode", "", "what Claude may do unasked: acceptEdits, plan, …")
	f.StringVar(&o.model, "model", "", "the `model` Claude uses")
	f.StringVar(&o.timeout, "timeout", "", "end the run after this `duration`; 0 is never")
	f.StringVar(&o.idle, "idle-timeout", "", "end the run after this `duration` without any output")
	f.StringVar(&o.maxCost, "max-cost", "", "spend at most this many US `dollars`")
	f.StringVar(&o.top, "top", "", "recall at most this `number` of entries")
	f.StringVar(&o.budget, "budget", "", "`tokens` for recalled entries")
	f.BoolVar(&o.noRecall, "no-recall", false, "put nothing in front of the task")
	f.BoolVar(&o.noRecord, "no-record", false, "remember nothing of this run")
	f.BoolVar(&o.passthrough, "passthrough", false, "exit with the agent's own code")
	f.BoolVar(&o.strict, "strict", false, "exit with 4 also when recall did not fully work")
	f.BoolVar(&o.dryRun, "dry-run", false, "print the prompt and stop")
	f.BoolVarP(&o.quiet, "quiet", "q", false, "no progress and no acknowledgements")
	f.BoolVar(&o.asJSON, "json", false, "one JSON run object on stdout instead of the answer")
	o.treeOptions.register(cmd)
	o.parallelOptions.register(cmd)
	complete(cmd, "agent", "claude", "command")
	complete(cmd, "permission-mode", "acceptEdits", "auto", "bypassPermissions", "default", "dontAsk", "plan")
}

// overlay puts the flags over the settings.
func (o *runOptions) overlay(settings *config.Config) error {
	return overlay(settings,
		flagKey{"agent", "agent.default", o.agent},
		flagKey{"verify", "run.verify", o.verify},
		flagKey{"permission-mode", "agent.claude.permission_mode", o.permission},
		flagKey{"model", "agent.claude.model", o.model},
		flagKey{"timeout", "run.timeout", o.timeout},
		flagKey{"idle-timeout", "run.idle_timeout", o.idle},
		flagKey{"max-cost", "run.max_cost", o.maxCost},
		flagKey{"top", "recall.top", o.top},
		flagKey{"budget", "recall.budget", o.budget},
	)
}

// run is the verb: it prepares, lets the executor work, and tells.
func (a *operation) run(ctx context.Context, o runOptions, words []string) error {
	surviveClosedPipes()
	hurryMemory()
	if err := o.check(); err != nil {
		return err
	}
	if ask.Inside(a.environ) { // our own question must not become a run
		return fmt.Errorf("start a run: %w", ask.ErrInside)
	}
	if o.parallel > 0 {
		return a.runParallel(ctx, o, words)
	}
	var task string
	if o.file != "" || len(words) > 0 { // else an editor asks for it, when all is well
		var done bool
		var err error
		if task, done, err = a.taskOrVerb(ctx, o, words); done || err != nil {
			return err
		}
	}
	s, err := a.runSite(ctx, &o)
	if err != nil {
		return err
	}
	s.redact.Prepare() // while the rest is made ready
	if task == "" {
		var done bool
		if task, done, err = a.taskOrVerb(ctx, o, words); done || err != nil {
			return err
		}
	}
	before, err := s.earlier(ctx, o.resume)
	if err != nil {
		return err
	}
	req, err := s.request(o, task, before)
	if err != nil {
		return err
	}
	if o.dryRun {
		s.dryRun(ctx, o, req)
		return nil
	}
	s.makeMemory(ctx, o)
	rec, end, err := s.runIn(ctx, req, before, o)
	var nested *executor.NestedError
	if errors.As(err, &nested) {
		return &Error{Kind: KindRefused, Err: err, Hint: nested.Hint()}
	}
	if err != nil {
		return err
	}
	err = s.report(rec, end, o)
	s.finished(ctx, finishOf(rec))
	return err
}

// dryRun prints the prompt that the agent would get.
func (s *site) dryRun(ctx context.Context, o runOptions, req executor.Request) {
	p := executor.Prepare(ctx, s.deps(ctx, req, o), req)
	s.degraded("run", p.Degraded)
	s.printf("%s\n", strings.TrimSuffix(p.Prompt, "\n"))
}

// check refuses flags that do not go together.
func (o *runOptions) check() error {
	if err := o.parallelOptions.check(o); err != nil {
		return err
	}
	return o.treeOptions.check(o.resume)
}

// runIn runs where the command was given or, when that was asked for, in a
// work tree of its own, or where an earlier run worked.
func (s *site) runIn(ctx context.Context, req executor.Request, before *earlierRun, o runOptions) (executor.Record, fate, error) {
	ctx, hurry, done := s.interruptible(ctx, "the run")
	defer done()
	deps := s.deps(ctx, req, o)
	deps.Hurry = hurry
	if before != nil {
		return s.runThere(ctx, before, deps, req, o)
	}
	if o.worktree == "" {
		rec, err := s.watched(ctx, deps, req, o)
		return rec, fate{}, err
	}
	tree, err := s.ownTree(ctx, o.treeOptions, req.Task)
	if err != nil {
		return executor.Record{}, fate{}, err
	}
	s.say("working in %s on branch %s", tree.Path, tree.Branch)
	s.tellUncommitted(ctx)
	tree.enter(ctx, &deps, &req)
	rec, err := s.watched(ctx, deps, req, o)
	return rec, tree.leave(ctx, o.treeOptions), err
}

// runSite opens the memory for a run. Whatever of memory cannot be had is
// said, and the run goes on without it.
func (a *operation) runSite(ctx context.Context, o *runOptions) (*site, error) {
	place, dirs, err := a.here()
	if err != nil && !errors.Is(err, config.ErrNoPlace) {
		a.warn("%v", err)
	}
	unplaced := place.Root == ""
	settings, err := a.load(place, dirs)
	if err != nil {
		return nil, err
	}
	if err := o.overlay(settings); err != nil {
		return nil, err
	}
	if unplaced {
		a.say("no repository here: this run is not remembered")
		a.hint("'agentflow init' starts a memory in this folder")
	}
	if unplaced || o.noRecord && !place.HasMemory() {
		red, err := a.redactor(settings)
		return &site{operation: a, Place: place, dirs: dirs, settings: settings, redact: red}, err
	}
	s, err := a.open(ctx, place, dirs, settings)
	if err == nil {
		s.tellBrought(ctx)
	}
	return s, err
}

// makeMemory makes the memory where there is none, once nothing is left that
// a run could be refused for.
func (s *site) makeMemory(ctx context.Context, o runOptions) {
	if s.store == nil {
		return
	}
	if fresh := !s.HasMemory(); !o.noRecord {
		if err := s.store.Prepare(); err != nil {
			s.degraded("run", []string{err.Error()})
		} else if fresh {
			s.say("made a private memory in %s (git ignores it)", s.shown(s.Root))
		}
	}
	s.recover(ctx)
}

// deps wires the executor.
func (s *site) deps(ctx context.Context, req executor.Request, o runOptions) executor.Deps {
	d := executor.Deps{
		Redact: s.redact.Text, Extract: extract.Tagged, Plain: extract.WithoutTags, Now: time.Now,
		AgentOut: s.out, AgentErr: s.err, Env: s.environ, WorkTree: s.Worktree, Dir: s.dir, Ignore: s.ignored,
	}
	if o.asJSON {
		d.AgentOut = s.err
	}
	if s.store != nil {
		d.Recall = recaller{s, req.Top, o.resume}
		d.RunsDir = s.Runs()
	}
	if s.store != nil && !o.noRecord {
		d.Record = recorder{s}
	}
	if s.Root != "" {
		d.Work = s.workspace(ctx)
	}
	return d
}

// request is what the executor is asked for. before is the run that it goes
// on with; nil: none.
func (s *site) request(o runOptions, task string, before *earlierRun) (executor.Request, error) {
	c := s.settings
	req := executor.Request{
		Task: task, NoRecall: o.noRecall, NoRecord: o.noRecord, Top: c.Recall.Top, Budget: c.Recall.Budget,
		FactsShare: c.Prompt.FactsShare, Format: prompt.Format(c.Prompt.Format),
		RecallDeadline: off(c.Recall.Deadline), Timeout: c.Run.Timeout, IdleTimeout: off(c.Run.IdleTimeout),
		MaxCostUSD: c.Run.MaxCost, Verify: c.Run.Verify,
	}
	name := c.Agent
	if before != nil {
		req.Resume = before.session
		if o.agent == "" {
			name = before.agent
		}
	}
	return s.withAgent(req, name, o.agentArgs)
}

// off turns the settings' "0 is no limit" into the executor's.
func off(d time.Duration) time.Duration {
	if d == 0 {
		return -1
	}
	return d
}

// withAgent picks the agent and what it is started with.
func (s *site) withAgent(req executor.Request, name string, args []string) (executor.Request, error) {
	var err error
	named, ok := s.settings.Agents[name]
	switch {
	case ok:
		req.Args = args
		req.Agent, err = command.New(name, named.Argv, command.Protocol(named.Protocol))
	case name == "claude":
		c := s.settings.Claude
		req.Permission, req.AllowedTools, req.Model = c.PermissionMode, c.AllowedTools, c.Model
		req.Args = append(filled(c.Args), args...)
		req.Agent = claude.New("claude")
	case name == "command" && (len(args) == 0 || args[0] == ""):
		return req, &Error{Kind: KindUsage, Err: errors.New("starting the agent: --agent command needs a program"),
			Hint: "put it after --: agentflow run --agent command TASK -- PROGRAM ARGS…"}
	case name == "command":
		req.Agent, err = command.New("command", args, command.Text)
	default:
		return req, &Error{Kind: KindUsage, Err: fmt.Errorf("starting the agent: there is no agent %q", name),
			Hint: fmt.Sprintf("add [agent.%s] argv = […] to %s", name, s.dirs.ConfigFile())}
	}
	return req, err
}
