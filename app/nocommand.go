package app

import "github.com/spf13/cobra"

// NoCommand refuses a word that is no command, naming the near ones.
func NoCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	err := usagef("agentflow has no command %q", args[0])
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		err.Hint = "did you mean '" + cmd.CommandPath() + " " + near[0] + "'?"
	} else {
		err.Hint = "'agentflow run \"" + args[0] + " …\"' starts an agent; 'agentflow --help' lists the commands"
	}
	return err
}
