package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"agentflow/gitwatch/edits"
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
	Complete bool            `json:"complete"` // nothing of what the run changed is left out
	Changes  []changeObject  `json:"changes"`
	LeftOut  []leftOut       `json:"left_out"`
	Swept    []string        `json:"swept"` // paths that were committed as they had been changed before the run
}

type leftOut struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

func (a *app) diffCommand() *cobra.Command {
	var stat, names, asJSON bool
	cmd := &cobra.Command{
		Use:   "diff [flags] RUN|COMMIT|last [-- PATH…]",
		Short: "Print the patch of exactly one run",
		Long: `Diff prints what one run changed, its commits and what it left uncommitted, as
one patch: from the files as the run found them to those it left, whoever else
was at work. 'git apply' takes it there. Where standard output is a terminal
it is coloured and binary files are only named.

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
			d, err := s.openDiff(cmd.Context(), e, paths)
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
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object: id, commits, complete, changes, left_out, swept")
	exclusive(cmd, "stat", "name-status", "json")
	return cmd
}

// runDiff is one entry's patch.
type runDiff struct {
	*undo.Patch
	site  *site
	entry *memory.Entry
	lost  bool
}

func (s *site) openDiff(ctx context.Context, e *memory.Entry, paths []string) (*runDiff, error) {
	repo, err := s.repo(ctx)
	if err != nil {
		return nil, err
	}
	held, err := s.editsOf(ctx, repo, e)
	if err != nil {
		return nil, err
	}
	patch, err := undo.OpenPatch(ctx, repo, held.dir, edits.Below(held.all(), paths))
	if err != nil {
		return nil, err
	}
	if held.moved > 0 {
		s.say("the run also moved HEAD otherwise than by its commits (by a switch, reset, pull or merge); %s changed by that, which the patch leaves out", count(held.moved, "file"))
	}
	return &runDiff{patch, s, e, held.lost}, nil
}

func (d *runDiff) printPatch(ctx context.Context) error {
	text, err := d.Text(ctx, !d.site.outTTY)
	if err != nil {
		return err
	}
	if !d.site.outTTY {
		_, err := d.site.out.Write(text)
		return err
	}
	for line := range strings.Lines(string(text)) {
		line = memory.Clean(strings.TrimSuffix(line, "\n"))
		if colour := patchColour(line); colour != "" {
			line = d.site.style(colour, line)
		}
		d.site.printf("%s\n", line)
	}
	return nil
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

func (d *runDiff) printList(ctx context.Context, names bool) error {
	changes, err := d.Changes(ctx)
	if err != nil {
		return err
	}
	if !names {
		d.site.printStat(changes, columns(), "")
		return nil
	}
	for _, c := range changes {
		line := string(rune(c.Status)) + "\t"
		if c.OldPath != "" {
			line += memory.QuotePath(c.OldPath) + "\t"
		}
		d.site.printf("%s%s\n", line, memory.QuotePath(c.Path))
	}
	return nil
}

func (d *runDiff) printJSON(ctx context.Context) error {
	changes, err := d.Changes(ctx)
	if err != nil {
		return err
	}
	e := d.entry
	o := diffObject{ID: e.ID, Kind: e.Kind, Title: e.Title, Commits: filled(e.Commits), Complete: len(d.missing()) == 0,
		Changes: changeObjects(memory.ChangeList{Items: changes}), LeftOut: []leftOut{}, Swept: filled(d.Swept)}
	for _, l := range d.Lacking {
		o.LeftOut = append(o.LeftOut, leftOut{l.Path, l.Why})
	}
	return d.site.json(o)
}

// missing says, a line each, what of the run the patch does not tell.
func (d *runDiff) missing() []string {
	lines := lackingLines(d.Lacking)
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

// lackingShown is how many paths that are left out for one reason get a line
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
			lines = append(lines, "and "+count(more, "more file")+": "+why)
		}
	}
	return lines
}

// complete ends the command, telling what is left out. A patch that is not
// whole is an error, or it would pass for the whole.
func (d *runDiff) complete(asJSON bool) error {
	for _, path := range d.Swept {
		d.site.say("%s was committed as it had been changed before the run; the patch leaves it out", memory.QuotePath(path))
	}
	missing := d.missing()
	if len(missing) == 0 {
		return nil
	}
	for _, line := range missing {
		d.site.warn("%s", line)
	}
	return codedError{code: exitError, err: fmt.Errorf("the patch of %s is not complete", memory.ShortID(d.entry.ID)), said: asJSON}
}
