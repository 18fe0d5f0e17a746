package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"agentflow/gitwatch"
	"agentflow/gitwatch/edits"
	"agentflow/memory"
)

// runEdits are what a run or a commit changed, exactly.
type runEdits struct {
	dir         string // the run's folder; it may be gone
	committed   []edits.Change
	uncommitted []edits.Change
	moved       int // files that changed as HEAD was moved otherwise
	// lost says that the run left changes uncommitted that are not kept.
	lost bool
}

// all are the edits in the order they were made.
func (e runEdits) all() []edits.Change { return slices.Concat(e.committed, e.uncommitted) }

// editsOf reads what a run kept. Where that is gone, or for a commit's entry,
// git tells what the commits changed.
func (s *site) editsOf(ctx context.Context, repo *gitwatch.Repo, e *memory.Entry) (runEdits, error) {
	out := runEdits{dir: filepath.Join(s.Runs(), e.ID)}
	var err error
	if out.uncommitted, err = edits.Load(out.dir); err == nil {
		out.committed, err = edits.LoadCommitted(out.dir)
	}
	if err == nil {
		out.moved, err = edits.LoadMoved(out.dir)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return out, err
	}
	out.lost = len(e.Uncommitted.Items) > 0
	if len(e.Commits) == 0 {
		return out, nil
	}
	ids := make([]string, len(e.Commits))
	for i, c := range e.Commits {
		ids[i] = c.ID
	}
	var from gitwatch.Origin
	if e.Kind == memory.KindRun {
		from = gitwatch.Origin{Base: e.Base, Branch: e.Branch}
	}
	if out.committed, err = repo.CommittedBy(ctx, ids, from); err != nil {
		out.committed, err = repo.CommittedBy(ctx, s.commitsNow(ctx, e), from)
	}
	return out, err
}

// commitsNow are an entry's commits under the ids they live on as.
func (s *site) commitsNow(ctx context.Context, e *memory.Entry) []string {
	became := s.linked(ctx, e)
	var ids []string
	for _, c := range e.Commits {
		id := c.ID
		if link := became.of(id); link.State == memory.LinkRewritten {
			id = link.Now
		}
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// notKept is what there is to say of a run whose uncommitted changes are gone.
func notKept(e *memory.Entry) string {
	return fmt.Sprintf("what run %s left uncommitted is not kept any more, as only that of the newest runs is", memory.ShortID(e.ID))
}
