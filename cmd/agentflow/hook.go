package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"agentflow/config"
	"agentflow/gitwatch/hook"
	"agentflow/memory"

	"github.com/spf13/cobra"
)

// hookCommand groups the verbs that tend git's hooks.
func (a *app) hookCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "hook",
		Short: "Let git tell of each commit: install, uninstall, status",
		Long: `With hooks installed, git notes every commit, amend and rebase the moment it is
made, so that memory knows of commits that no run made. A hook is a shell
script that appends one line to a file in the git directory: it starts no
program, never fails and never keeps a commit waiting. Hooks that are there
already go on working.`,
		Args: noVerb,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.hookInstallCommand(), a.hookUninstallCommand(), a.hookStatusCommand())
	return cmd
}

func (a *app) hookInstallCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "install",
		Short: "Put hooks for commit, amend and rebase into this repository",
		Long: `Install puts a post-commit and a post-rewrite hook where git looks for them, for
all work trees, also where core.hooksPath names another folder. A hook that is
there is kept as HOOK.before-agentflow and runs afterwards. Beside husky and
pre-commit the hooks go where these leave them alone; what lefthook and
overcommit need in their settings is printed. It may be run again at any time.`,
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
				return errors.Join(err, a.json(filled(spots)))
			}
			a.printSpots(spots)
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON list of the hooks as they are then")
	return cmd
}

func (a *app) hookUninstallCommand() *cobra.Command {
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
			return a.takeHooksOut(cmd.Context(), place)
		},
	}
}

func (a *app) hookStatusCommand() *cobra.Command {
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
func (a *app) gitPlace() (config.Place, error) {
	place, _, err := a.here()
	if err == nil && place.CommonDir == "" {
		err = codedError{code: exitNoPlace, err: fmt.Errorf("looking for hooks in %s: %w", place.Worktree, hook.ErrNoGit), hint: "run 'git init' first"}
	}
	return place, err
}

// takeHooksOut uninstalls the hooks and says what that did.
func (a *app) takeHooksOut(ctx context.Context, place config.Place) error {
	gone, left, err := hook.Uninstall(ctx, place)
	err = errors.Join(err, endNoting(place.State()))
	for _, path := range gone {
		a.say("took out %s", path)
	}
	for _, l := range left {
		a.warn("left %s: %s", l.Path, l.Why)
	}
	if len(gone) == 0 && len(left) == 0 && err == nil {
		a.say("no hooks were installed")
	}
	return err
}

// printSpots lists hooks, and what is to be done about them.
func (a *app) printSpots(spots []hook.Spot) {
	colours := map[hook.State]string{hook.Missing: "33", hook.Broken: "33", hook.Wanted: "33", hook.Off: "33"}
	for _, s := range spots {
		a.printf("%s  %-12s  %s\n", a.style(colours[s.State], fmt.Sprintf("%-10s", s.State)), s.Hook, cleanLine(s.Path))
		more := func(format string, args ...any) {
			a.printf("            %s\n", a.dim(cleanLine(fmt.Sprintf(format, args...))))
		}
		if s.Chained != "" {
			more("goes on to %s", s.Chained)
		}
		if s.Manager != "" {
			more("beside %s", s.Manager)
		}
		if s.Shared {
			more("other repositories use this folder too; there it does nothing unless they use agentflow")
		}
		if s.Detail != "" {
			more("%s", s.Detail)
		}
		if s.Add != "" {
			more("add to %s:", s.AddTo)
			for line := range strings.Lines(s.Add) {
				a.printf("              %s\n", memory.Clean(strings.TrimSuffix(line, "\n")))
			}
		}
	}
}

// missedNote says when a hook could not note a commit; empty when none is
// known.
func missedNote(place config.Place) string {
	at, missed := hook.Missed(place.State())
	if !missed {
		return ""
	}
	return fmt.Sprintf("a hook could not note a commit at %s, because %s cannot be written or is full; git's reflog has it",
		at.Local().Format("2006-01-02 15:04"), filepath.Join(place.State(), "hook"))
}

// hooks are the hooks of this repository, when there ever were any: git is
// not asked otherwise.
func (s *site) hooks(ctx context.Context) ([]hook.Spot, error) {
	if _, err := os.Stat(filepath.Join(s.State(), "hook")); err != nil || s.CommonDir == "" {
		return nil, nil
	}
	return hook.Look(ctx, s.Place)
}

// hooksLine tells of the hooks in a line.
func hooksLine(spots []hook.Spot) string {
	if len(spots) == 0 {
		return "none; 'agentflow hook install' lets git tell of each commit"
	}
	states := map[hook.State][]string{}
	var order []hook.State
	for _, s := range spots {
		if states[s.State] == nil {
			order = append(order, s.State)
		}
		states[s.State] = append(states[s.State], s.Hook)
	}
	var parts []string
	for _, state := range order {
		parts = append(parts, strings.Join(states[state], ", ")+" "+string(state))
	}
	line := strings.Join(parts, "; ")
	if len(order) > 1 || !order[0].Works() {
		line += "; 'agentflow hook status' says more"
	}
	return line
}

// checkHooks is the doctor's line about hooks that were installed.
func checkHooks(spots []hook.Spot) check {
	c := check{"hooks", gradeOK, hooksLine(spots), ""}
	for _, s := range spots {
		if !s.State.Works() {
			c.Grade, c.Hint = gradeWarn, "'agentflow hook status' says what is to be done"
		}
	}
	return c
}
