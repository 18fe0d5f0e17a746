package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"agentflow/gitwatch"
	"agentflow/gitwatch/edits"
	"agentflow/memory"
)

type runEdits struct {
	dir         string // the run's folder; it may be gone
	committed   []edits.Change
	uncommitted []edits.Change
	moved       int  // files that changed by a switch or a reset
	lost        bool // the run left changes uncommitted that are not kept
}

func (e runEdits) all() []edits.Change { return slices.Concat(e.committed, e.uncommitted) }

// those are the edits that want names.
func (e runEdits) those(want func(edits.Change) bool) runEdits {
	not := func(c edits.Change) bool { return !want(c) }
	e.committed = slices.DeleteFunc(slices.Clone(e.committed), not)
	e.uncommitted = slices.DeleteFunc(slices.Clone(e.uncommitted), not)
	return e
}

// editsOf reads what a run kept. Where that is gone, or for a commit's entry,
// git tells what the commits changed.
func (s *openMemory) editsOf(ctx context.Context, repo *gitwatch.Repo, e *memory.Entry) (runEdits, error) {
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
	out.committed, err = s.committedOf(ctx, repo, e)
	out.lost = len(e.Uncommitted.Items) > 0
	return out, err
}

// committedOf asks git what an entry's commits changed, and the entry how sure
// that is. Commits that are only possible, and were rewritten since, are not
// worth an error.
func (s *openMemory) committedOf(ctx context.Context, repo *gitwatch.Repo, e *memory.Entry) (committed []edits.Change, err error) {
	var from gitwatch.Origin
	if e.Kind.ByAgent() {
		from = gitwatch.Origin{Base: e.Base, Branch: e.Branch}
	}
	if len(e.Commits) > 0 {
		if committed, err = repo.CommittedBy(ctx, idsOf(e.Commits), from); err != nil {
			committed, err = repo.CommittedBy(ctx, s.commitsNow(ctx, e, e.Commits), from)
		}
	}
	for i, c := range committed {
		committed[i].Certainty = certaintyIn(e, c.Path)
		if e.Kind.ByAgent() {
			committed[i].Mixed = edits.MixedUnknown // that stood in the run's folder
		}
	}
	if err != nil || len(e.PossibleCommits) == 0 {
		return committed, err
	}
	possible, _ := repo.CommittedBy(ctx, idsOf(e.PossibleCommits), from)
	for i := range possible {
		possible[i].Certainty = memory.Possible
	}
	return append(committed, possible...), nil
}

func idsOf(commits []memory.Commit) []string {
	return mapped(commits, func(c memory.Commit) string { return c.ID })
}

// certaintyIn is how sure an entry is that its run changed a path. What stands
// in a commit's own entry is that commit's.
func certaintyIn(e *memory.Entry, path string) memory.Certainty {
	if !e.Kind.ByAgent() {
		return memory.Shown
	}
	for _, c := range e.Changes.Items {
		folder := c.Status == memory.StatusFolder && (c.Path == "./" || strings.HasPrefix(path, c.Path))
		if c.Path == path || c.OldPath == path || folder {
			return c.Certainty
		}
	}
	return memory.Possible
}

// commitsNow are commits of an entry under the ids they live on as. Those that
// are only possible are not followed.
func (s *openMemory) commitsNow(ctx context.Context, e *memory.Entry, commits []memory.Commit) []string {
	if len(commits) == 0 {
		return nil
	}
	states := s.commitStates(ctx, e)
	var ids []string
	for _, c := range commits {
		id := c.ID
		if link := states.of(id); link.State == memory.LinkRewritten {
			id = link.Now
		}
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

func uncommittedGone(e *memory.Entry) string {
	return fmt.Sprintf("what run %s left uncommitted is not kept any more, as only that of the newest runs is", memory.ShortID(e.ID))
}
