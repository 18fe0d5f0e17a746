package purge

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"agentflow/app"
	"agentflow/internal/filelock"
)

const proposalWait = 5 * time.Second

// ProposalsFile returns the path of the file of proposals.
func ProposalsFile(s *app.Repo) string { return filepath.Join(s.State(), "proposals.json") }

// LockProposals locks the file against changes by other processes.
func LockProposals(ctx context.Context, s *app.Repo) (*filelock.Lock, error) {
	if err := os.MkdirAll(s.State(), 0o700); err != nil {
		return nil, err
	}
	return filelock.Acquire(ctx, ProposalsFile(s)+".lock", filelock.Self("review", time.Now()), proposalWait)
}
