package app

import (
	"context"
	"errors"
	"fmt"

	"agentflow/config"
	"agentflow/gitwatch/hook"

	"github.com/spf13/cobra"
)

// hookCommand groups the verbs that tend git's hooks.
func (a *operation) hookCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "hook",
		Short: "Let git tell of each commit: install, uninstall, status",
		Long: `With hooks installed, git notes every commit, amend and rebase the moment it is
made, so that memory knows of commits that no run made. A hook is a shell
script that appends one line to a file in the git directory: it starts no
program, never fails and never keeps a commit waiting. Hooks that are there
already go on working.`,
		Args: NoCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.hookInstallCommand(), a.hookUninstallCommand(), a.hookStatusCommand())
	return cmd
}

func (a *operation) hookInstallCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "install",
		Short: "Put hooks for commit, amend and rebase into this repository",
		Long: `Install puts a post-commit and a post-rewrite hook where git looks for them, for
all work trees, also where core.hooksPath names another folder. A hook that is
there is kept as HOOK.before-agentflow and runs afterwards. Beside husky and
pre-commit the hooks go where these leave them alone; what lefthook and
overcommit need in their settings is printed. It may be run again at any time.
While something is left that only you can do, it exits with 1.`,
		Example: "  agentflow hook install\n  agentflow hook status",
		Args:    exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			place, err := a.gitPlace()
			if err != nil {
				return err
			}
			spots, err := hook.Install(cmd.Context(), place)
			if err == nil {
				err = beginNoting(place.CommonDir, place.State())
			}
			if asJSON {
				err = errors.Join(err, a.json(filled(spots)))
			} else {
				a.printSpots(spots)
			}
			return errors.Join(err, leftToDo(spots))
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON list of the hooks as they are then")
	return cmd
}

func (a *operation) hookUninstallCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "uninstall",
		Short: "Take the hooks out and put back what was there",
		Long: `Uninstall takes the hooks out and puts back, byte for byte, what was there
before. A hook that somebody changed since is left as it is, and named.`,
		Example: "  agentflow hook uninstall",
		Args:    exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			place, err := a.gitPlace()
			if err != nil {
				return err
			}
			found, err := a.takeHooksOut(cmd.Context(), place)
			if !found && err == nil {
				a.say("no hooks were installed")
			}
			return err
		},
	}
}

func (a *operation) hookStatusCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
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
		Args:    exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			place, err := a.gitPlace()
			if err != nil {
				return err
			}
			spots, err := hook.Look(cmd.Context(), place)
			if asJSON {
				return errors.Join(err, a.json(filled(spots)))
			}
			a.printSpots(spots)
			if trouble := missedNote(place); trouble != "" {
				a.warn("%s", trouble)
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON list: hook, state, path, worktrees, manager, chained, shared, detail, add, add_to")
	return cmd
}

// gitPlace is the repository the command is run in.
func (a *operation) gitPlace() (config.Place, error) {
	place, _, err := a.here()
	if err == nil && place.CommonDir == "" {
		err = &Error{Kind: KindNoPlace, Err: fmt.Errorf("looking for hooks in %s: %w", place.Worktree, hook.ErrNoGit), Hint: "run 'git init' first"}
	}
	return place, err
}

// takeHooksOut uninstalls the hooks and says what that did, if there were any.
func (a *operation) takeHooksOut(ctx context.Context, place config.Place) (found bool, err error) {
	gone, left, err := hook.Uninstall(ctx, place)
	err = errors.Join(err, endNoting(place.State()))
	for _, path := range gone {
		a.say("took out %s", path)
	}
	for _, l := range left {
		a.warn("left %s: %s", l.Path, l.Why)
	}
	return len(gone)+len(left) > 0, err
}
