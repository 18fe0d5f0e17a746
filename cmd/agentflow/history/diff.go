package history

import (
	"fmt"
	"strings"

	"agentflow/app/api"
	"agentflow/app/list"
	apprun "agentflow/app/run"
	"agentflow/cmd/agentflow/cli"
	"agentflow/internal/cliflag"
	"agentflow/internal/plural"
	"agentflow/internal/terminal"
	"agentflow/memory"
	"agentflow/memory/changeset"

	"github.com/spf13/cobra"
)

// Diff returns the command diff.
func Diff(c *cli.Env) *cobra.Command {
	var stat, names bool
	var req list.DiffRequest
	cmd := c.WithJSON("one JSON object: id, commits, complete, changes, left_out, swept", &cobra.Command{
		Use:   "diff [flags] RUN|COMMIT|last [-- PATH…]",
		Short: "Print the patch of exactly one run",
		Long: `Diff prints what one run changed, its commits and what it left uncommitted, as
one patch: from the files as the run found them to those it left, even if others
worked at the same time. 'git apply' takes it there. Where standard output is a terminal
it is coloured and binary files are only named.

The patch omits changes that the run may not have made; --possible includes them.
A terminal and the lists show them apart.

What a run left uncommitted is kept up to 1 MB a file and 64 MB a run, for the
last 50 runs or 500 MB of them; after that the patch has only its commits.`,
		Example: "  agentflow diff last\n  agentflow diff 3f9a1c --stat\n  agentflow diff 3f9a1c -- auth | git apply --reverse",
		Args:    cliflag.AtLeastOne("a run's id, or 'last'"),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, a2 string) ([]string, cobra.ShellCompDirective) {
			return CompleteRuns(c, cmd, args, a2)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			req.Run, req.Paths = args[0], args[1:]
			req.Patch, req.ForApply = !stat && !names && !c.Selection.Wanted, !c.OutTTY
			result, err := list.Diff(cmd.Context(), c.Memory, req)
			switch {
			case err != nil:
			case c.Selection.Wanted:
				err = c.Json(result.Diff)
			case names:
				sure, possible := splitPossible(result.Diff.Changes, req.Possible)
				printNames(c, sure, possible)
			case stat:
				sure, possible := splitPossible(result.Diff.Changes, req.Possible)
				printDiffStat(c, sure, possible)
			default:
				err = printPatch(c, result)
			}
			if err != nil {
				return err
			}
			for _, line := range result.Notes {
				c.Say("%s", line)
			}
			if result.Diff.Complete {
				return nil
			}
			for _, line := range result.Missing {
				c.Warn("%s", line)
			}
			// An incomplete patch is an error. Otherwise it would pass for the complete one.
			return cli.Ended{Code: cli.ExitError, Err: fmt.Errorf("the patch of %s is not complete", memory.ShortID(result.Diff.ID)), Reported: c.Selection.Wanted}
		},
	})
	cmd.Flags().BoolVar(&stat, "stat", false, "print the number of changed lines a file, in place of the patch")
	cmd.Flags().BoolVar(&names, "name-status", false, "letters and paths, in place of the patch")
	cmd.Flags().BoolVar(&req.Possible, "possible", false, "include changes that the run may not have made")
	cliflag.Exclusive(cmd, "stat", "name-status", "json")
	return cmd
}

