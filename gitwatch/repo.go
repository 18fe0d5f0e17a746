package gitwatch

import (
	"context"

	"agentflow/gitwatch/internal/git"
)

// Repo is a git work tree that is watched: the main one or a linked one.
type Repo struct {
	at   *place
	tree *workTree
	memo memo // the last snapshot
}

// Open finds the repository of a work tree: workTree is its top folder, which
// holds .git (a folder, or a file that points to one). The error is an
// UnsupportedError where neither go-git nor a git program can read it.
func Open(ctx context.Context, workTree string) (r *Repo, err error) {
	defer git.Caught(&err)
	at, err := findPlace(ctx, workTree)
	if err != nil {
		return nil, err
	}
	return &Repo{at: at, tree: newWorkTree(at)}, nil
}

// Root is the top folder of the work tree, symlinks resolved.
func (r *Repo) Root() string { return r.at.top }

// GitDir is the git directory of this work tree.
func (r *Repo) GitDir() string { return r.at.dir }

// CommonDir is the repository's git directory, which all work trees share.
func (r *Repo) CommonDir() string { return r.at.common }

// Partial says whether contents may have been left with a remote (a partial
// clone).
func (r *Repo) Partial() bool { return r.at.partial }

// BlobID is the id git gives to contents in this repository, in hex.
func (r *Repo) BlobID(content []byte) string { return r.at.ids.BlobID(content) }

// BlobIDs are the ids that git gives contents, in repositories of either kind.
func BlobIDs(content []byte) []string {
	return []string{git.SHA1.BlobID(content), git.SHA256.BlobID(content)}
}
