package scan

import (
	"context"

	"agentflow/gitwatch/internal/fsmonitor"
	"agentflow/gitwatch/internal/git"
	"agentflow/gitwatch/internal/gitindex"
)

// askMonitor asks git's own daemon what it saw since the index was written; nil where it
// does not watch this work tree, or does not know. Names in another letter case, which it
// may tell of, are left to stat.
//
// A hook in the daemon's place (core.fsmonitor names a program) is never run: it may have
// come with the repository.
func (s *scan) askMonitor(ctx context.Context) *gitindex.Monitored {
	if !s.set.Monitor || s.set.IgnoreCase {
		return nil
	}
	m := s.index.Monitored()
	if m == nil {
		return nil
	}
	moved, known := fsmonitor.Moved(ctx, s.GitDir, m.Token)
	if !known {
		return nil
	}
	for _, path := range moved {
		m.Moved(path)
	}
	return m
}

// knownClean says whether entry i is known to be as HEAD and the work tree have it. The
// flags that tell git not to look are not believed here either.
func (s *scan) knownClean(i int) bool {
	if s.monitored == nil || !s.monitored.Clean(i) {
		return false
	}
	e := &s.index.Entries[i]
	if !e.Merged() || e.Flagged() || e.Mode() == git.ModeGitlink {
		return false
	}
	_, differs := s.headOf[e.Name]
	return !differs
}
