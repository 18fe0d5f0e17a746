package daemon

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"agentflow/app"
	"agentflow/app/connect"
	"agentflow/app/run"
)

// ServingResult is the user's settings for a server of memory.
type ServingResult struct {
	Addr      string // the setting serve.addr
	TokenFile string // holds the token of the user's servers; absolute
	Degraded  []string
}

// Serving returns the settings for serving the user's memory. It needs no repository. Errors
// are of KindUsage: the settings cannot be used, or the user has no folders.
func Serving(ctx context.Context, m *app.Memory) (result ServingResult, err error) {
	o := m.Begin(ctx)
	defer o.End(&result.Degraded, &err)
	place, dirs, err := connect.PlaceOrNone(o)
	if err != nil {
		return result, err
	}
	if dirs.State == "" {
		return result, &app.Error{Kind: app.KindUsage, Err: errors.New("finding your folders: neither HOME nor XDG_STATE_HOME are set"), Hint: "set HOME"}
	}
	settings, err := o.Load(place, dirs)
	if err != nil {
		return result, err
	}
	result.Addr, result.TokenFile = settings.Serve.Addr, filepath.Join(dirs.State, "serve-token")
	return result, nil
}

// UpkeepRequest configures the background work of a server.
type UpkeepRequest struct {
	Request
	Jobs bool // also run scheduled jobs, as Daemon does
}

// upkeepEvery separates two attempts to become the watcher.
const upkeepEvery = 5 * time.Second

// Upkeep does what Watch or Daemon does until ctx ends, which is its normal
// end. While another process watches, or there is no memory yet, it waits for
// its turn.
func Upkeep(ctx context.Context, m *app.Memory, req UpkeepRequest) (result run.Done, err error) {
	for {
		if req.Jobs {
			result, err = Daemon(ctx, m, req.Request)
		} else {
			result, err = Watch(ctx, m, req.WatchRequest)
		}
		waits := err != nil && (app.AsError(err).Kind == app.KindRefused || app.AsError(err).Kind == app.KindNoPlace)
		if !waits || ctx.Err() != nil {
			return result, err
		}
		select {
		case <-ctx.Done():
			return result, nil
		case <-time.After(upkeepEvery):
		}
	}
}
