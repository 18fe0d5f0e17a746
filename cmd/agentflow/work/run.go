// Package work has the commands that start agents and take their work back: run, undo, worktree.
package work

import (
	"context"
	"errors"
	"os"
	"strings"

	"agentflow/app"
	"agentflow/app/builtin"
	apprun "agentflow/app/run"
	"agentflow/app/worktree"
	"agentflow/cmd/agentflow/cli"
	"agentflow/internal/cliflag"
	"agentflow/internal/gctuning"
	"agentflow/internal/tasklist"

	"github.com/spf13/cobra"
)

// runOptions are the flags of run.
type runOptions struct {
	apprun.Request
	file, worktree      string
	parallel            int // runs at a time; 0: one run
	maxTotal            float64
	passthrough, dryRun bool
	strict, noTools     bool
}

// Run returns the command run.
func Run(c *cli.Env) *cobra.Command {
	var o runOptions
	cmd := c.WithJSON("one JSON run object on stdout instead of the answer", &cobra.Command{
		Use:   "run [flags] TASK… [-- AGENT ARGS…]",
		Short: "Run an agent on a task, with memory before and after",
		Long: `Run puts what memory holds about the task in front of the prompt, runs the
agent, looks at what it changed in git and appends a summary to memory.

The task is the words given, - for standard input, or --file; without one, on a
terminal, your editor opens, where lines that begin with # are left out. The
agent's answer goes to stdout, everything else to stderr. A task that begins with
/remember, /recall or /forget is done as that command, flags first; every other
/command is for the agent.

--resume continues the agent's session of an earlier run, where it worked.
With --agent command the program to run follows --; it reads the prompt on
standard input, and its output is the answer.

--worktree runs in a new linked work tree, in REPOSITORY.agentflow next to the
repository, on a new branch made from HEAD or on --worktree=BRANCH (with the =).
It holds only committed files. If the run left changes there, the work tree stays,
and the commands that show, merge and remove it are printed; otherwise it is
removed. Work that exists nowhere else is never removed.

--parallel runs the tasks of a file, so many at a time, each in such a work tree.
A line is a task, and # begins a comment; put longer ones between lines of ---.
--max-total-cost gives each run an equal share of the rest as its --max-cost.

'agentflow help exit-codes' says what the exit code means.`,
		Example: `  agentflow run "Fix the flaky login test"
  agentflow run --verify "go test ./..." --max-cost 2 --file TASK.md
  agentflow run --agent command "Say hello" -- ./my-agent --fast
  agentflow run --worktree "Fix the flaky login test"
  agentflow run --parallel 4 --max-total-cost 20 -f tasks.txt`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if dash := cmd.ArgsLenAtDash(); dash >= 0 {
				args, o.AgentArgs = args[:dash], args[dash:]
			}
			ctx := c.Hushed(cmd.Context())
			cli.SurviveClosedPipes()
			gctuning.Hurry()
			if err := o.check(); err != nil {
				return err
			}
			if o.parallel > 0 {
				return runTasks(ctx, c, o, args)
			}
			return runOne(ctx, c, o, args)
		},
	})
	o.register(cmd)
	cmd.Flags().BoolVarP(&c.Quiet, "quiet", "q", c.Quiet, "no progress and no acknowledgements")
	_ = cmd.RegisterFlagCompletionFunc("agent", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return append(builtin.Installed(), "command"), cobra.ShellCompDirectiveNoFileComp
	})
	cliflag.Complete(cmd, "permission-mode", "acceptEdits", "auto", "bypassPermissions", "default", "dontAsk", "plan")
	_ = cmd.RegisterFlagCompletionFunc("worktree", func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
		return worktree.Branches(cmd.Context(), c.Memory), cobra.ShellCompDirectiveNoFileComp
	})
	return cmd
}

