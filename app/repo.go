package app

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"agentflow/gitwatch"
	"agentflow/index"
	"agentflow/internal/config"
	"agentflow/internal/embedder"
	"agentflow/internal/plural"
	"agentflow/internal/redact"
	"agentflow/memory"
	"agentflow/writeback"
)

// Repo is one opened memory: the place, its settings and the parts that work on it.
type Repo struct {
	*Operation
	config.Place
	Dirs           config.Dirs
	Settings       *config.Config
	Store          *writeback.Store
	Redact         *redact.Redactor
	Failures       failureLog
	unrecordable   atomic.Bool          // the user was warned that failures cannot be recorded
	Progress       func(index.Progress) // receives the progress of indexing; nil: not wanted
	Vectors        embedder.State
	Refuses        func(path string) bool // reports a file that came with the repository and is not accepted; nil: none did
	untrustedCache untrustedCache
	opened         openRepo
	Patient        bool        // a person waits for the result of this command, not an agent
	Wrote          atomic.Bool // entries of commits were written, so the index is behind
}

// Degraded warns of failures and records them. The command continues.
func (s *Repo) Degraded(command string, lines []string) {
	lines = withoutCanceled(s.Operation, lines)
	s.Degradations.add(lines)
	for _, line := range lines {
		s.Warn("%s", line)
	}
	if err := s.Failures.add(time.Now(), command, lines); err != nil && !s.unrecordable.Swap(true) {
		s.Warn("recording that: %v", err)
	}
}

// TellReport reports the work on the log to the listener.
func TellReport(s *Repo, report writeback.Report, err error) {
	for _, ref := range report.Finished {
		s.Say("finished writing %s, which an earlier command had left in the log (%s)", memory.ShortID(ref.ID), ref.Title)
	}
	for _, change := range report.Changes {
		s.Say("%s", change)
	}
	if n := len(report.Restored); n > 0 {
		s.Say("restored %s that had vanished from %s", plural.Count(n, "memory file"), s.Memory())
	}
	if len(report.Vanished) > 0 {
		s.Say("%s vanished without forget; 'agentflow status' names them", plural.Count(len(report.Vanished), "entry"))
	}
	lines := report.Degraded
	if err != nil {
		lines = append(lines, err.Error())
	}
	s.Degraded("recover", lines)
}

// openRepo caches the opened work tree, because opening one that borrows objects takes a git process.
type openRepo struct {
	mu   sync.Mutex
	repo *gitwatch.Repo
}

// Repo opens the work tree for git queries, once. It returns ErrNoGit outside git.
func (s *Repo) Repo(ctx context.Context) (*gitwatch.Repo, error) {
	if s.CommonDir == "" || s.Worktree == "" {
		return nil, ErrNoGit
	}
	s.opened.mu.Lock()
	defer s.opened.mu.Unlock()
	if s.opened.repo != nil {
		return s.opened.repo, nil
	}
	repo, err := gitwatch.Open(ctx, s.Worktree)
	if err == nil {
		s.opened.repo = repo
	}
	return repo, err
}

// repoAt opens the repository of a work tree, which may be the current one.
func repoAt(ctx context.Context, s *Repo, top string) (*gitwatch.Repo, error) {
	if top == s.Worktree {
		return s.Repo(ctx)
	}
	return gitwatch.Open(ctx, top)
}

var ErrNoGit = errors.New("no git work tree here")
