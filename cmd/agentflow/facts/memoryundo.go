package facts

import (
	"strings"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/forget"
	"agentflow/app/propose"
	"agentflow/cmd/agentflow/cli"
	"agentflow/internal/cliflag"
	"agentflow/internal/plural"
	"agentflow/memory"

	"github.com/spf13/cobra"
)

func memoryUndoCommand(c *cli.Env) *cobra.Command {
	var yes, dryRun, list bool
	cmd := c.WithJSON("one JSON object: change, files, returns, leaves, as_before, left_out, stays, dry_run, undo; with --list: a list of changes", &cobra.Command{
		Use:   "undo [flags] [ID]",
		Short: "Take back what was remembered, edited, forgotten, imported or consolidated",
		Long: `Undo shows what taking a change of memory back would do, asks, and does it as one
change: what you remembered, edited, accepted or forgot, a consolidation or an import.
Without an id it takes the newest. A fact that replaced another goes, and the other
holds again. Facts of an import that were pinned or edited by a command since stay, and
facts that were forgotten since stay away; a remembered fact that was changed since is
refused, and so is a file that was edited by hand at the same place. An undo can be
taken back too, and, by its id, what an agent took away with the memory tool. What an
agent stored, edited or forgot is not listed: 'forget' and 'memory restore' take that
back. The last ten changes of each command are kept.`,
		Example: "  agentflow memory undo --dry-run\n  agentflow memory undo --list\n  agentflow memory undo 3f9a1c --yes",
		Args:    cliflag.AtMost(1, "one change's id, or none"),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) (out []string, _ cobra.ShellCompDirective) {
			if done, err := forget.MemoryChanges(app.Listen(cmd.Context(), nil), c.Memory); err == nil && len(args) == 0 {
				for _, m := range done.Changes {
					out = append(out, memory.ShortID(m.ID)+"\t"+cli.CleanLine(m.Title))
				}
			}
			return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if list {
				done, err := forget.MemoryChanges(cmd.Context(), c.Memory)
				return c.Result(err, done.Changes, func() {
					for _, m := range done.Changes {
						c.Printf("%s  %s  %s%s\n", c.Dim(memory.ShortID(m.ID)), m.Time.Local().Format("2006-01-02 15:04"), cli.CleanLine(m.Title), map[bool]string{true: ", taken back"}[m.Undone])
					}
				})
			}
			return memoryUndo(c, cmd, strings.Join(args, ""), yes, dryRun)
		},
	})
	cmd.Flags().BoolVarP(&dryRun, "dry-run", "n", false, "only show what it would do")
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	cmd.Flags().BoolVar(&list, "list", false, "list what can be taken back")
	return cmd
}

// memoryUndo shows the plan, asks, and applies it.
func memoryUndo(c *cli.Env, cmd *cobra.Command, id string, yes, dryRun bool) error {
	plan, err := forget.PlanMemoryUndo(cmd.Context(), c.Memory, forget.MemoryUndoRequest{ID: id})
	if err != nil {
		return err
	}
	printMemoryUndo(c, plan.MemoryUndo)
	if dryRun {
		return c.Result(nil, plan.MemoryUndo, func() {})
	}
	if err := c.Confirm("take this back?", yes); err != nil {
		return err
	}
	done, err := propose.ApplyMemoryUndo(cmd.Context(), c.Memory, plan)
	again := "'agentflow memory undo " + memory.ShortID(done.Undo) + "' makes it again"
	return c.Result(err, done.MemoryUndo, func() { c.Say("took back the %s; %s", cli.CleanLine(plan.Change.Title), again) })
}

// sayUndo names the way back from a change of memory that has this id.
func sayUndo(c *cli.Env, id string) {
	if id != "" {
		c.Say("take it back with 'agentflow memory undo'")
	}
}

// printMemoryUndo prints the effects of undoing a change.
func printMemoryUndo(c *cli.Env, u api.MemoryUndo) {
	c.Say("%s  %s; in %s: %s", memory.ShortID(u.Change.ID), cli.CleanLine(u.Change.Title), plural.Count(len(u.Files), "file"), strings.Join(u.Files[:min(len(u.Files), maxTold)], ", "))
	for i, entries := range [][]api.Entry{u.Returns, u.Leaves, u.AsBefore, u.LeftOut, u.Stays} {
		what := []string{"comes back", "goes      ", "as before ", "stays away", "stays     "}[i]
		for _, e := range entries[:min(len(entries), maxTold)] {
			c.Say("%s  %s  %s  (%s)", what, memory.ShortID(e.ID), cli.CleanLine(e.Title), e.File)
		}
		if more := len(entries) - maxTold; more > 0 {
			c.Say("%s  %d more; --json lists them", what, more)
		}
	}
}