func (o *runOptions) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.Agent, "agent", "", "claude, codex, gemini, opencode, command, or an `agent` named in your settings")
	f.StringVarP(&o.file, "file", "f", "", "read the task, or with --parallel the tasks, from this `file`")
	f.StringVar(&o.Resume, "resume", "", "continue the agent session of this `run`, where it worked")
	f.StringVar(&o.Verify, "verify", "", "shell `command` run afterwards; its result decides success")
	f.StringVar(&o.PermissionMode, "permission-mode", "", "what the agent may do unasked: acceptEdits, plan, … for Claude; else its sandbox, approval_mode or permission")
	f.StringVar(&o.Model, "model", "", "the `model` the agent uses")
	f.StringVar(&o.Timeout, "timeout", "", "end the run after this `duration`; 0 is never")
	f.StringVar(&o.IdleTimeout, "idle-timeout", "", "end the run after this `duration` without any output")
	f.StringVar(&o.MaxCost, "max-cost", "", "spend at most this many US `dollars`")
	f.StringVar(&o.Top, "top", "", "recall at most this `number` of entries")
	f.StringVar(&o.Budget, "budget", "", "`tokens` for recalled entries")
	f.BoolVar(&o.NoRecall, "no-recall", false, "put nothing in front of the task")
	f.BoolVar(&o.NoRecord, "no-record", false, "remember nothing of this run")
	f.BoolVar(&o.noTools, "no-tools", false, "do not offer memory to the agent as tools")
	f.BoolVar(&o.passthrough, "passthrough", false, "exit with the agent's own code")
	f.BoolVar(&o.strict, "strict", false, "exit with 4 also when recall did not fully work")
	f.BoolVar(&o.dryRun, "dry-run", false, "print the prompt and stop")
	f.StringVar(&o.worktree, "worktree", "", "run in a new work tree, on this `branch` or a new one")
	f.Lookup("worktree").NoOptDefVal = newBranch
	f.BoolVar(&o.Worktree.Keep, "keep", false, "with --worktree: keep the work tree even if nothing changed")
	f.BoolVar(&o.Worktree.Remove, "rm", false, "with --worktree: remove the work tree when all changes in it are committed; the branch stays")
	cliflag.Between(cmd, &o.parallel, "parallel", 1, maxAtOnce, "run the tasks of --file, this `number` at a time, each in a new work tree")
	f.Float64Var(&o.maxTotal, "max-total-cost", 0, "with --parallel: start no further run once all runs together cost this many US `dollars`")
}

// newBranch replaces a missing value of --worktree; no branch can be called
// so, as it holds spaces.
const newBranch = "a new one"

// maxAtOnce is far more than agents get on with each other.
const maxAtOnce = 256

// check refuses flags that do not go together, and completes the request.
func (o *runOptions) check() error {
	switch {
	case o.parallel == 0 && o.maxTotal != 0:
		return cli.Usagef("--max-total-cost is about the runs of --parallel; --max-cost is about one")
	case !(o.maxTotal >= 0): // the negation also refuses NaN
		return cli.Usagef("--max-total-cost: want 0 or more, have %v", o.maxTotal)
	case o.parallel > 0 && o.worktree != "" && o.worktree != newBranch:
		return cli.Usagef("--worktree=%s is for one run: each run of --parallel gets another branch", o.worktree)
	case o.parallel > 0 && o.passthrough:
		return cli.Usagef("--passthrough is for one run: several have no common exit code")
	}
	if program, err := os.Executable(); err == nil && !o.noTools {
		o.Tools = []string{program, "mcp"}
	}
	o.Worktree.Own = o.worktree != "" || o.parallel > 0
	if o.worktree != newBranch {
		o.Worktree.Branch = o.worktree
	}
	return o.Request.Check()
}

// runOne runs the agent once.
func runOne(ctx context.Context, c *cli.Env, o runOptions, words []string) error {
	ask := func(ctx context.Context, setting apprun.TaskSetting) (string, error) {
		task, err := task(ctx, c, o, words, setting)
		if name, rest, ok := tasklist.Command(task); ok {
			return "", taskDone{runTaskCommand(ctx, c, o, name, rest)}
		}
		return task, err
	}
	var err error
	if o.file != "" || len(words) > 0 { // else an editor asks for it, when all is well
		o.Task, err = ask(ctx, apprun.TaskSetting{})
	} else {
		o.AskTask = ask
	}
	if err == nil {
		err = runTask(ctx, c, o)
	}
	var done taskDone
	if errors.As(err, &done) {
		return done.err
	}
	return err
}

// taskDone ends a run that got a command of agentflow as its task.
type taskDone struct{ err error }

func (taskDone) Error() string { return "the task was a command" }

// runTask has the agent work on the task, and prints the result.
func runTask(ctx context.Context, c *cli.Env, o runOptions) error {
	if o.dryRun {
		res, err := apprun.Prompts(ctx, c.Memory, o.Request)
		for _, prompt := range res.Prompts {
			c.Printf("%s\n", strings.TrimSuffix(prompt, "\n"))
		}
		return err
	}
	o.Answer, o.Output, o.PlainAnswer = c.Out, c.Err, c.OutTTY
	if c.Selection.Wanted {
		o.Answer = c.Err
	}
	ctx, hurry, begin, done := c.Interruptible(ctx, "the run")
	defer done()
	o.Hurry = hurry
	show := showRuns(c, 1, 0)
	defer show.end()
	var printed error
	res, err := apprun.Run(app.Listen(ctx, func(e app.Event) {
		switch {
		case e.Kind == app.EventRunBegins:
			begin()
		case e.Kind == app.EventRun && e.Run.Result != nil:
			show.end()
			printed = printRun(c, e.Run.Result)
		case e.Kind == app.EventRun:
			show.show(e.Run)
		default:
			c.Hear(e)
		}
	}), c.Memory, o.Request)
	if err != nil {
		return err
	}
	return errors.Join(printed, exitOfRun(&res, o))
}
