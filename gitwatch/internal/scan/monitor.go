package scan

import (
	"context"

	"agentflow/gitwatch/internal/fsmonitor"
	"agentflow/gitwatch/internal/git"
	"agentflow/gitwatch/internal/gitindex"
)

// askMonitor asks git's daemon for the changes since the index was written. It returns nil if the
// daemon does not watch this work tree, or does not know. It does not use the daemon where letter
// case is ignored, because the daemon may report names in another case.
//
// A hook in the daemon's place (core.fsmonitor names a program) is never run, because it may have
// come with the repository.
func (s *scan) askMonitor(ctx context.Context) *gitindex.Monitored {
	if !s.set.Monitor || s.set.IgnoreCase {
		return nil
	}
	m := s.index.Monitored()
	if m == nil {
		return nil
	}
	moved, known := fsmonitor.Moved(ctx, s.WorkTree.GitDir, m.Token)
	if !known {
		return nil
	}
	for _, path := range moved {
		m.Moved(path)
	}
	return m
}

// knownClean reports whether entry i is known to match both HEAD and the work tree. It does not
// trust the flags that keep git from looking.
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
