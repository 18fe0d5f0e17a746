package app

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"agentflow/api"
	"agentflow/executor"
	"agentflow/memory"
)

// openSessions lists the open sessions that a request selects, newest first.
func openSessions(ctx context.Context, s *openMemory, req LogRequest) []api.Run {
	if len(req.Paths) > 0 || cmp.Or(req.Kind, memory.KindSession) != memory.KindSession || req.Author != "" || !req.Until.IsZero() {
		return nil
	}
	return mapped(sessionsSoFar(ctx, s), func(o executor.SoFar) api.Run {
		run := api.NewRun(o.Entry(), "")
		run.Open = true
		return run
	})
}

// sessionsSoFar returns the progress of the open sessions of the repository since their last entries, newest first. It
// leaves out sessions without new turns that already have an entry.
func sessionsSoFar(ctx context.Context, s *openMemory) (list []executor.SoFar) {
	deps := sessionDeps(ctx, s)
	for _, open := range slices.Backward(executor.OpenSegments(s.Runs())) {
		o, err := executor.ReadSoFar(ctx, deps, open)
		if err == nil && (o.First || len(o.Turns) > 0) { // an error: the session has just ended
			list = append(list, o)
		}
	}
	return list
}

// addOpen puts open sessions before the entries of a page.
func (res *LogResult) addOpen(open []api.Run) {
	none := make([]string, len(open))
	res.Runs, res.Places = append(open, res.Runs...), append(none, res.Places...)
	res.Titles = append(mapped(open, OpenTitle), res.Titles...)
}

// OpenTitle returns the title of an open session.
func OpenTitle(r api.Run) string { return cmp.Or(memory.Title(r.Task), "a session") }

// stillOpen returns an error if an id, or "last", names an open session, and otherwise nil.
func stillOpen(ctx context.Context, s *openMemory, ref string) error {
	for _, o := range sessionsSoFar(ctx, s) {
		if id := o.Entry().ID; ref == "last" || len(ref) >= minRef && strings.HasSuffix(id, ref) {
			return &Error{Kind: KindNotFound, Err: fmt.Errorf("session %s is open: it has an entry once its agent commits, or it ends", memory.ShortID(id)),
				Hint: "'agentflow log' shows how far it is, 'agentflow why FILE:LINE' what it wrote"}
		}
	}
	return nil
}

// minRef is the smallest number of digits that may abbreviate an id.
const minRef = 4
