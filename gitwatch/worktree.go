package gitwatch

import (
	"context"

	"agentflow/gitwatch/edits"
	"agentflow/gitwatch/internal/git"
)

// FilesNow reads what the work tree holds at paths now. Each comes with what it
// may be expected to hold, the latest last: whose mode it keeps where the disk
// cannot tell of one. A file over git.MaxRead bytes is only hashed where that
// tells whether it is as expected. The zero WorkFile is a path that is not
// there, or behind a link.
func (r *Repo) FilesNow(ctx context.Context, expected map[string][]edits.File) (now map[string]WorkFile, err error) {
	defer git.Caught(&err)
	return r.tree.filesNow(ctx, expected)
}

// Tracked lists what git tracks at a folder of the work tree and below it, as
// path and id of the contents that the index holds. A path that is the folder
// itself, or a repository in it, is a link or a submodule. Letter case does
// not count: on some file systems another spelling is the same folder.
func (r *Repo) Tracked(ctx context.Context, folder string) (ids map[string]string, err error) {
	defer git.Caught(&err)
	return trackedFiles(ctx, r.at, folder)
}
