// Package help has the commands that describe the program: help, its topics, manual pages, and the version.
package help

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"agentflow/cmd/agentflow/cli"
	"agentflow/internal/config"

	"github.com/spf13/cobra"
)

// Help works like cobra's help command, but an unknown command is a usage
// error.
func Help(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND|TOPIC]",

		DisableFlagsInUseLine: true,

		Short: "Show what a command does, or a page of the documentation",
		Long: `Help shows what a command does, as its --help, or a page of the documentation,
which is in the program. A page that has the name of a command is shown by the name
of its file. 'agentflow help' lists the commands and the pages.`,
		Example: "  agentflow help run\n  agentflow help eval queries\n  agentflow help sharing\n  agentflow help memory.md",
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
			wrong := cli.Usagef("there is no command %q", strings.Join(args, " "))
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

// ExitMeanings lists the meaning of each exit code, in the order of help.
var ExitMeanings = []struct {
	Codes   []int
	meaning string
}{
	{[]int{cli.ExitOK}, "ok; also that you answered no to a question, and of watch and daemon that they were interrupted"},
	{[]int{cli.ExitError}, "error; also a failed check of doctor, a hook that is left for you to put in, a job that was not started"},
	{[]int{cli.ExitUsage}, "usage, or settings that cannot be used"},
	{[]int{cli.ExitAgent}, "the agent or --verify failed; with --parallel: not every task ended well"},
	{[]int{cli.ExitNotRecorded}, "the entry or fact was not written to the Markdown; with run --strict, also when recall did not fully work"},
	{[]int{cli.ExitLocked}, "memory, or the job that was to run, is locked by another process"},
	{[]int{cli.ExitNoPlace}, "no repository or memory here (a run continues without, except with --worktree and --parallel)"},
	{[]int{cli.ExitTimeout, cli.ExitNotStarted}, "the run timed out; its agent could not start"},
	{[]int{cli.ExitInterrupted, cli.ExitTerminated}, "interrupted; terminated"},
}

// Topics returns the help pages that belong to no command.
func Topics() []*cobra.Command {
	return []*cobra.Command{
		topic("exit-codes", "What the exit codes mean", exitCodesText),
		topic("environment", "Environment variables that count", environmentText),
	}
}

// topic adds a help page. Its text is made on request, because every command has the page.
func topic(name, short string, text func() string) *cobra.Command {
	page := &cobra.Command{Use: name, Short: short}
	page.SetHelpFunc(func(page *cobra.Command, args []string) {
		page.Long = text()
		page.Parent().HelpFunc()(page, args)
	})
	return page
}

func exitCodesText() string {
	var b strings.Builder
	for _, m := range ExitMeanings {
		codes := strings.Trim(strings.ReplaceAll(fmt.Sprint(m.Codes), " ", ", "), "[]")
		writeRow(&b, 8, codes, m.meaning)
	}
	return b.String() + "\n'agentflow run --passthrough' exits with the agent's own code."
}

func environmentText() string {
	var b strings.Builder
	row := func(name, meaning string) { writeRow(&b, 36, name, meaning) }
	row("VISUAL, EDITOR", "the editor for tasks, facts and settings; else git's core.editor")
	row("AGENTFLOW_PAGER, PAGER", "the pager for long output on a terminal; less by default, none where it is empty or cat")
	row("NO_COLOR, TERM=dumb", "no colour, no line that changes")
	row("XDG_CONFIG_HOME", "where your settings are, in agentflow/config.toml; ~/.config by default")
	row("XDG_DATA_HOME", "where your own memory is; ~/.local/share by default")
	row("XDG_STATE_HOME", "where trust and fallback logs are; ~/.local/state by default")
	row("GOGC, GOMEMLIMIT", "how much memory the program uses for speed, as for any Go program")
	b.WriteString("\nEach setting has a variable, which wins over files:\n\n")
	for _, s := range config.Settings() {
		if !strings.Contains(s.Key, "NAME") {
			row(config.Variable(s.Key), strings.ReplaceAll(s.Text, "`", ""))
		}
	}
	b.WriteString("\nA command that on_finish runs gets AGENTFLOW_RUN_ID, AGENTFLOW_JOB, AGENTFLOW_OUTCOME,\nAGENTFLOW_COST_USD and AGENTFLOW_SUMMARY.")
	return b.String()
}

// writeRow writes a name in a column of a width and its meaning to the right, in
// folded lines.
func writeRow(b *strings.Builder, width int, name, meaning string) {
	line := fmt.Sprintf("%-*s ", width, name)
	for _, word := range strings.Fields(meaning) {
		if utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > HelpWidth {
			b.WriteString(line + "\n")
			line = strings.Repeat(" ", width+1)
		}
		line += " " + word
	}
	b.WriteString(line + "\n")
}

// HelpWidth limits a line of help, in characters.
const HelpWidth = 100

// Folded returns cobra's template of a command's usage, with the texts of flags folded.
func Folded(template string) string {
	return strings.ReplaceAll(template, "Flags.FlagUsages ", fmt.Sprintf("Flags.FlagUsagesWrapped %d ", HelpWidth))
}