// CompleteRuns offers the newest runs for the first argument.
func CompleteRuns(c *cli.Env, cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	runs, _ := apprun.RecentRuns(cmd.Context(), c.Memory, 20)
	out := []string{"last\tthe newest run"}
	for _, r := range runs {
		out = append(out, r.ID+"\t"+cli.CleanLine(r.Title))
	}
	return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// onlyPossibly heads the changes that are only possibly the run's.
const onlyPossibly = "only possibly the run's:"

func printPatch(c *cli.Env, r list.DiffResult) error {
	if len(r.Patch) == 0 && len(r.PossiblePaths) == 0 && len(r.Diff.LeftOut) == 0 && len(r.Diff.Swept) == 0 {
		c.Say("no changes to show") // and nothing else says why
	}
	if !c.OutTTY {
		if n := len(r.PossiblePaths); n > 0 {
			c.Say("left out changes that are only possibly the run's: %s", plural.Count(n, "path"))
			c.Hint("--possible adds it")
		}
		_, err := c.Out.Write(r.Patch)
		return err
	}
	PrintColoured(c, r.Patch)
	if len(r.PossiblePaths) > 0 {
		c.Printf("\n%s\n", c.Bold(onlyPossibly))
		PrintColoured(c, r.PossiblePatch)
	}
	return nil
}

// PrintColoured prints a patch, on a terminal with colours.
func PrintColoured(c *cli.Env, patch []byte) {
	for line := range strings.Lines(string(patch)) {
		line = memory.Clean(strings.TrimSuffix(line, "\n"))
		if colour := patchColour(line); colour != "" {
			line = c.Style(colour, line)
		}
		c.Printf("%s\n", line)
	}
}

// patchColour returns git's colour for a line of a patch.
func patchColour(line string) string {
	for _, of := range []struct{ prefix, colour string }{
		{"+++ ", "1"}, {"--- ", "1"}, {"+", "32"}, {"-", "31"}, {"@@", "36"}, {" ", ""}, {`\`, ""},
	} {
		if strings.HasPrefix(line, of.prefix) {
			return of.colour
		}
	}
	return "1" // a header
}

// splitPossible takes changes apart that are only possibly the run's, unless
// they are to count as the run's.
func splitPossible(changes []api.Change, joined bool) (sure, possible []api.Change) {
	for _, change := range changes {
		if change.Certainty == changeset.Possible && !joined {
			possible = append(possible, change)
		} else {
			sure = append(sure, change)
		}
	}
	return sure, possible
}

func printNames(c *cli.Env, sure, possible []api.Change) {
	for _, change := range append(sure, possible...) {
		mark := ""
		if change.Certainty == changeset.Possible {
			mark = "\t(possibly)"
		}
		line := change.Status + "\t"
		if change.OldPath != "" {
			line += memory.QuotePath(change.OldPath) + "\t"
		}
		c.Printf("%s%s%s\n", line, memory.QuotePath(change.Path), mark)
	}
}

func printDiffStat(c *cli.Env, sure, possible []api.Change) {
	printStat(c, sure, "")
	if len(possible) > 0 {
		c.Printf("%s\n", onlyPossibly)
		for i := range possible {
			possible[i].Certainty = "" // the line says it for all of them
		}
		printStat(c, possible, "")
	}
}

func statLines(changes []api.Change) []terminal.StatLine {
	var out []terminal.StatLine
	for _, change := range changes {
		l := terminal.StatLine{Name: memory.QuotePath(change.Path), Number: "?", Files: max(1, change.Files)} // binary, large, or not to be read
		if change.OldPath != "" {
			l.Name = memory.QuotePath(change.OldPath) + " => " + l.Name
		}
		if change.Certainty == changeset.Possible {
			l.Name += " (possibly)"
		}
		if change.Files > 0 {
			l.Name += fmt.Sprintf(" (%s)", plural.Count(change.Files, "file"))
		}
		if change.Added != nil {
			l.Added, l.Deleted = *change.Added, *change.Deleted
			l.Number = fmt.Sprint(l.Added + l.Deleted)
		}
		out = append(out, l)
	}
	return out
}

// printStat draws changes as git diff --stat does, as wide as the terminal,
// each line behind an indent.
func printStat(c *cli.Env, changes []api.Change, indent string) {
	for _, line := range terminal.Stat(statLines(changes), terminal.Columns()-len(indent), c.Style) {
		c.Printf("%s %s\n", indent, line)
	}
}
