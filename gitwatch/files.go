package gitwatch

import (
	"context"
	"fmt"

	"agentflow/gitwatch/internal/git"
	"agentflow/gitwatch/internal/scan"
)

// File is a tracked file in the work tree. Times are in nanoseconds since 1970. Ctime and Inode are
// 0 if the system has none.
type File = scan.File

// Files returns the tracked regular files that are in the work tree, sorted by path, with their
// lstat data. It leaves out AgentFlow's own files, submodules, links, everything behind a link, and
// files that cannot be examined.
func (r *Repo) Files(ctx context.Context) (files []File, err error) {
	defer git.Caught(&err)
	if files, err = r.tree.Files(ctx); err != nil {
		return nil, fmt.Errorf("list the files of %s: %w", r.at.Given, err)
	}
	return files, nil
}
