package share

import (
	"context"

	"agentflow/app"
	"agentflow/writeback"
)

// Adopt takes over the files that another server of the team wrote.
func Adopt(ctx context.Context, s *app.Repo, files map[string][]byte, purged bool) error {
	before, err := s.Store.ForgottenIDs(ctx)
	if err == nil {
		err = s.Store.Become(ctx, "sync", func(map[string][]byte) map[string][]byte { return files })
	}
	if err != nil || !purged {
		return err
	}
	after, err := s.Store.ForgottenIDs(ctx)
	if err != nil {
		return err
	}
	var gone []string
	for id := range after {
		if !before[id] {
			gone = append(gone, id)
		}
	}
	if len(gone) == 0 {
		return nil
	}
	_, err = s.Store.Purge(ctx, gone, writeback.Traces{})
	return err
}
