package main

import (
	"strings"

	"agentflow/internal/cliflag"

	"github.com/spf13/cobra"
)

// helpCommand is cobra's, but for a command that is not there, which is a
// mistake.
func helpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND]",
		Short:   "Show what a command does",
		Long:    `Help shows what a command does, as its --help.`,
		Example: "  agentflow help run\n  agentflow help eval queries",
		ValidArgsFunction: func(_ *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
			var names []string
			if cmd, rest, err := root.Find(args); err == nil && len(rest) == 0 {
				for _, sub := range cmd.Commands() {
					if (sub.IsAvailableCommand() || sub.IsAdditionalHelpTopicCommand()) && strings.HasPrefix(sub.Name(), word) {
						names = append(names, sub.Name()+"\t"+sub.Short)
					}
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			if err == nil && len(rest) == 0 {
				cmd.InitDefaultHelpFlag()
				return cmd.Help()
			}
			wrong := usagef("there is no command %q", strings.Join(args, " "))
			wrong.Hint = "'agentflow --help' lists the commands"
			if len(args) == 1 {
				if near := root.SuggestionsFor(args[0]); len(near) > 0 {
					wrong.Hint = "did you mean '" + root.CommandPath() + " help " + near[0] + "'?"
				}
			}
			return wrong
		},
	}
}

// strictCompletion makes a shell that completion does not know a mistake too.
func strictCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() == "completion" {
			cmd.Args = cliflag.Exactly(0, "a shell: bash, zsh, fish or powershell")
			cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		}
	}
}

// noCommand refuses a word that is no command, naming the near ones.
func noCommand(cmd *cobra.Command, args []string) error {
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
