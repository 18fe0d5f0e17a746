package list

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/why"
	"agentflow/executor"
	"agentflow/memory"
)

// OpenSessions lists the open sessions that a request selects, newest first.
func OpenSessions(ctx context.Context, s *app.Repo, req LogRequest) []api.Run {
	if len(req.Paths) > 0 || cmp.Or(req.Kind, memory.KindSession) != memory.KindSession || req.Author != "" || !req.Until.IsZero() {
		return nil
	}
	return app.Mapped(why.SessionsSoFar(ctx, s), func(o executor.SoFar) api.Run {
		run := api.NewRun(o.Entry(), "")
		run.Open = true
		return run
	})
}

// addOpen puts open sessions before the entries of a page.
func (res *LogResult) addOpen(open []api.Run) {
	none := make([]string, len(open))
	res.Runs, res.Places = append(open, res.Runs...), append(none, res.Places...)
	res.Titles = append(app.Mapped(open, OpenTitle), res.Titles...)
}

// OpenTitle returns the title of an open session.
func OpenTitle(r api.Run) string { return cmp.Or(memory.Title(r.Task), "a session") }

// stillOpen returns an error if an id, or "last", names an open session, and otherwise nil.
func stillOpen(ctx context.Context, s *app.Repo, ref string) error {
	for _, o := range why.SessionsSoFar(ctx, s) {
		if id := o.Entry().ID; ref == "last" || len(ref) >= minRef && strings.HasSuffix(id, ref) {
			return &app.Error{Kind: app.KindNotFound, Err: fmt.Errorf("session %s is open: it has an entry once its agent commits, or it ends", memory.ShortID(id)),
				Hint: "'agentflow log' shows how far it is, 'agentflow why FILE:LINE' what it wrote"}
		}
	}
	return nil
}

// minRef is the smallest number of digits that may abbreviate an id.
const minRef = 4
