package share

import (
	"context"
	"fmt"
	"slices"

	"agentflow/app"
	"agentflow/app/purge"
	"agentflow/internal/plural"
	"agentflow/internal/share"
	"agentflow/memory"
)

// takeIn takes over, through merge, what another machine wrote with this clone's key, and
// repeats its purges.
func takeIn(ctx context.Context, s *app.Repo, merge func(now map[string][]byte) map[string][]byte, purged []string) error {
	var before map[string][]byte
	err := s.Store.Become(ctx, "sync", func(now map[string][]byte) map[string][]byte {
		before = now
		return merge(now)
	})
	if err != nil {
		return err
	}
	ids, err := stillHeld(ctx, s, before, purged)
	if err != nil || len(ids) == 0 {
		return err
	}
	done, err := purge.PurgeIDs(ctx, s, ids, purge.Traces(s))
	if err != nil {
		return fmt.Errorf("purging what another machine with this clone's key purged: %w", err)
	}
	s.Say("purged %s, as another machine did that has this clone's key, or had it", plural.Count(len(ids), "memory"))
	warnLeft(s, done.Left)
	return nil
}

// stillHeld returns those ids that a store here still holds: the earlier memory, or the log.
func stillHeld(ctx context.Context, s *app.Repo, files map[string][]byte, ids []string) (held []string, err error) {
	lost, err := s.Store.Lost(ctx)
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	known := map[string]bool{}
	for _, l := range lost {
		known[l.ID] = true
	}
	for name, text := range files {
		known[memory.WholeFile(name)] = true
		for _, id := range share.IDs(text) {
			known[id] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !known[id] }), nil
}
