package gitwatch

import (
	"context"

	"agentflow/gitwatch/internal/git"
)

// submodule is what a gitlink entry holds: the commit its repository has
// checked out. One that is not there, or cannot be resolved cheaply, holds
// what the index says.
func (s *scan) submodule(ctx context.Context, e *indexEntry, st fileStat) file {
	f := e.file()
	switch {
	case !st.there:
		return file{}
	case st.kind != kindFolder:
		return s.statOnly(st, nil)
	}
	f.Hash = s.submoduleHead(ctx, e.name, f.Hash)
	return f
}

// submoduleHead is the commit that the submodule at path has checked out, or
// the one given where it cannot be told.
func (w *workTree) submoduleHead(ctx context.Context, path, otherwise string) string {
	sub, err := findPlace(ctx, w.full(path))
	if err != nil {
		return otherwise
	}
	s := openStore(ctx, sub)
	defer s.close()
	if _, head, err := s.head(); err == nil && head != "" {
		return head.String()
	}
	return otherwise
}

// leftSubmodule is the submodule that stands at a path all the same when what
// names it no longer does: git leaves its folder where it is. Nothing for
// another file than a submodule.
func (w *workTree) leftSubmodule(ctx context.Context, path string, named file) file {
	if named.Mode != git.ModeGitlink {
		return file{}
	}
	head := w.submoduleHead(ctx, path, "")
	if head == "" {
		return file{}
	}
	return file{Mode: git.ModeGitlink, Hash: head}
}
