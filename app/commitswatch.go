package app

import (
	"context"
	"time"

	"agentflow/gitwatch/hook"
)

// hearEvery is how often a watcher looks whether hooks noted a commit: one
// stat.
const hearEvery = 2 * time.Second

// hearing makes a watcher record the commits that hooks note; what is written
// wakes it to index that. What it returns waits for its end, which comes with
// that of ctx.
func (u *updater) hearing(ctx context.Context) (finish func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		ticker := time.NewTicker(hearEvery)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
			if hook.Pending(u.State()) && u.claim.stands() == nil {
				u.mu.Lock()
				u.settleCommits(ctx)
				u.mu.Unlock()
			}
		}
	}()
	return func() { <-done }
}
