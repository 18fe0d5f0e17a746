package gitwatch

import (
	"context"
	"os"

	"github.com/go-git/go-git/v5/plumbing/format/index"
)

// submodule is what a gitlink entry holds: the commit its repository has
// checked out. One that is not there, or cannot be resolved cheaply, holds
// what the index says.
func (s *scan) submodule(ctx context.Context, e *index.Entry, info os.FileInfo) file {
	f := file{Mode: modeGitlink, Hash: e.Hash.String()}
	switch {
	case info == nil:
		return file{}
	case !info.IsDir():
		return s.statOnly(info, nil)
	}
	sub, err := Open(s.full(e.Name))
	if err != nil {
		return f
	}
	_, head, err := sub.Head(ctx)
	if err == nil && head != "" {
		f.Hash = head
	}
	return f
}
