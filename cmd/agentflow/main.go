// Agentflow runs coding agents on a git repository and remembers what
// happened. See the README for a first session and ARCHITECTURE.md for the
// parts.
package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strings"

	"agentflow/app"
	"agentflow/app/open"
	"agentflow/cmd/agentflow/cli"
	"agentflow/cmd/agentflow/doors"
	"agentflow/cmd/agentflow/facts"
	"agentflow/cmd/agentflow/find"
	"agentflow/cmd/agentflow/help"
	"agentflow/cmd/agentflow/history"
	"agentflow/cmd/agentflow/setup"
	"agentflow/cmd/agentflow/sharing"
	"agentflow/cmd/agentflow/work"
	"agentflow/internal/cliflag"
	"agentflow/internal/terminal"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

func main() { os.Exit(run(context.Background(), os.Args[1:])) }

// run executes one command line and returns the exit code.
func run(ctx context.Context, args []string) int {
	c := &cli.Env{
		Voice:    cli.NewVoice(os.Stdout, os.Stderr, os.Getenv),
		In:       os.Stdin,
		InTTY:    term.IsTerminal(int(os.Stdin.Fd())),
		Environ:  os.Environ(),
		Commands: command,
	}
	ctx = cli.ObeySignals(ctx, c, func(err error) {
		c.Pager.Load().Kill()
		os.Exit(cli.Finish(c, err, jsonWanted(args)))
	})
	defer c.StopSignals()
	out := &terminal.Output{To: c.Out}
	c.Out = out
	err := execute(app.Listen(ctx, c.Hear), c, args)
	if err == nil && out.Err() != nil {
		err = fmt.Errorf("writing the output: %w", out.Err())
	}
	if err != nil {
		err = cmp.Or(cli.Interruption(context.Cause(ctx)), err)
	}
	return cli.Finish(c, err, jsonWanted(args))
}

// execute opens the memory of the current folder and runs the command.
func execute(ctx context.Context, c *cli.Env, args []string) (err error) {
	if c.Dir, err = os.Getwd(); err != nil {
		return fmt.Errorf("finding the current folder: %w", err)
	}
	if c.Memory, err = open.Open(ctx, c.Dir, app.Env{Vars: c.Environ, Program: setup.OwnProgram()}); err != nil {
		return err
	}
	defer c.Memory.Close()
	root := command(c)
	root.SetArgs(args)
	return root.ExecuteContext(ctx)
}

// jsonWanted looks for --json and --jq without parsing, for errors that come
// before or from the parsing.
func jsonWanted(args []string) bool {
	for _, arg := range args {
		name, value, given := strings.Cut(arg, "=")
		switch {
		case arg == "--":
			return false
		case name == "--jq", name == "--json" && (!given || value != "false"):
			return true
		}
	}
	return false
}

// command builds the tree of commands.
func command(c *cli.Env) *cobra.Command {
	var showVersion bool
	root := &cobra.Command{
		Use:   "agentflow",
		Short: "Run coding agents on a repository and remember what happened",
		Long: `AgentFlow gives coding agents a memory of your repository. 'agentflow connect'
makes the sessions remember that you hold with an agent yourself, 'agentflow run'
hands a task to an agent. Both give the agent what earlier work has to say about
a prompt, and append what was asked and changed to dated Markdown files in
.agentflow/memory. The files are the truth: read them, edit them.`,
		Example: `  agentflow connect
  agentflow run "Fix the flaky login test"
  agentflow search "flaky login"
  agentflow show last`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cli.NoCommand,

		SuggestionsMinimumDistance: 2,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if showVersion { // not cobra's: its template would link text/template, and 5 MB with it
				c.Printf("%s", help.VersionLine())
				return nil
			}
			return cmd.Help()
		},
	}
	root.Flags().BoolVarP(&showVersion, "version", "v", false, "print the version")
	root.SetOut(c.Out)
	root.SetErr(c.Err)
	root.SetIn(c.In)
	root.SetFlagErrorFunc(cli.FlagError)
	root.AddGroup(&cobra.Group{ID: "work", Title: "Work:"},
		&cobra.Group{ID: "memory", Title: "Memory:"}, &cobra.Group{ID: "setup", Title: "Set-up and health:"})
	add := func(group string, commands ...*cobra.Command) {
		for _, cmd := range commands {
			cmd.GroupID = group
			root.AddCommand(cmd)
		}
	}
	add("work", work.Run(c), doors.MCP(c), doors.Chat(c), c.Paged(history.Log(c)), c.Paged(history.Show(c)), c.Paged(history.Why(c)), c.Paged(history.Diff(c)), work.Undo(c), work.Worktree(c))
	add("memory", c.Paged(find.Search(c)), find.Recall(c), find.Preview(c), find.Files(c), facts.Remember(c), facts.Review(c), facts.Forget(c), facts.Pin(c), facts.Unpin(c), facts.Consolidate(c), facts.Extract(c), sharing.Share(c), sharing.Sync(c),
		facts.Memory(c), facts.Eval(c))
	add("setup", setup.Init(c), setup.Backfill(c), setup.Index(c), setup.Config(c), setup.Trust(c), setup.Hook(c), setup.Uninstall(c),
		setup.Watch(c), setup.Daemon(c), doors.Serve(c), setup.Connect(c), setup.Disconnect(c), doors.Session(c), setup.Schedule(c), setup.Status(c), setup.Doctor(c))
	add("setup", help.Version(c), help.Man(c))
	cliflag.SpellTags(root)
	root.SetCompletionCommandGroupID("setup")
	root.InitDefaultCompletionCmd()
	cli.Strict(root)
	root.AddCommand(help.Topics()...)
	root.AddCommand(help.Pages(root)...)
	root.SetHelpCommand(c.Paged(help.Help(root)))
	root.SetUsageTemplate(help.Folded(root.UsageTemplate()))
	root.SetHelpCommandGroupID("setup")
	return root
}
