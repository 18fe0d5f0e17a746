package main

import "github.com/spf13/cobra"

// memoryCommand groups the commands that tend memory itself.
func (c *cli) memoryCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "memory",
		Short: "Tend memory itself: list, edit, similar, stats, export, import, restore",
		Args:  noCommand,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(c.memoryListCommand(), c.memorySimilarCommand(), c.memoryStatsCommand(), c.memoryEditCommand(), c.restoreCommand(), c.memoryExportCommand(), c.memoryImportCommand())
	for _, same := range []*cobra.Command{c.rememberCommand(), c.forgetCommand(), c.recallCommand(), c.searchCommand()} {
		same.Hidden = true // the top level has them
		cmd.AddCommand(same)
	}
	return cmd
}
