package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"agentflow/app"
	"agentflow/app/lookup"
	"agentflow/gitwatch"
	"agentflow/gitwatch/edits"
	"agentflow/internal/lists"
	"agentflow/memory"
	"agentflow/memory/changeset"
	"agentflow/memory/retrieval"
)

// RunEdits holds the changes that a run kept.
type RunEdits struct {
	Dir         string // the run's folder, which may no longer exist
	Committed   []edits.Change
	Uncommitted []edits.Change
	Moved       int  // number of files that changed by a switch or a reset
	Lost        bool // the run left uncommitted changes that are not kept
}

// All returns the committed changes, and then the others.
func (e RunEdits) All() []edits.Change { return slices.Concat(e.Committed, e.Uncommitted) }

// Those returns the edits that want accepts.
func (e RunEdits) Those(want func(edits.Change) bool) RunEdits {
	not := func(c edits.Change) bool { return !want(c) }
	e.Committed = slices.DeleteFunc(slices.Clone(e.Committed), not)
	e.Uncommitted = slices.DeleteFunc(slices.Clone(e.Uncommitted), not)
	return e
}

// EditsOf reads the edits that a run kept. If they are gone, and for the entry of a commit, it asks git for the changes
// of the commits.
func EditsOf(ctx context.Context, s *app.Repo, repo *gitwatch.Repo, e *memory.Entry) (RunEdits, error) {
	out := RunEdits{Dir: filepath.Join(s.Runs(), e.ID)}
	var err error
	if out.Uncommitted, err = edits.Load(out.Dir); err == nil {
		out.Committed, err = edits.LoadCommitted(out.Dir)
	}
	if err == nil {
		out.Moved, err = edits.LoadMoved(out.Dir)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return out, err
	}
	out.Committed, err = committedOf(ctx, s, repo, e)
	out.Lost = len(e.Uncommitted.Items) > 0
	return out, err
}

// committedOf asks git for the changes of an entry's commits, and takes their certainty from the entry. Errors of
// possible commits that were rewritten since are ignored.
func committedOf(ctx context.Context, s *app.Repo, repo *gitwatch.Repo, e *memory.Entry) (committed []edits.Change, err error) {
	var from gitwatch.Origin
	if e.Kind.ByAgent() {
		from = gitwatch.Origin{Base: e.Base, Branch: e.Branch}
	}
	if len(e.Commits) > 0 {
		if committed, err = repo.CommittedBy(ctx, idsOf(e.Commits), from); err != nil {
			committed, err = repo.CommittedBy(ctx, CommitsNow(ctx, s, e, e.Commits), from)
		}
	}
	for i, c := range committed {
		committed[i].Certainty = CertaintyIn(e, c.Path)
		if e.Kind.ByAgent() {
			committed[i].Mixed = edits.MixedUnknown // only the run's folder recorded that
		}
	}
	if err != nil || len(e.PossibleCommits) == 0 {
		return committed, err
	}
	possible, _ := repo.CommittedBy(ctx, idsOf(e.PossibleCommits), from)
	for i := range possible {
		possible[i].Certainty = changeset.Possible
	}
	return append(committed, possible...), nil
}

func idsOf(commits []changeset.Commit) []string {
	return lists.Mapped(commits, func(c changeset.Commit) string { return c.ID })
}

// CertaintyIn returns how certain an entry is that its run changed a path. A change in the entry of a commit counts as
// shown.
func CertaintyIn(e *memory.Entry, path string) changeset.Certainty {
	if !e.Kind.ByAgent() {
		return changeset.Shown
	}
	for _, c := range e.Changes.Items {
		folder := c.Status == changeset.StatusFolder && (c.Path == "./" || strings.HasPrefix(path, c.Path))
		if c.Path == path || c.OldPath == path || folder {
			return c.Certainty
		}
	}
	return changeset.Possible
}

// CommitsNow returns the current ids of commits of an entry. Possible commits are not resolved, and keep their ids.
func CommitsNow(ctx context.Context, s *app.Repo, e *memory.Entry, commits []changeset.Commit) []string {
	if len(commits) == 0 {
		return nil
	}
	states := lookup.NewCommitStates(ctx, s, e)
	var ids []string
	for _, c := range commits {
		id := c.ID
		if link := states.Of(id); link.State == retrieval.LinkRewritten {
			id = link.Now
		}
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// UncommittedGone says that the uncommitted changes of a run are no longer kept.
func UncommittedGone(e *memory.Entry) string {
	return fmt.Sprintf("what run %s left uncommitted is not kept any more, as only that of the newest runs is", memory.ShortID(e.ID))
}
