package app

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"agentflow/api"
	"agentflow/internal/plural"

	"agentflow/gitwatch/undo"
	"agentflow/memory"

	"github.com/spf13/cobra"
)

// diffObject is what `diff --json` prints.
type diffObject struct {
	ID       string          `json:"id"`
	Kind     memory.Kind     `json:"kind"`
	Title    string          `json:"title"`
	Commits  []memory.Commit `json:"commits"`
	Possible []memory.Commit `json:"possible_commits"` // that the run may have made
	Complete bool            `json:"complete"`         // nothing of what the run changed is left out
	Changes  []api.Change    `json:"changes"`
	LeftOut  []leftOut       `json:"left_out"`
	Swept    []string        `json:"swept"` // paths that were only committed: they had been changed before the run, or by somebody else
}

type leftOut struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

func (a *operation) diffCommand() *cobra.Command {
	var stat, names, possible, asJSON bool
	cmd := &cobra.Command{
		Use:   "diff [flags] RUN|COMMIT|last [-- PATH…]",
		Short: "Print the patch of exactly one run",
		Long: `Diff prints what one run changed, its commits and what it left uncommitted, as
one patch: from the files as the run found them to those it left, whoever else
was at work. 'git apply' takes it there. Where standard output is a terminal
it is coloured and binary files are only named.

What is only possibly the run's is no part of the patch: a terminal and the
lists show it apart, and with --possible it joins.

What a run left uncommitted is kept as long as its folder is (50 runs or
500 MB), up to 1 MB a file; after that its commits are left.`,
		Example:           "  agentflow diff last\n  agentflow diff 3f9a1c --stat\n  agentflow diff 3f9a1c -- auth | git apply --reverse",
		Args:              atLeastOne("a run's id, or 'last'"),
		ValidArgsFunction: a.completeEntries,
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := a.reading(cmd.Context())
			if err != nil {
				return err
			}
			e, err := s.lookUpEntry(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			paths, err := s.below(args[1:])
			if err != nil {
				return err
			}
			d, err := s.openDiff(cmd.Context(), e, paths, possible)
			if err != nil {
				return fmt.Errorf("making the patch of %s: %w", memory.ShortID(e.ID), err)
			}
			defer d.Close()
			switch {
			case asJSON:
				err = d.printJSON(cmd.Context())
			case stat, names:
				err = d.printList(cmd.Context(), names)
			default:
				err = d.printPatch(cmd.Context())
			}
			if err != nil {
				return fmt.Errorf("making the patch of %s: %w", memory.ShortID(e.ID), err)
			}
			return d.complete(asJSON)
		},
	}
	cmd.Flags().BoolVar(&stat, "stat", false, "how many lines of which files, in place of the patch")
	cmd.Flags().BoolVar(&names, "name-status", false, "letters and paths, in place of the patch")
	cmd.Flags().BoolVar(&possible, "possible", false, "also what is only possibly the run's, in the same patch")
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object: id, commits, complete, changes, left_out, swept")
	exclusive(cmd, "stat", "name-status", "json")
	return cmd
}

// patchColour is git's colour for a line of a patch.
func patchColour(line string) string {
	for _, c := range []struct{ prefix, colour string }{
		{"+++ ", "1"}, {"--- ", "1"}, {"+", "32"}, {"-", "31"}, {"@@", "36"}, {" ", ""}, {`\`, ""},
	} {
		if strings.HasPrefix(line, c.prefix) {
			return c.colour
		}
	}
	return "1" // a header
}

// missing says, a line each, what of the run the patch does not tell.
func (d *runDiff) missing() []string {
	lines := lackingLines(d.lacking())
	if d.lost {
		lines = append(lines, notKept(d.entry))
	}
	for _, why := range []string{d.entry.Changes.Unread, d.entry.Uncommitted.Unread} {
		if why != "" {
			lines = append(lines, "not all that it changed could be read: "+why)
		}
	}
	return lines
}

// lackingShown is how many paths of which one thing is to be said get a line
// each.
const lackingShown = 10

// lackingLines says which paths are left out and why: a run that makes 200,000
// files leaves most of them out, all for the same reason.
func lackingLines(lacking []undo.Lacking) []string {
	var lines []string
	of := map[string]int{}
	for _, l := range lacking {
		if of[l.Why]++; of[l.Why] <= lackingShown {
			lines = append(lines, memory.QuotePath(l.Path)+": "+l.Why)
		}
	}
	for _, why := range slices.Sorted(maps.Keys(of)) {
		if more := of[why] - lackingShown; more > 0 {
			lines = append(lines, "and "+plural.Count(more, "more file")+": "+why)
		}
	}
	return lines
}

// complete ends the command, telling what is left out. A patch that is not
// whole is an error, or it would pass for the whole.
func (d *runDiff) complete(asJSON bool) error {
	d.tellMixed()
	missing := d.missing()
	if len(missing) == 0 {
		return nil
	}
	for _, line := range missing {
		d.site.warn("%s", line)
	}
	return codedError{code: exitError, err: fmt.Errorf("the patch of %s is not complete", memory.ShortID(d.entry.ID)), said: asJSON}
}
