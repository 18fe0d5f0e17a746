package gitwatch

import (
	"context"
	"time"

	"agentflow/gitwatch/edits"
	"agentflow/gitwatch/internal/git"
	"agentflow/gitwatch/internal/objects"
)

// keepEdits writes the archive of package edits into the run's folder, if the evidence
// asks for it and the run changed or committed anything, even if its commits only reword
// others. Contents that must not be kept are left out.
func (c *comparison) keepEdits(ctx context.Context) {
	if c.ev.Keep == nil {
		return
	}
	moved, err := c.movedPaths(ctx)
	if err == nil && len(c.uncommitted)+len(c.elsewhere)+len(c.touched)+len(c.set.Commits)+len(moved) > 0 {
		err = c.writeEdits(ctx, moved)
	}
	if err != nil {
		c.remark("the run's changes were not kept for diff and undo: " + git.OneLine(err.Error()))
	}
}

// movedPaths returns the paths that differ between the HEAD of the start and that of
// the end, and that no new commit of the run or of others changed.
func (c *comparison) movedPaths(ctx context.Context) (map[string]bool, error) {
	moved := map[string]bool{}
	if c.start.Head == c.end.Head {
		return moved, nil
	}
	from, err := c.start.headTree(c.objects)
	if err != nil {
		return nil, err
	}
	to, err := c.end.headTree(c.objects)
	if err != nil {
		return nil, err
	}
	changes, err := c.objects.Diff(ctx, from, to)
	byRuns := map[string]objects.Change{}
	for _, n := range c.byRun {
		byRuns[n.Path] = n.Change
	}
	others := map[string]bool{}
	for _, n := range c.byOthers {
		others[n.Path] = true
	}
	for _, ch := range changes {
		if !git.InOwnFolder(ch.Path) && !others[ch.Path] && byRuns[ch.Path] != ch {
			moved[ch.Path] = true
		}
	}
	return moved, err
}

// onlyGained reports whether the branch of the start kept all of its commits, as after
// a pull or a merge. An undo takes the run's own changes back and leaves the commits
// that came in. After a switch or a reset it cannot.
func (c *comparison) onlyGained() bool {
	return c.historyErr == nil && !c.rewritten && c.start.Branch == c.end.Branch
}

func (c *comparison) writeEdits(ctx context.Context, moved map[string]bool) error {
	archive, err := edits.Create(c.ev.Dir)
	if err != nil {
		return err
	}
	k := &editsKeeper{sizes: c.startSizes(), c: c, archive: archive, moved: moved, until: time.Now().Add(keepTime)}
	archive.Elsewhere = k.elsewhere()
	elsewhere := len(moved)
	if c.onlyGained() {
		elsewhere = 0
	}
	return archive.Finish(ctx, k.edits(ctx), k.committed(ctx), elsewhere)
}
