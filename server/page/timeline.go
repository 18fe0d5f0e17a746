package page

import (
	"context"
	"fmt"
	"strings"
	"time"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/daemon"
	"agentflow/app/list"
	"agentflow/memory"
)

func usagef(format string, args ...any) error {
	return &app.Error{Kind: app.KindUsage, Err: fmt.Errorf(format, args...)}
}

// timelinePage is the view Timeline, and the history in the view Files.
type timelinePage struct {
	Kind, Since, Until string
	Author             string
	Filtered           bool           // by a time or a person
	Live               []api.RunState // only on the first page
	Days               []entryDay
	First              bool // it shows the newest entries
	Next               string
}

// entryDay is a day with its entries, newest first.
type entryDay struct {
	Date    time.Time
	Entries []entryLine
}

// entryLine is an entry in a list.
type entryLine struct {
	api.Run
	Title          string
	Files          int // number of changed files
	Counted        bool
	Added, Deleted int // lines changed in the requested path, if they are counted
}

func lineOf(run api.Run, title string) entryLine {
	if run.Kind == memory.KindNote && len(run.Memories) > 0 {
		title = memory.Head(strings.Join(strings.Fields(memory.Clean(run.Memories[0].Text)), " "), 300)
	}
	return entryLine{Run: run, Title: title, Files: len(run.Changes) + len(run.Uncommitted) + len(run.Elsewhere)}
}

const entriesOfPage = 50

func timeline(ctx context.Context, q request) (a answer, err error) {
	p := timelinePage{Kind: q.get("kind"), Since: q.get("since"), Until: q.get("until"), Author: q.get("author"), First: q.get("cursor") == ""}
	p.Filtered = p.Since+p.Until+p.Author != ""
	req := list.LogRequest{All: true, Kind: memory.Kind(p.Kind), Limit: entriesOfPage, Cursor: q.get("cursor"), Author: p.Author}
	if req.Since, req.Until, err = period(p.Since, p.Until); err != nil {
		return a, err
	}
	res, err := list.Log(ctx, q.Memory, req)
	if err != nil {
		return a, err
	}
	p.Days, p.Next = days(res), res.Next
	a = answer{Title: "Timeline", Degraded: res.Degraded}
	if p.First {
		going, err := daemon.Going(ctx, q.Memory)
		if err != nil {
			return a, err
		}
		p.Live, a.Degraded = going.Runs, append(a.Degraded, going.Degraded...)
	}
	a.Data = p
	return a, nil
}

// days groups entries by the day on which they began.
func days(res list.LogResult) (list []entryDay) {
	for i, run := range res.Runs {
		date := run.StartedAt.Local()
		if n := len(list); n == 0 || !sameDay(list[n-1].Date, date) {
			list = append(list, entryDay{Date: date})
		}
		d := &list[len(list)-1]
		d.Entries = append(d.Entries, lineOf(run, res.Titles[i]))
	}
	return list
}

func sameDay(a, b time.Time) bool { return a.Format(time.DateOnly) == b.Format(time.DateOnly) }

// liveRuns shows the runs in progress.
func liveRuns(ctx context.Context, q request) (answer, error) {
	res, err := daemon.Going(ctx, q.Memory)
	return answer{Title: "Active runs", Data: timelinePage{Live: res.Runs}, Degraded: res.Degraded}, err
}
