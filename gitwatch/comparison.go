package gitwatch

import (
	"time"

	"agentflow/gitwatch/edits"
	"agentflow/gitwatch/internal/attribution"
	"agentflow/gitwatch/internal/git"
	"agentflow/gitwatch/internal/objects"
	"agentflow/gitwatch/toolcalls"
	"agentflow/memory/changeset"
)

type comparison struct {
	repo       *Repo
	objects    *objects.Reader
	contents   contents
	start, end *snapshot
	ev         Evidence
	set        ChangeSet

	judge  *attribution.Judge
	looked time.Time // when the end was looked at

	// The changes made by the run's commits, by those that may be the run's, and by those of
	// others.
	byRun, possible, byOthers []objects.NetChange

	holdings    map[string][]holding   // by path, from the commits that the run did not make
	mixed       map[string]edits.Mixed // of the paths in byRun
	touched     map[string]bool        // paths that any of the run's commits changed
	uncommitted []listedChange         // the run's edits in the work tree
	beside      []listedChange         // other changes in the work tree
	elsewhere   []*writtenElsewhere    // files that the run wrote outside of its working tree
	historyErr  error
	pulled      int
	lost        int
	rewritten   bool // the branch of the start lost commits
}

// toJudge prepares a change for the judge. start is the file at the start of the run, and exists
// says whether there is one now.
func (c *comparison) toJudge(ch objects.Change, start objects.File, exists bool) attribution.Change {
	wasMode := uint32(git.ModeFile) // mode of a new file that is merely written
	if start.Exists() {
		wasMode = start.Mode
	}
	var changedAt time.Time
	if !c.repo.removed {
		changedAt = c.repo.tree.ChangedAt(ch.Path, exists, c.looked)
	}
	return attribution.Change{
		Path: ch.Path, ChangedAt: changedAt, Existed: start.Exists(), Exists: exists,
		ModeChanged: ch.After.Exists() && ch.After.Mode != wasMode,
		Before:      c.contents.textID(ch.Path, start), Now: c.contents.textID(ch.Path, ch.After), Base: c.contents.textID(ch.Path, ch.Before),
		Texts: c.contents.texts(ch.Path, start, ch.Before),
	}
}

func (c *comparison) remark(line string) { c.set.Remarks = append(c.set.Remarks, line) }

// isDirty reports whether a path differed from HEAD at the start or at the end.
func (c *comparison) isDirty(path string) bool {
	_, then := c.start.dirty[path]
	_, now := c.end.dirty[path]
	return then || now
}

// Evidence is the input of Compare, and ChangeSet its result.
type (
	Evidence  = toolcalls.Evidence
	ChangeSet = changeset.Set
)
