package share

import (
	"context"
	"fmt"
	"path/filepath"

	"agentflow/app"
	"agentflow/app/purge"
	"agentflow/app/sharing"
	"agentflow/internal/share/exchange"
)

// FinishPurges continues the unfinished purges of this memory and of the user's own.
func FinishPurges(ctx context.Context, s *app.Repo) {
	homes := []*app.Repo{s}
	if own := s.Dirs.Global(); own.Root != "" && !s.IsGlobal() && purge.IsThere(filepath.Join(own.State(), purge.PurgingName)) {
		if home, err := app.OpenExistingGlobal(ctx, s.Operation); err == nil {
			homes = append(homes, home)
		}
	}
	for _, home := range homes {
		if purge.IsThere(purge.PurgingFile(home)) {
			purge.FinishPurge(ctx, home, purge.Traces(s))
		}
	}
	if purge.IsThere(filepath.Join(s.State(), exchange.PurgedName)) && !s.Policy.Team {
		finishDrop(ctx, s)
	}
}

// finishDrop continues a sync that accepted a purge and did not finish it.
func finishDrop(ctx context.Context, s *app.Repo) {
	c, err := sharing.Read(s)
	if err != nil || c == nil {
		c = &sharing.Target{}
	}
	clone, err := clone(ctx, s, c)
	if err == nil {
		err = dropPurged(ctx, s, clone)
	}
	if err != nil {
		s.Degraded("sync", []string{fmt.Sprintf("a purge by another clone has not ended here: %v; the next command tries again", err)})
	}
}
