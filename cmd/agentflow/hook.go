package main

import (
	"errors"
	"fmt"
	"strings"

	"agentflow/app/api"
	"agentflow/app/commit"
	"agentflow/memory"

	"github.com/spf13/cobra"
)

func hookCommand(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "hook",
		Short: "Make git record each commit: install, uninstall, status",
		Long: `With hooks installed, git notes every commit, amend and rebase, so that memory
knows of commits that no run made. A hook appends one line to a file: it starts no
program, never fails and never keeps a commit waiting. Other hooks go on working.`,
	}
	cmd.AddCommand(hookInstallCommand(c), hookUninstallCommand(c), hookStatusCommand(c))
	return cmd
}

func hookInstallCommand(c *cli) *cobra.Command {
	return c.withJSON("one JSON list of the hooks as they are then", &cobra.Command{
		Use:   "install",
		Short: "Put hooks for commit, amend and rebase into this repository",
		Long: `Install puts a post-commit and a post-rewrite hook where git looks for them, for
all work trees, also where core.hooksPath names another folder. A hook that is
there is kept as HOOK.before-agentflow and runs afterwards. Beside husky and
pre-commit the hooks go where these leave them alone; what lefthook and
overcommit need in their settings is printed. It may be run again at any time.
While something is left that only you can do, it exits with 1.`,
		Example: "  agentflow hook install\n  agentflow hook status",
		RunE: func(cmd *cobra.Command, _ []string) error {
			found, err := commit.InstallHooks(cmd.Context(), c.memory)
			return errors.Join(err, printHooks(c, found))
		},
	})
}

func hookUninstallCommand(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:   "uninstall",
		Short: "Take the hooks out and put back what was there",
		Long: `Uninstall takes the hooks out and puts back, byte for byte, what was there
before. A hook that somebody changed since is left as it is, and named.`,
		Example: "  agentflow hook uninstall",
		RunE: func(cmd *cobra.Command, _ []string) error {
			gone, err := commit.UninstallHooks(cmd.Context(), c.memory)
			printUnhooked(c, gone)
			if err == nil && len(gone.Removed)+len(gone.Left) == 0 {
				c.say("no hooks were installed")
			}
			return err
		},
	}
}

func hookStatusCommand(c *cli) *cobra.Command {
	return c.withJSON("one JSON list: hook, state, path, worktrees, manager, chained, shared, detail, add, add_to", &cobra.Command{
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
			found, err := commit.Hooks(cmd.Context(), c.memory)
			return errors.Join(err, printHooks(c, found))
		},
	})
}

// printHooks lists hooks, and the steps that remain for the user. It prints nothing if
// the hooks could not be searched.
func printHooks(c *cli, found commit.HooksResult) error {
	if found.Hooks == nil {
		return nil
	}
	return c.result(nil, found.Hooks, func() {
		for _, h := range found.Hooks {
			printHook(c, h)
		}
		if found.Missed != "" {
			c.warn("%s", found.Missed)
		}
	})
}

func printHook(c *cli, h api.Hook) {
	colour := ""
	switch h.State {
	case "missing", "broken", "to be done", "off":
		colour = "33"
	}
	c.printf("%s  %-12s  %s\n", c.style(colour, fmt.Sprintf("%-10s", h.State)), h.Hook, cleanLine(h.Path))
	more := func(said bool, format string, args ...any) {
		if said {
			c.printf("            %s\n", c.dim(cleanLine(fmt.Sprintf(format, args...))))
		}
	}
	more(h.Chained != "", "goes on to %s", h.Chained)
	more(h.Manager != "", "beside %s", h.Manager)
	more(h.Shared, "other repositories use this folder too; there it does nothing unless they use agentflow")
	more(h.Detail != "", "%s", h.Detail)
	more(h.Add != "", "add to %s:", h.AddTo)
	for line := range strings.Lines(h.Add) {
		c.printf("              %s\n", memory.Clean(strings.TrimSuffix(line, "\n")))
	}
}

// printUnhooked prints what became of the installed hooks.
func printUnhooked(c *cli, gone commit.UninstallHooksResult) {
	for _, path := range gone.Removed {
		c.say("took out %s", path)
	}
	for _, left := range gone.Left {
		c.warn("left %s: %s", left.Path, left.Why)
	}
}
