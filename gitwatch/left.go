package gitwatch

import (
	"context"
	"fmt"
	"path/filepath"

	"agentflow/gitwatch/internal/git"
	"agentflow/gitwatch/internal/objects"
	"agentflow/gitwatch/internal/repo"
	"agentflow/gitwatch/internal/scan"
	"agentflow/internal/gitdir"
)

// OpenAnywhere opens the repository of a work tree that may have been moved or removed since. For
// one that was removed, only committed changes can be known. commonDir is the git directory that
// the work trees of the repository share. isMain says that it was the main one, which moves with
// its repository.
func OpenAnywhere(ctx context.Context, commonDir, workTree string, isMain bool) (r *Repo, err error) {
	defer git.Caught(&err)
	if commonDir == "" || !gitdir.HasLeft(commonDir, workTree) {
		return Open(ctx, workTree)
	}
	at := gitdir.MovedTo(commonDir, workTree)
	if isMain {
		at, _ = gitdir.Main(commonDir)
	}
	if at == "" || gitdir.HasLeft(commonDir, at) {
		return openRemoved(ctx, commonDir, workTree)
	}
	if r, err = Open(ctx, at); err == nil {
		r.at.Given, r.left = gitdir.Real(workTree), true
	}
	return r, err
}

// openRemoved opens the repository of a work tree that is gone.
func openRemoved(ctx context.Context, commonDir, workTree string) (*Repo, error) {
	at, err := repo.Removed(ctx, commonDir, gitdir.Real(workTree))
	if err != nil {
		return nil, err
	}
	return &Repo{at: at, tree: scan.New(at), left: true, removed: true}, nil
}

// removedTree notes in the entry of a run that its work tree is gone.
const removedTree = "the work tree is no longer at its path: what was not committed there is not known"

// ofRemoved returns the state now of a work tree that was removed after start. It has no
// files. The commit that was checked out last is unknown, so HEAD and branch are those of
// start.
func (r *Repo) ofRemoved(ctx context.Context, start *snapshot) (*snapshot, error) {
	store := objects.OpenStore(ctx, r.at)
	defer store.Close()
	refs, err := store.Refs()
	if err != nil {
		return nil, fmt.Errorf("read references: %w", err)
	}
	return &snapshot{Version: snapshotVersion, Branch: start.Branch, Head: start.Head, Refs: refs, Began: r.tree.Now().UnixNano()}, nil
}

// isLeft reports whether a file was in the work tree before that was moved or removed.
func (r *Repo) isLeft(file string) bool {
	rel, err := filepath.Rel(r.at.Given, file)
	return r.left && err == nil && filepath.IsLocal(rel)
}
