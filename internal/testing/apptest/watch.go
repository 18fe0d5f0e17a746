package apptest

import (
	"context"

	"agentflow/app"
)

// Events returns a context that sends its events on a channel as they happen.
func Events(ctx context.Context) (context.Context, chan app.Event) {
	sent := make(chan app.Event, 100)
	return app.Listen(ctx, func(e app.Event) { sent <- e }), sent
}
