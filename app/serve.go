package app

import (
	"context"
	"errors"
	"path/filepath"
	"time"
)

// ServingResult is the user's settings for a server of memory.
type ServingResult struct {
	Addr      string // the setting serve.addr
	TokenFile string // holds the token of the user's servers; absolute
	Degraded  []string
}

// Serving returns the settings for serving the user's memory. It needs no repository. Errors
// are of KindUsage: the settings cannot be used, or the user has no folders.
func Serving(ctx context.Context, m *Memory) (result ServingResult, err error) {
	o := m.begin(ctx)
	defer o.end(&result.Degraded, &err)
	place, dirs, err := placeOrNone(o)
	if err != nil {
		return result, err
	}
	if dirs.State == "" {
		return result, &Error{Kind: KindUsage, Err: errors.New("finding your folders: neither HOME nor XDG_STATE_HOME are set"), Hint: "set HOME"}
	}
	settings, err := o.load(place, dirs)
	if err != nil {
		return result, err
	}
	result.Addr, result.TokenFile = settings.Serve.Addr, filepath.Join(dirs.State, "serve-token")
	return result, nil
}

// UpkeepRequest configures the background work of a server.
type UpkeepRequest struct {
	DaemonRequest
	Jobs bool // also run scheduled jobs, as Daemon does
}

// upkeepEvery is the time between two attempts to become the watcher.
const upkeepEvery = 5 * time.Second

// Upkeep does what Watch or Daemon does until ctx ends, which is its normal
// end. While another process watches, or there is no memory yet, it waits for
// its turn.
func Upkeep(ctx context.Context, m *Memory, req UpkeepRequest) (result Done, err error) {
	for {
		if req.Jobs {
			result, err = Daemon(ctx, m, req.DaemonRequest)
		} else {
			result, err = Watch(ctx, m, req.WatchRequest)
		}
		waits := err != nil && (AsError(err).Kind == KindRefused || AsError(err).Kind == KindNoPlace)
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
