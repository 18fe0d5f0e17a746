package app

import (
	"github.com/spf13/cobra"
)

func (a *operation) evalCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "eval",
		Short: "Measure how good recall is",
		Long: `Eval measures recall with the rendering, index and ranking of every day, in
folders of its own: it changes nothing. 'eval cochange' replays a git history,
'eval queries' asks questions whose answers are known.`,
		Args: exactly(0, "a verb: cochange or queries"),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.evalCochangeCommand(), a.evalQueriesCommand())
	return cmd
}

// embedFlag lets a measure be taken with another embedder.
func embedFlag(cmd *cobra.Command, provider *string) {
	cmd.Flags().StringVar(provider, "embed", "", "take vectors from this `provider`: none, local, … (as in your settings)")
}
