package app

import (
	"context"
	"errors"
	"slices"
	"strings"

	"agentflow/internal/plural"

	"agentflow/gitwatch"
	"agentflow/gitwatch/edits"
	"agentflow/gitwatch/undo"
	"agentflow/memory"
)

// runDiff is one entry's patch: what is surely its own, and apart from that
// what is only possibly so.
type runDiff struct {
	site  *site
	entry *memory.Entry
	lost  bool

	own, open           *undo.Patch // open is nil where nothing is only possible, or all is in own
	ownEdits, openEdits []edits.Change
	swept               []string // paths that the run only committed, while somebody else changed them
}

// openDiff makes an entry's patch, of these paths where there are any. With
// possible, what is only possibly the run's is in the patch.
func (s *site) openDiff(ctx context.Context, e *memory.Entry, paths []string, possible bool) (*runDiff, error) {
	repo, err := s.repo(ctx)
	if err != nil {
		return nil, err
	}
	held, err := s.editsOf(ctx, repo, e)
	if err != nil {
		return nil, err
	}
	d := &runDiff{site: s, entry: e, lost: held.lost}
	for _, c := range edits.Below(held.all(), paths) {
		switch {
		case c.Claim() == edits.OnlyCommitted:
			d.swept = append(d.swept, c.Path)
		case c.Certainty.Sure() || possible:
			d.ownEdits = append(d.ownEdits, c)
		default:
			d.openEdits = append(d.openEdits, c)
		}
	}
	if err := d.openPatches(ctx, repo, held.dir); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	if held.moved > 0 {
		s.say("the run also moved HEAD otherwise than by its commits (by a switch, reset, pull or merge); %s changed by that, which the patch leaves out", plural.Count(held.moved, "file"))
	}
	return d, nil
}

func (d *runDiff) openPatches(ctx context.Context, repo *gitwatch.Repo, dir string) (err error) {
	if d.own, err = undo.OpenPatch(ctx, repo, dir, d.ownEdits); err == nil && len(d.openEdits) > 0 {
		d.open, err = undo.OpenPatch(ctx, repo, dir, d.openEdits)
	}
	return err
}

// patches are those that there are.
func (d *runDiff) patches() []*undo.Patch {
	return slices.DeleteFunc([]*undo.Patch{d.own, d.open}, func(p *undo.Patch) bool { return p == nil })
}

// Close removes the temporary files.
func (d *runDiff) Close() error {
	var errs []error
	for _, p := range d.patches() {
		errs = append(errs, p.Close())
	}
	return errors.Join(errs...)
}

func (d *runDiff) lacking() []undo.Lacking {
	var out []undo.Lacking
	for _, p := range d.patches() {
		out = append(out, p.Lacking...)
	}
	return out
}

// notOurs is the line above what is only possibly the run's.
const notOurs = "only possibly the run's:"

func (d *runDiff) printPatch(ctx context.Context) error {
	text, err := d.own.Text(ctx, !d.site.outTTY)
	if err != nil {
		return err
	}
	if !d.site.outTTY {
		_, err := d.site.out.Write(text)
		if n := len(pathsOf(d.openEdits)); n > 0 {
			d.site.say("left out what is only possibly the run's: %s", plural.Count(n, "path"))
			d.site.hint("--possible adds it")
		}
		d.sayEmpty(text)
		return err
	}
	d.sayEmpty(text)
	d.printColoured(text)
	if d.open == nil {
		return nil
	}
	if text, err = d.open.Text(ctx, false); err == nil {
		d.site.printf("\n%s\n", d.site.bold(notOurs))
		d.printColoured(text)
	}
	return err
}

// sayEmpty says that there is nothing, where nothing else says why.
func (d *runDiff) sayEmpty(patch []byte) {
	if len(patch) == 0 && len(d.openEdits) == 0 && len(d.lacking()) == 0 && len(d.swept) == 0 {
		d.site.say("no changes to show")
	}
}

func (d *runDiff) printColoured(text []byte) {
	for line := range strings.Lines(string(text)) {
		line = memory.Clean(strings.TrimSuffix(line, "\n"))
		if colour := patchColour(line); colour != "" {
			line = d.site.style(colour, line)
		}
		d.site.printf("%s\n", line)
	}
}

// pathsOf are the paths of edits, each once, sorted.
func pathsOf(list []edits.Change) []string {
	var out []string
	for _, c := range list {
		out = append(out, c.Path)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// pathClaim is what the run's edits say of a path.
type pathClaim struct {
	certainty memory.Certainty
	mixed     edits.Mixed
}

// claimsOf sums up edits by path, each as the least certain of them.
func claimsOf(list []edits.Change) map[string]pathClaim {
	out := map[string]pathClaim{}
	for _, c := range list {
		now := pathClaim{c.Certainty, c.Mixed}
		if !now.certainty.Sure() {
			now.certainty = memory.Possible
		}
		for _, path := range []string{c.Path, c.OldPath} {
			if before, again := out[path]; again {
				now = pathClaim{memory.LeastCertain(before.certainty, now.certainty), before.mixed.Or(now.mixed)}
			}
			out[path] = now
		}
	}
	return out
}

// changes are what a patch of these edits changes, as JSON has it.
func (d *runDiff) changes(ctx context.Context, p *undo.Patch, list []edits.Change) ([]memory.Change, error) {
	if p == nil {
		return nil, nil
	}
	changes, err := p.Changes(ctx)
	if d.entry.Kind != memory.KindRun {
		return changes, err
	}
	of := claimsOf(list)
	for i, c := range changes {
		changes[i].Certainty = of[c.Path].certainty
	}
	return changes, err
}
