package setup

import (
	"errors"
	"fmt"
	"strings"

	"agentflow/app/api"
	"agentflow/app/commit"
	"agentflow/cmd/agentflow/cli"
	"agentflow/memory"

	"github.com/spf13/cobra"
)

// Hook returns the command hook.
func Hook(c *cli.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "hook",
		Short: "Make git record each commit: install, uninstall, status",
		Long: `With hooks installed, git notes every commit, amend and rebase, so that memory
knows of commits that no run made. A hook appends one line to a file: it starts no
program, never fails and never keeps a commit waiting. Other hooks keep working.`,
	}
	cmd.AddCommand(hookInstallCommand(c), hookUninstallCommand(c), hookStatusCommand(c))
	return cmd
}

func hookInstallCommand(c *cli.Env) *cobra.Command {
	return c.WithJSON("one JSON list of the hooks as they are then", &cobra.Command{
		Use:   "install",
		Short: "Put hooks for commit, amend and rebase into this repository",
		Long: `Install puts a post-commit and a post-rewrite hook where git looks for them, for
all work trees, also where core.hooksPath names another folder. A hook that is
there is kept as HOOK.before-agentflow and runs afterwards. With husky and
pre-commit the hooks go where these do not touch them; the settings that lefthook
and overcommit need are printed. It may be run again at any time.
Exits 1 if a manual step remains.`,
		Example: "  agentflow hook install\n  agentflow hook status",
		RunE: func(cmd *cobra.Command, _ []string) error {
			found, err := commit.InstallHooks(cmd.Context(), c.Memory)
			return errors.Join(err, printHooks(c, found))
		},
	})
}

func hookUninstallCommand(c *cli.Env) *cobra.Command {
	return &cobra.Command{
		Use:   "uninstall",
		Short: "Take the hooks out and put back what was there",
		Long: `Uninstall takes the hooks out and puts back, byte for byte, what was there
before. A hook that somebody changed since is left as it is, and named.`,
		Example: "  agentflow hook uninstall",
		RunE: func(cmd *cobra.Command, _ []string) error {
			gone, err := commit.UninstallHooks(cmd.Context(), c.Memory)
			printUnhooked(c, gone)
			if err == nil && len(gone.Removed)+len(gone.Left) == 0 {
				c.Say("no hooks were installed")
			}
			return err
		},
	}
}

func hookStatusCommand(c *cli.Env) *cobra.Command {
	return c.WithJSON("one JSON list: hook, state, path, worktrees, manager, chained, shared, detail, add, add_to", &cobra.Command{
		Use:   "status",
		Short: "Show which hooks are installed, and whether git runs them",
		Long: `Status shows each hook in each folder where git looks for hooks:

  installed   git runs it
  outdated    it works, and 'agentflow hook install' makes it new
  changed     somebody edited it since it was installed
  by hand     another hook or a hook manager's settings call it
  missing     'agentflow hook install' puts it there
  broken      it is there to no effect; 'agentflow hook install' puts it right
  to be done  only you can put it there: what to add, and where, is printed
  off         git runs no hooks there at all`,
		Example: "  agentflow hook status --json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			found, err := commit.Hooks(cmd.Context(), c.Memory)
			return errors.Join(err, printHooks(c, found))
		},
	})
}

// printHooks lists hooks, and the steps that remain for the user. It prints nothing if
// the hooks could not be searched.
func printHooks(c *cli.Env, found commit.HooksResult) error {
	if found.Hooks == nil {
		return nil
	}
	return c.Result(nil, found.Hooks, func() {
		for _, h := range found.Hooks {
			printHook(c, h)
		}
		if found.Missed != "" {
			c.Warn("%s", found.Missed)
		}
	})
}

func printHook(c *cli.Env, h api.Hook) {
	colour := ""
	switch h.State {
	case "missing", "broken", "to be done", "off":
		colour = "33"
	}
	c.Printf("%s  %-12s  %s\n", c.Style(colour, fmt.Sprintf("%-10s", h.State)), h.Hook, cli.CleanLine(h.Path))
	more := func(said bool, format string, args ...any) {
		if said {
			c.Printf("            %s\n", c.Dim(cli.CleanLine(fmt.Sprintf(format, args...))))
		}
	}
	more(h.Chained != "", "then runs %s", h.Chained)
	more(h.Manager != "", "with %s", h.Manager)
	more(h.Shared, "other repositories use this folder too; there it does nothing unless they use agentflow")
	more(h.Detail != "", "%s", h.Detail)
	more(h.Add != "", "add to %s:", h.AddTo)
	for line := range strings.Lines(h.Add) {
		c.Printf("              %s\n", memory.Clean(strings.TrimSuffix(line, "\n")))
	}
}

// printUnhooked prints what became of the installed hooks.
func printUnhooked(c *cli.Env, gone commit.UninstallHooksResult) {
	for _, path := range gone.Removed {
		c.Say("took out %s", path)
	}
	for _, left := range gone.Left {
		c.Warn("left %s: %s", left.Path, left.Why)
	}
}
