// Package setup has the commands that set up a repository and check it: connect, init, backfill, index, config, trust,
// hook, watch, daemon, schedule, status, doctor, uninstall.
package setup

import (
	"context"
	"fmt"
	"strings"

	"agentflow/app/commit"
	"agentflow/app/settle"
	"agentflow/app/setup"
	"agentflow/cmd/agentflow/cli"
	"agentflow/internal/plural"

	"github.com/spf13/cobra"
)

// Init returns the command init.
func Init(c *cli.Env) *cobra.Command {
	return &cobra.Command{
		Use:   "init",
		Short: "Make a memory in this repository or folder",
		Long: `Init makes .agentflow with an empty memory and a settings file, and overwrites
nothing. A first 'agentflow run' in a git repository makes .agentflow by itself,
without a settings file.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			made, err := setup.Init(cmd.Context(), c.Memory)
			if err != nil {
				return err
			}
			if !made.Made {
				c.Say("memory is already in %s; nothing was changed", made.Root)
				return nil
			}
			ignored := ""
			if made.Ignored {
				ignored = " (git ignores it)"
			}
			c.Say("made a private memory in %s%s", made.Root, ignored)
			c.Hint("'agentflow run TASK' runs an agent and remembers; 'agentflow doctor' checks the set-up")
			return offerBackfill(cmd.Context(), c, made.Commits)
		},
	}
}

// offerBackfill asks on a terminal whether a new memory shall take in the
// history. Elsewhere it prints how to do that.
func offerBackfill(ctx context.Context, c *cli.Env, commits int) error {
	switch {
	case commits == 0:
		return nil
	case !(c.InTTY && c.ErrTTY):
		c.Hint("'agentflow backfill' takes the history into memory, the last %s at first", plural.Count(settle.BackfillLast, "commit"))
		return nil
	case !c.Agreed(fmt.Sprintf("Take the last %s of the history into memory?", plural.Count(commits, "commit"))):
		return nil
	}
	return backfill(ctx, c, commit.BackfillRequest{Last: settle.BackfillLast})
}

// Uninstall returns the command uninstall.
func Uninstall(c *cli.Env) *cobra.Command {
	var req setup.UninstallRequest
	var yes, dryRun bool
	cmd := &cobra.Command{
		Use:   "uninstall [flags]",
		Short: "Remove AgentFlow from this repository",
		Long: `Uninstall removes the index, the log, the run folders, what starts a daemon and
this repository's trust, and takes its git hooks out. The Markdown and the settings
stay unless --memory is given. Work trees and branches of runs stay, and are named.
So do the connections of agents, which 'agentflow disconnect' takes out.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return uninstall(cmd.Context(), c, req, yes, dryRun) },
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	cmd.Flags().BoolVarP(&dryRun, "dry-run", "n", false, "only show what would go")
	cmd.Flags().BoolVar(&req.Memory, "memory", false, "remove the memory itself too")
	return cmd
}

func uninstall(ctx context.Context, c *cli.Env, req setup.UninstallRequest, yes, dryRun bool) error {
	req.DryRun = dryRun
	plan, err := setup.PlanUninstall(ctx, c.Memory, req)
	if err != nil {
		return err
	}
	for _, path := range plan.Paths {
		c.Say("removes %s", path)
	}
	for _, path := range plan.Hooks {
		c.Say("takes out %s", path)
	}
	for _, t := range plan.Worktrees {
		c.Say("leaves work tree %s on branch %s; when it is merged: %s", t.Path, t.Branch, t.Remove)
	}
	for _, folder := range plan.Hooked {
		c.Say("leaves the git hooks of %s: 'agentflow uninstall' there takes them out", c.FromHome(folder))
	}
	if len(plan.Connected) > 0 {
		c.Say("leaves %s connected: the next session here makes a memory again, unless 'agentflow disconnect' is run", strings.Join(plan.Connected, " and "))
	}
	if plan.Entries+plan.Facts > 0 {
		c.Say("with the memory, %s and %s go for good; 'agentflow memory export -o FILE' keeps a copy", plural.Count(plan.Entries, "entry"), plural.Count(plan.Facts, "fact"))
	}
	if dryRun {
		return nil
	}
	if err := c.Confirm("remove this?", yes); err != nil {
		return err
	}
	done, err := setup.ApplyUninstall(ctx, c.Memory, plan)
	printUnhooked(c, done.Hooks)
	switch {
	case err != nil:
		return err
	case req.Memory:
		c.Say("removed")
	default:
		c.Say("removed; memory stays in %s", plan.Memory)
		c.Hint("'agentflow uninstall --memory' removes that too")
	}
	return nil
}
