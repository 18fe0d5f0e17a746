package list

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/lookup"
	"agentflow/app/run"
	appundo "agentflow/app/undo"
	"agentflow/app/why"
	"agentflow/gitwatch"
	"agentflow/gitwatch/edits"
	"agentflow/gitwatch/undo"
	"agentflow/internal/lists"
	"agentflow/internal/plural"
	"agentflow/memory"
	"agentflow/memory/changeset"
)

// DiffRequest selects the changes of one run or one commit.
type DiffRequest struct {
	Run      string   // an id, the end of an id, or "last"
	Paths    []string // only these paths and those below them, relative to the folder of the Memory; empty: all
	Possible bool     // count changes that are only possibly the run's as the run's

	Patch    bool // return the patch instead of the list of changes
	ForApply bool // make a patch that 'git apply' accepts: with binary files, and without a separate part for changes that are only possibly the run's
}

// DiffResult describes the changes of a run.
type DiffResult struct {
	Diff          api.Diff // without Changes if a patch was requested
	Patch         []byte
	PossiblePatch []byte   // changes that are only possibly the run's; empty for ForApply
	PossiblePaths []string // sorted paths with changes that are only possibly the run's, and not in Patch
	Notes         []string // lines about changes that the patch omits because the run only committed them, and about changes that include another author's
	Missing       []string // lines about changes that the patch or list omits; empty if Diff.Complete
	Degraded      []string
}

// Diff returns the changes of one run: from the files that the run found to the files that it left.
// Where others changed a file meanwhile their changes may be included, which Notes reports.
func Diff(ctx context.Context, m *app.Memory, req DiffRequest) (result DiffResult, err error) {
	o := m.Begin(ctx)
	defer o.End(&result.Degraded, &err)
	s, err := o.OpenToRead(ctx)
	if err != nil {
		return result, err
	}
	e, err := lookup.LookUpEntry(ctx, s, req.Run)
	if err != nil {
		return result, err
	}
	if req.Run == "last" {
		tellOpen(ctx, s)
	}
	paths, err := why.Below(s, req.Paths)
	if err != nil {
		return result, err
	}
	d, err := openDiff(ctx, s, e, paths, req.Possible)
	if err == nil {
		result, err = d.result(ctx, req)
		err = errors.Join(err, d.Close())
	}
	if err != nil {
		return result, fmt.Errorf("making the patch of %s: %w", memory.ShortID(e.ID), err)
	}
	return result, nil
}

// runDiff is the patch of one entry. It keeps changes that are only possibly the entry's separate.
type runDiff struct {
	mem   *app.Repo
	entry *memory.Entry
	lost  bool // the run's uncommitted changes are not kept any more

	sure, open           *undo.Patch // open is nil if no change is only possible, or all are in sure
	sureEdits, openEdits []edits.Change
	swept                []string // paths that the run committed but others changed
}

// openDiff builds the patch of an entry, limited to paths unless that is empty. If possible is set,
// the patch includes changes that are only possibly the run's.
func openDiff(ctx context.Context, s *app.Repo, e *memory.Entry, paths []string, possible bool) (*runDiff, error) {
	repo, err := s.Repo(ctx)
	if err != nil {
		return nil, err
	}
	left, err := run.EditsOf(ctx, s, repo, e)
	if err != nil {
		return nil, err
	}
	d := &runDiff{mem: s, entry: e, lost: left.Lost}
	for _, c := range edits.Below(left.All(), paths) {
		switch {
		case c.Claim() == edits.OnlyCommitted:
			d.swept = append(d.swept, c.Path)
		case c.Certainty.Sure() || possible:
			d.sureEdits = append(d.sureEdits, c)
		default:
			d.openEdits = append(d.openEdits, c)
		}
	}
	if err := d.openPatches(ctx, repo, left.Dir); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	if left.Moved > 0 {
		s.Say("the run also moved HEAD by a switch or a reset; %s changed by that, which the patch leaves out", plural.Count(left.Moved, "file"))
	}
	return d, nil
}

func (d *runDiff) openPatches(ctx context.Context, repo *gitwatch.Repo, dir string) (err error) {
	if d.sure, err = undo.OpenPatch(ctx, repo, dir, d.sureEdits); err == nil && len(d.openEdits) > 0 {
		d.open, err = undo.OpenPatch(ctx, repo, dir, d.openEdits)
	}
	return err
}

func (d *runDiff) patches() []*undo.Patch {
	return slices.DeleteFunc([]*undo.Patch{d.sure, d.open}, func(p *undo.Patch) bool { return p == nil })
}

// Close removes the temporary files.
func (d *runDiff) Close() error {
	return errors.Join(lists.Mapped(d.patches(), (*undo.Patch).Close)...)
}

