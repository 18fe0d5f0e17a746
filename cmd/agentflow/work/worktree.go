package work

import (
	"cmp"
	"strings"

	"agentflow/app/worktree"
	"agentflow/cmd/agentflow/cli"
	"agentflow/internal/cliflag"
	"agentflow/internal/plural"
	"agentflow/memory"

	"github.com/spf13/cobra"
)

// Worktree groups the commands for the work trees of runs.
func Worktree(c *cli.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "worktree",
		Short: "Take over and remove the work trees of runs: list, merge, rm",
	}
	cmd.AddCommand(worktreeListCommand(c), worktreeMergeCommand(c), worktreeRemoveCommand(c))
	return cmd
}

func worktreeListCommand(c *cli.Env) *cobra.Command {
	return c.WithJSON("one JSON list: ref, run, task, started_at, branch, path, state, uncommitted, ignored, ahead, merged_into, note", &cobra.Command{
		Use:   "list [flags]",
		Short: "List the work trees of runs, and their state",
		Long: `List shows the work trees that 'run --worktree' and 'run --parallel' made and that
are still there, and the branches of those that are not, the last used first.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			res, err := worktree.Worktrees(cmd.Context(), c.Memory, worktree.WorktreesRequest{})
			return c.Result(err, res.Worktrees, func() {
				if len(res.Worktrees) == 0 {
					c.Say("no run has a work tree")
				}
				for i, t := range res.Worktrees {
					when := strings.Repeat(" ", len(cli.Minute))
					if t.StartedAt != nil {
						when = t.StartedAt.Local().Format(cli.Minute)
					}
					c.Printf("%s  %s  %s  (%s)\n", c.Dim(cli.CleanLine(t.Ref)), when, c.Bold(memory.Title(t.Task)), cli.CleanLine(res.Stand[i]))
					c.Printf("        %s  %s\n", cmp.Or(c.At(t.Path), "no work tree"), c.Dim(cli.CleanLine(cmp.Or(t.Branch, "no branch"))))
				}
			})
		},
	})
}

func worktreeMergeCommand(c *cli.Env) *cobra.Command {
	var req worktree.MergeWorktreeRequest
	cmd := c.WithJSON("one JSON object: branch, into, commits, commit, concluded", &cobra.Command{
		Use:   "merge [flags] RUN|BRANCH|PATH|last",
		Short: "Merge a run's branch into the branch that is checked out here",
		Long: `Merge lets git merge the branch of a run, with your settings and hooks. It refuses
and changes nothing here while the run is active, while its work tree holds
uncommitted files (--commit commits them), where both sides changed the same lines,
and where uncommitted files of yours are in the way. Work tree and branch stay.`,
		Example: "  agentflow worktree merge 3f9a1c\n  agentflow worktree merge last --commit",
		Args:    cliflag.Exactly(1, "a run's id, its branch, or 'last'"),
		ValidArgsFunction: func(cmd *cobra.Command, a1 []string, a2 string) ([]string, cobra.ShellCompDirective) {
			return completeWorktrees(c, cmd, a1, a2)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			req.Ref = args[0]
			res, err := worktree.MergeWorktree(cmd.Context(), c.Memory, req)
			return c.Result(err, res.MergedWorktree, func() {
				c.Printf("%s", memory.Clean(res.Said))
				switch {
				case !res.Concluded:
					c.Warn("your git settings leave the commit to you: 'git commit' ends the merge of %s", res.Branch)
					return
				case res.Commits == 0:
					c.Say("%s has all of %s already", res.Into, res.Branch)
				default:
					c.Say("merged %s of %s into %s", plural.Count(res.Commits, "commit"), res.Branch, res.Into)
				}
				c.Hint("'agentflow worktree rm %s' removes it", res.Ref)
			})
		},
	})
	cmd.Flags().BoolVar(&req.Commit, "commit", false, "first commit all that is not committed in the run's work tree")
	return cmd
}

func worktreeRemoveCommand(c *cli.Env) *cobra.Command {
	var req worktree.RemoveWorktreesRequest
	cmd := c.WithJSON("one JSON list: path, branch, commit, lost", &cobra.Command{
		Use:   "rm [flags] RUN|BRANCH|PATH|last…",
		Short: "Remove work trees of runs, with their branches",
		Long: `Rm removes the work trees that are named, and the branches that were made with
them; with --merged all that are merged and clean. It refuses where something would
be lost, and says what; --force removes that too. A branch that you named stays.
Ignored files are deleted, unless the run left nothing else.`,
		Example: "  agentflow worktree rm 3f9a1c\n  agentflow worktree rm --merged",
		ValidArgsFunction: func(cmd *cobra.Command, a1 []string, a2 string) ([]string, cobra.ShellCompDirective) {
			return completeWorktrees(c, cmd, a1, a2)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			req.Refs = args
			res, err := worktree.RemoveWorktrees(cmd.Context(), c.Memory, req)
			for _, line := range res.InWords {
				c.Say("%s", line)
			}
			return c.Result(err, res.Removed, func() {})
		},
	})
	cmd.Flags().BoolVar(&req.Merged, "merged", false, "all that are merged and clean")
	cmd.Flags().BoolVar(&req.Force, "force", false, "remove it even if changes or commits are lost; never while the run is active")
	return cmd
}

// completeWorktrees offers the work trees of runs.
func completeWorktrees(c *cli.Env, cmd *cobra.Command, _ []string, _ string) (out []string, _ cobra.ShellCompDirective) {
	for _, t := range worktree.WorktreeNames(cmd.Context(), c.Memory) {
		out = append(out, t.ID+"\t"+cli.CleanLine(t.Title))
	}
	return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}
