package daemon

import (
	"context"

	"agentflow/app"
	appextract "agentflow/app/extract"
)

func (d *daemon) extractPasses(ctx context.Context) {
	pass := func() {
		if err := appextract.Pending(ctx, d.Runner.Repo); ctx.Err() == nil {
			d.tell("", err)
		}
	}
	pass()
	for range app.Ticks(ctx, appextract.Every) {
		pass()
	}
}
