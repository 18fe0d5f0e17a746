package facts

import (
	"os"
	"strings"

	"agentflow/app/fact"
	"agentflow/cmd/agentflow/cli"
	"agentflow/cmd/agentflow/find"
	"agentflow/internal/cliflag"
	"agentflow/internal/editor"
	"agentflow/memory"

	"github.com/spf13/cobra"
)

// Memory groups the commands that tend memory itself.
func Memory(c *cli.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "memory",
		Short: "Tend memory itself: list, edit, contradictions, stats, export, import, restore, undo",
	}
	cmd.AddCommand(c.Paged(memoryListCommand(c)), memorySimilarCommand(c), memoryContradictionsCommand(c), memoryStatsCommand(c), memoryEditCommand(c), restoreCommand(c), memoryExportCommand(c), memoryImportCommand(c), memoryUndoCommand(c), memoryUpgradeCommand(c))
	for _, same := range []*cobra.Command{Remember(c), Forget(c), find.Recall(c), find.Search(c)} {
		same.Hidden = true // the top level has them
		cmd.AddCommand(same)
	}
	return cmd
}

func memoryEditCommand(c *cli.Env) *cobra.Command {
	return c.WithJSON("one JSON object of the memory", &cobra.Command{
		Use:   "edit [flags] ID|last",
		Short: "Change a fact in your editor",
		Long: `Edit opens the text of a fact, below its attributes, in $VISUAL or $EDITOR, and
replaces it in the Markdown by the text you save. If you take out the line of an
attribute, it stays as it is; if you leave it empty, it is taken away. If the fact was
edited by hand meanwhile, the edit counts, and your text is kept for another try.`,
		Example: "  agentflow memory edit 3f9a1c\n  EDITOR='code --wait' agentflow memory edit last",
		Args:    cliflag.Exactly(1, "the id of a fact, or 'last'"),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, a2 string) ([]string, cobra.ShellCompDirective) {
			return completeFacts(c, cmd, args, a2)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, err := editor.Command(cmd.Context(), os.Stdin, os.Stderr); err != nil {
				return cli.EditorError(err)
			}
			done, err := fact.Edit(cmd.Context(), c.Memory, fact.EditRequest{ID: args[0], Editor: cli.EditFile})
			if err != nil {
				return err
			}
			if done.Changed {
				var places []string
				for _, place := range done.Places {
					places = append(places, c.At(place))
				}
				c.Say("changed %s in %s", memory.ShortID(done.Fact.ID), strings.Join(places, ", "))
			} else {
				c.Say("nothing was changed")
			}
			for _, place := range done.Others {
				c.Warn("another fact with the id %s is in %s: it is left as it is", memory.ShortID(done.Fact.ID), c.At(place))
			}
			return c.Result(nil, done.Fact, func() {})
		},
	})
}
