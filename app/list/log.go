package list

import (
	"cmp"
	"context"
	"errors"
	"time"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/memory"
)

// LogRequest selects entries, newest first.
type LogRequest struct {
	// Paths are paths that the entries changed, or folders above such paths: absolute, or relative to the folder of the
	// Memory. The earlier names of a renamed file count too. Without paths, all runs and sessions are listed.
	Paths        []string
	All          bool        // without paths: also list notes and commits
	Kind         memory.Kind // only entries of this kind; empty: see Paths and All
	Since, Until time.Time   // Since inclusive, Until exclusive; zero means no limit
	Limit        int         // at most this many; 0 lists all
	Cursor       string      // the Next of a list: continue after it, with older entries
	Shared       bool        // also list entries that others share
	Author       string      // only entries that this person shares, or stored through a team's server; empty: all
}

// LogResult is one page of entries.
type LogResult struct {
	Runs     []api.Run           // with the states of their commits; never nil
	Titles   []string            // for each run its title; for a note, its fact
	Places   []string            // for each run its place: memory/2026-11-21.md:3-9
	Paths    []string            // those of the request, relative to the top of the work tree, '/' separated
	Others   bool                // there is no run or session; Runs has the commits and notes
	Hidden   map[memory.Kind]int // number of commits and notes that are left out, by kind; of a page of a longer list: so far
	Nothing  bool                // the place has no memory yet
	More     bool                // LogPages: older entries are left out because of the limit
	Next     string              // the Cursor of the next page; empty on the last page
	Degraded []string            // failures that did not stop the operation, one per line; never nil
}

// entriesList identifies the list to which a cursor of entries belongs.
const entriesList = "entries"

// Log lists runs and sessions, or the entries that changed the given paths.
func Log(ctx context.Context, m *app.Memory, req LogRequest) (res LogResult, err error) {
	o := m.Begin(ctx)
	defer o.End(&res.Degraded, &err)
	defer o.OrNothing(&err)
	l, err := openEntryList(ctx, o, &req)
	if err != nil {
		return emptyLog(), err
	}
	defer l.stop()
	return l.page(req.Limit), nil
}

func emptyLog() LogResult { return LogResult{Runs: []api.Run{}} }

// pageEntries limits the entries on a page of a long list.
const pageEntries = 500

// LogPages is Log for a list of any length. It calls show for each page, at least once, while it reads, so that only a
// few pages are in memory. An error of show ends the list. The list begins with the open sessions. If there is no run
// or session, it has the commits and notes.
func LogPages(ctx context.Context, m *app.Memory, req LogRequest, show func(LogResult) error) (err error) {
	var degraded []string
	o := m.Begin(ctx)
	defer o.End(&degraded, &err)
	l, err := openEntryList(ctx, o, &req)
	if errors.Is(err, app.ErrNothing) {
		o.OrNothing(&err)
		return show(LogResult{Runs: []api.Run{}, Nothing: true})
	}
	if err != nil {
		return err
	}
	defer func() { l.stop() }()
	size := pageEntries
	if req.Limit > 0 {
		size = req.Limit
	}
	page := l.page(size)
	if len(page.Runs) == 0 && req.isPlain() {
		l.stop()
		req.All = true
		if l, err = newEntryList(ctx, l.s, &req); err != nil {
			return err
		}
		page = l.page(size)
		page.Others = len(page.Runs) > 0
	}
	if req.Limit > 0 {
		l.countHidden(ctx, &req, &page)
	}
	page.addOpen(OpenSessions(ctx, l.s, req))
	page.cut(req.Limit)
	for {
		if err := cmp.Or(show(page), context.Cause(ctx)); err != nil || page.Next == "" || req.Limit > 0 {
			return err
		}
		page = l.page(size)
	}
}

// isPlain reports whether a request asks for runs and sessions without any restriction to paths or kinds.
func (req *LogRequest) isPlain() bool {
	return len(req.Paths) == 0 && !req.All && req.Kind == "" && req.Cursor == ""
}
