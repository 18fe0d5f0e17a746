package app

import (
	"context"
	"slices"
	"sort"

	"agentflow/api"
	"agentflow/internal/plural"

	"agentflow/gitwatch/edits"
	"agentflow/memory"
)

// printList prints the letters and paths of what the run changed, or how many
// lines, and apart from that what is only possibly the run's.
func (d *runDiff) printList(ctx context.Context, names bool) error {
	own, err := d.changes(ctx, d.own, d.ownEdits)
	if err != nil {
		return err
	}
	open, err := d.changes(ctx, d.open, d.openEdits)
	if err != nil {
		return err
	}
	if names {
		d.printNames(slices.Concat(own, open))
		return nil
	}
	d.site.printStat(own, columns(), "")
	if len(open) > 0 {
		d.site.printf("%s\n", notOurs)
		for i := range open {
			open[i].Certainty = "" // said for all of them
		}
		d.site.printStat(open, columns(), "")
	}
	return nil
}

func (d *runDiff) printNames(changes []memory.Change) {
	for _, c := range changes {
		mark := ""
		if c.Certainty == memory.Possible {
			mark = "\t(possibly)"
		}
		line := string(rune(c.Status)) + "\t"
		if c.OldPath != "" {
			line += memory.QuotePath(c.OldPath) + "\t"
		}
		d.site.printf("%s%s%s\n", line, memory.QuotePath(c.Path), mark)
	}
}

func (d *runDiff) printJSON(ctx context.Context) error {
	own, err := d.changes(ctx, d.own, d.ownEdits)
	if err != nil {
		return err
	}
	open, err := d.changes(ctx, d.open, d.openEdits)
	if err != nil {
		return err
	}
	all := append(own, open...)
	sort.SliceStable(all, func(i, j int) bool { return all[i].Path < all[j].Path })
	e := d.entry
	o := diffObject{ID: e.ID, Kind: e.Kind, Title: e.Title, Commits: filled(e.Commits), Possible: filled(e.PossibleCommits),
		Complete: len(d.missing()) == 0, Changes: api.NewChanges(all), LeftOut: []leftOut{}, Swept: d.allSwept()}
	of := claimsOf(slices.Concat(d.ownEdits, d.openEdits))
	for i, c := range o.Changes {
		o.Changes[i].Mixed = string(of[c.Path].mixed)
	}
	for _, l := range d.lacking() {
		o.LeftOut = append(o.LeftOut, leftOut{l.Path, l.Why})
	}
	return d.site.json(o)
}

// allSwept are the paths that were only committed.
func (d *runDiff) allSwept() []string {
	out := filled(d.swept)
	for _, p := range d.patches() {
		out = append(out, p.Swept...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// tellMixed says what the patch leaves out because the run only committed it,
// and where somebody else's change is in it.
func (d *runDiff) tellMixed() {
	var before []string
	for _, p := range d.patches() {
		before = append(before, p.Swept...)
	}
	with := func(mixed edits.Mixed) []string {
		return pathsOf(slices.DeleteFunc(slices.Clone(d.ownEdits), func(c edits.Change) bool { return c.Mixed != mixed }))
	}
	d.tellEach(before, "was committed as it had been changed before the run; the patch leaves it out")
	d.tellEach(d.swept, "was changed by somebody else, and the run only committed it; the patch leaves it out")
	d.tellEach(with(edits.MixedYes), "was changed by somebody else too while the run was on; that is in the patch")
	d.tellEach(with(edits.MixedUnknown), "may have been changed by somebody else too while the run was on")
}

func (d *runDiff) tellEach(paths []string, what string) {
	for _, path := range paths[:min(len(paths), lackingShown)] {
		d.site.say("%s %s", memory.QuotePath(path), what)
	}
	if more := len(paths) - lackingShown; more > 0 {
		d.site.say("%s, each of which %s", plural.Count(more, "more file"), what)
	}
}