func (d *runDiff) result(ctx context.Context, req DiffRequest) (r DiffResult, err error) {
	r.PossiblePaths = appundo.PathsOf(d.openEdits)
	switch {
	case !req.Patch:
		r.Diff.Changes, err = d.changes(ctx)
	case req.ForApply:
		r.Patch, err = d.sure.Text(ctx, true)
	default:
		if r.Patch, err = d.sure.Text(ctx, false); err == nil && d.open != nil {
			r.PossiblePatch, err = d.open.Text(ctx, false)
		}
	}
	if err != nil {
		return r, err
	}
	e := d.entry
	r.Diff.ID, r.Diff.Kind, r.Diff.Title = e.ID, e.Kind, e.Title
	r.Diff.Commits, r.Diff.Possible = lists.Filled(e.Commits), lists.Filled(e.PossibleCommits)
	r.Diff.LeftOut, r.Diff.Swept = []api.LeftOut{}, lists.Filled(d.swept)
	for _, p := range d.patches() {
		r.Diff.Swept = append(r.Diff.Swept, p.Swept...)
		for _, l := range p.Missing {
			r.Diff.LeftOut = append(r.Diff.LeftOut, api.LeftOut(l))
		}
	}
	slices.Sort(r.Diff.Swept)
	r.Diff.Swept = slices.Compact(r.Diff.Swept)
	r.Notes, r.Missing = d.notes(), d.missing(r.Diff.LeftOut)
	r.Diff.Complete = len(r.Missing) == 0
	return r, nil
}

func (d *runDiff) changes(ctx context.Context) ([]api.Change, error) {
	var all []changeset.Change
	for _, p := range d.patches() {
		changes, err := p.Changes(ctx)
		if err != nil {
			return nil, err
		}
		all = append(all, changes...)
	}
	slices.SortStableFunc(all, func(a, b changeset.Change) int { return strings.Compare(a.Path, b.Path) })
	out, claims := api.NewChanges(all), claimsOf(slices.Concat(d.sureEdits, d.openEdits))
	for i, c := range out {
		if d.entry.Kind.ByAgent() {
			out[i].Certainty = claims[c.Path].certainty
		}
		out[i].Mixed = string(claims[c.Path].mixed)
	}
	return out, nil
}

type pathClaim struct {
	certainty changeset.Certainty
	mixed     edits.Mixed
}

// claimsOf combines edits by path, with the least certain claim of each path.
func claimsOf(list []edits.Change) map[string]pathClaim {
	out := map[string]pathClaim{}
	for _, c := range list {
		now := pathClaim{c.Certainty, c.Mixed}
		if !now.certainty.Sure() {
			now.certainty = changeset.Possible
		}
		for _, path := range []string{c.Path, c.OldPath} {
			if before, again := out[path]; again {
				now = pathClaim{changeset.LeastCertain(before.certainty, now.certainty), before.mixed.Or(now.mixed)}
			}
			out[path] = now
		}
	}
	return out
}

// linesShown limits the paths with a line each for the same statement. A run that creates
// 200,000 files omits most of them for the same reason.
const linesShown = 10

// missing returns lines about the changes of the run that the patch omits.
func (d *runDiff) missing(leftOut []api.LeftOut) []string {
	var lines []string
	count := map[string]int{}
	for _, l := range leftOut {
		if count[l.Why]++; count[l.Why] <= linesShown {
			lines = append(lines, memory.QuotePath(l.Path)+": "+l.Why)
		}
	}
	for _, why := range slices.Sorted(maps.Keys(count)) {
		if more := count[why] - linesShown; more > 0 {
			lines = append(lines, "and "+plural.Count(more, "more file")+": "+why)
		}
	}
	if d.lost {
		lines = append(lines, run.UncommittedGone(d.entry))
	}
	for _, why := range []string{d.entry.Changes.Unread, d.entry.Uncommitted.Unread} {
		if why != "" {
			lines = append(lines, "not all that it changed could be read: "+why)
		}
	}
	return lines
}

// notes returns lines about changes that the patch omits because the run only committed them, and
// about changes that include another author's.
func (d *runDiff) notes() (lines []string) {
	note := func(paths []string, what string) {
		for _, path := range paths[:min(len(paths), linesShown)] {
			lines = append(lines, memory.QuotePath(path)+" "+what)
		}
		if more := len(paths) - linesShown; more > 0 {
			lines = append(lines, plural.Count(more, "more file")+": each "+what)
		}
	}
	with := func(mixed edits.Mixed) []string {
		return appundo.PathsOf(slices.DeleteFunc(slices.Clone(d.sureEdits), func(c edits.Change) bool { return c.Mixed != mixed }))
	}
	var before []string
	for _, p := range d.patches() {
		before = append(before, p.Swept...)
	}
	note(before, "was committed as it had been changed before the run; the patch leaves it out")
	note(d.swept, "was changed by somebody else, and the run only committed it; the patch leaves it out")
	note(with(edits.MixedYes), "was changed by somebody else too while the run was on; that is in the patch")
	unknown := "may have been changed by somebody else too while the run was on"
	if appundo.ReportsNoCalls(d.entry) {
		unknown += ": agent command reports no tool calls"
	}
	note(with(edits.MixedUnknown), unknown)
	return lines
}
