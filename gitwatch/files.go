package gitwatch

import (
	"context"
	"fmt"

	"agentflow/gitwatch/internal/git"
	"agentflow/gitwatch/internal/scan"
)

// File is a tracked file as it stands in the work tree. Times are in nanoseconds since
// 1970; Ctime and Inode are 0 where the system has none.
type File = scan.File

// Files are the tracked regular files that are in the work tree, sorted by path, with
// what lstat says of them. AgentFlow's own files, submodules, links, and what is behind a
// link are left out, and what cannot be looked at.
func (r *Repo) Files(ctx context.Context) (files []File, err error) {
	defer git.Caught(&err)
	if files, err = r.tree.Files(ctx); err != nil {
		return nil, fmt.Errorf("list the files of %s: %w", r.at.Given, err)
	}
	return files, nil
}
