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
	"agentflow/internal/cliflag"
	"agentflow/internal/terminal"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

func main() { os.Exit(run(context.Background(), os.Args[1:])) }

// run executes one command line and returns the exit code.
func run(ctx context.Context, args []string) int {
	c := &cli{
		voice:    newVoice(os.Stdout, os.Stderr, os.Getenv),
		in:       os.Stdin,
		inTTY:    term.IsTerminal(int(os.Stdin.Fd())),
		environ:  os.Environ(),
		commands: command,
	}
	ctx = obeySignals(ctx, c, func(err error) {
		c.pager.Load().Kill()
		os.Exit(finish(c, err, jsonWanted(args)))
	})
	defer c.stopSignals()
	out := &terminal.Output{To: c.out}
	c.out = out
	err := execute(app.Listen(ctx, c.hear), c, args)
	if err == nil && out.Err() != nil {
		err = fmt.Errorf("writing the output: %w", out.Err())
	}
	if err != nil {
		err = cmp.Or(interruption(context.Cause(ctx)), err)
	}
	return finish(c, err, jsonWanted(args))
}

// execute opens the memory of the current folder and runs the command.
func execute(ctx context.Context, c *cli, args []string) (err error) {
	if c.dir, err = os.Getwd(); err != nil {
		return fmt.Errorf("finding the current folder: %w", err)
	}
	if c.memory, err = open.Open(ctx, c.dir, app.Env{Vars: c.environ, Program: ownProgram()}); err != nil {
		return err
	}
	defer c.memory.Close()
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
func command(c *cli) *cobra.Command {
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
		Args:          noCommand,

		SuggestionsMinimumDistance: 2,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if showVersion { // not cobra's: its template would link text/template, and 5 MB with it
				c.printf("%s", versionLine())
				return nil
			}
			return cmd.Help()
		},
	}
	root.Flags().BoolVarP(&showVersion, "version", "v", false, "print the version")
	root.SetOut(c.out)
	root.SetErr(c.err)
	root.SetIn(c.in)
	root.SetFlagErrorFunc(flagError)
	root.AddGroup(&cobra.Group{ID: "work", Title: "Work:"},
		&cobra.Group{ID: "memory", Title: "Memory:"}, &cobra.Group{ID: "setup", Title: "Set-up and health:"})
	add := func(group string, commands ...*cobra.Command) {
		for _, cmd := range commands {
			cmd.GroupID = group
			root.AddCommand(cmd)
		}
	}
	add("work", runCommand(c), mcpCommand(c), chatCommand(c), c.paged(logCommand(c)), c.paged(showCommand(c)), c.paged(whyCommand(c)), c.paged(diffCommand(c)), undoCommand(c), worktreeCommand(c))
	add("memory", c.paged(searchCommand(c)), recallCommand(c), previewCommand(c), filesCommand(c), rememberCommand(c), reviewCommand(c), forgetCommand(c), pinCommand(c), unpinCommand(c), consolidateCommand(c), extractCommand(c), shareCommand(c), syncCommand(c),
		memoryCommand(c), evalCommand(c))
	add("setup", initCommand(c), backfillCommand(c), indexCommand(c), configCommand(c), trustCommand(c), hookCommand(c), uninstallCommand(c),
		watchCommand(c), daemonCommand(c), serveCommand(c), connectCommand(c), disconnectCommand(c), sessionCommand(c), scheduleCommand(c), statusCommand(c), doctorCommand(c))
	add("setup", versionCommand(c), manCommand(c))
	cliflag.SpellTags(root)
	root.SetCompletionCommandGroupID("setup")
	root.InitDefaultCompletionCmd()
	strict(root)
	root.AddCommand(topics()...)
	root.AddCommand(pages(root)...)
	root.SetHelpCommand(c.paged(helpCommand(root)))
	root.SetUsageTemplate(folded(root.UsageTemplate()))
	root.SetHelpCommandGroupID("setup")
	return root
}
