package list

import (
	"cmp"
	"context"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/why"
	"agentflow/executor"
	"agentflow/internal/lists"
	"agentflow/internal/plural"
	"agentflow/memory"
)

// OpenSessions lists the open sessions that a request selects, newest first.
func OpenSessions(ctx context.Context, s *app.Repo, req LogRequest) []api.Run {
	if len(req.Paths) > 0 || cmp.Or(req.Kind, memory.KindSession) != memory.KindSession || req.Author != "" || !req.Until.IsZero() {
		return nil
	}
	return lists.Mapped(why.SessionsSoFar(ctx, s), func(o executor.SoFar) api.Run {
		run := api.NewRun(o.Entry(), "")
		run.Open = true
		return run
	})
}

// addOpen puts open sessions before the entries of a page.
func (res *LogResult) addOpen(open []api.Run) {
	none := make([]string, len(open))
	res.Runs, res.Places = append(open, res.Runs...), append(none, res.Places...)
	res.Titles = append(lists.Mapped(open, OpenTitle), res.Titles...)
}

// cut shortens a page to the limit of a list, which counts the open sessions too.
func (res *LogResult) cut(limit int) {
	res.More = limit > 0 && (res.Next != "" || len(res.Runs) > limit)
	if limit > 0 && len(res.Runs) > limit {
		res.Runs, res.Titles, res.Places = res.Runs[:limit], res.Titles[:limit], res.Places[:limit]
	}
}

// OpenTitle returns the title of an open session.
func OpenTitle(r api.Run) string { return cmp.Or(memory.Title(r.Task), "a session") }

// tellOpen says that open sessions changed files, which are in no entry yet.
func tellOpen(ctx context.Context, s *app.Repo) {
	for _, o := range why.SessionsSoFar(ctx, s) {
		if n := len(o.Files()); n > 0 {
			s.Say("session %s is open and wrote %s, which this earlier entry does not have: 'agentflow why FILE' shows its lines, 'git diff' its changes", memory.ShortID(o.ID), plural.Count(n, "file"))
		}
	}
}
