// Agentflow runs coding agents on a git repository and remembers what
// happened. See the README for a first session and ARCHITECTURE.md for the
// parts.
package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync/atomic"

	"agentflow/config"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

func main() { os.Exit(run(context.Background(), os.Args[1:])) }

// app is what every verb works with: the three streams, the environment and
// the voice. A verb gets it instead of reaching for globals.
type app struct {
	voice
	in      io.Reader
	inTTY   bool
	getenv  func(string) string
	environ []string
	told    *told // of embedders; nil until a site is opened
	// stopSignals ends the handling of signals that every verb has, for a verb
	// with its own.
	stopSignals func()
	endless     *atomic.Bool // a signal is the normal end of this verb; nil where no signals are obeyed
}

// run executes one command line and returns the exit code.
func run(ctx context.Context, args []string) int {
	a := &app{
		voice:   newVoice(os.Stdout, os.Stderr, os.Getenv),
		in:      os.Stdin,
		inTTY:   term.IsTerminal(int(os.Stdin.Fd())),
		getenv:  os.Getenv,
		environ: os.Environ(),
	}
	ctx = a.obeySignals(ctx, func(err error) { os.Exit(a.finish(err, jsonWanted(args))) })
	defer a.stopSignals()
	out := &results{to: a.out}
	a.out = out
	root := a.command()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil && out.err != nil {
		err = fmt.Errorf("writing the output: %w", out.err)
	}
	if err != nil {
		err = cmp.Or(interruption(ctx), err)
	}
	return a.finish(err, jsonWanted(args))
}

// jsonWanted looks for --json without parsing, for errors that come before
// or from the parsing.
func jsonWanted(args []string) bool {
	for _, arg := range args {
		if arg == "--" {
			return false
		}
		if arg == "--json" || arg == "--json=true" {
			return true
		}
	}
	return false
}

// command builds the tree of verbs.
func (a *app) command() *cobra.Command {
	root := &cobra.Command{
		Use:   "agentflow",
		Short: "Run coding agents on a repository and remember what happened",
		Long: `AgentFlow wraps runs of a coding agent. Before a run it recalls what is
relevant from earlier work and puts it in front of the prompt; afterwards it
looks at what the run changed in git and appends a dated summary to Markdown
files in .agentflow/memory. The files are the truth: read them, edit them.`,
		Example: `  agentflow run "Fix the flaky login test"
  agentflow search "flaky login"
  agentflow show last`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          noVerb,

		SuggestionsMinimumDistance: 2,
		RunE:                       func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.SetIn(a.in)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usageError{err: err, hint: "see '" + cmd.CommandPath() + " --help'"}
	})
	root.AddGroup(&cobra.Group{ID: "work", Title: "Work:"},
		&cobra.Group{ID: "memory", Title: "Memory:"}, &cobra.Group{ID: "setup", Title: "Set-up and health:"})
	add := func(group string, verbs ...*cobra.Command) {
		for _, verb := range verbs {
			verb.GroupID = group
			root.AddCommand(verb)
		}
	}
	add("work", a.runCommand(), a.logCommand(), a.showCommand(), a.diffCommand(), a.undoCommand())
	add("memory", a.searchCommand(), a.recallCommand(), a.rememberCommand(), a.forgetCommand(), a.pinCommand(), a.unpinCommand(), a.memoryCommand(), a.consolidateCommand(), a.evalCommand())
	add("setup", a.initCommand(), a.backfillCommand(), a.indexCommand(), a.watchCommand(), a.daemonCommand(), a.scheduleCommand(), a.statusCommand(), a.doctorCommand(), a.configCommand(), a.trustCommand(),
		a.hookCommand(), a.uninstallCommand(), a.versionCommand(), a.manCommand())
	spellTags(root)
	root.SetHelpCommand(helpCommand(root))
	root.SetHelpCommandGroupID("setup")
	root.SetCompletionCommandGroupID("setup")
	strictCompletion(root)
	return root
}

// noVerb refuses a word that is no verb, naming the near ones.
func noVerb(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	err := usagef("agentflow has no verb %q", args[0])
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		err.hint = "did you mean '" + cmd.CommandPath() + " " + near[0] + "'?"
	} else {
		err.hint = "'agentflow run \"" + args[0] + " …\"' starts an agent; 'agentflow --help' lists the verbs"
	}
	return err
}

// dirs are the user's own folders.
func (a *app) dirs() (config.Dirs, error) { return config.UserDirs(a.getenv, runtime.GOOS) }
