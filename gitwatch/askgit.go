package gitwatch

import (
	"context"
	"io"

	"agentflow/gitwatch/internal/git"
)

// git asks the git program in the work tree.
func (r *Repo) git(ctx context.Context, stdin io.Reader, args ...string) ([]byte, error) {
	return git.Ask(ctx, r.root, stdin, args...)
}

// BlobID is the id git gives to contents in this repository, in hex.
func (r *Repo) BlobID(content []byte) string { return r.shape.ids.BlobID(content) }

// BlobIDs are the ids that git gives contents, in repositories of either kind.
func BlobIDs(content []byte) []string {
	return []string{git.SHA1.BlobID(content), git.SHA256.BlobID(content)}
}
