package page

import (
	"context"
	"fmt"
	"strings"
	"time"

	"agentflow/api"
	"agentflow/app"
	"agentflow/memory"
)

func usagef(format string, args ...any) error {
	return &app.Error{Kind: app.KindUsage, Err: fmt.Errorf(format, args...)}
}

// timelinePage is the view Timeline, and the history in the view Files.
type timelinePage struct {
	Kind, Since, Until string
	Days               []entryDay
	First              bool // the newest entries
	Next               string
}

// entryDay is a day with its entries, the newest first.
type entryDay struct {
	Date    time.Time
	Entries []entryLine
}

// entryLine is an entry in a list.
type entryLine struct {
	api.Run
	Title string
	Files int // that were changed
}

const entriesOfPage = 50

func timeline(ctx context.Context, q request) (a answer, err error) {
	p := timelinePage{Kind: q.get("kind"), Since: q.get("since"), Until: q.get("until"), First: q.get("cursor") == ""}
	req := app.LogRequest{All: p.Kind != "run", Limit: entriesOfPage, Cursor: q.get("cursor")}
	if req.Since, req.Until, err = period(p.Since, p.Until); err != nil {
		return a, err
	}
	res, err := q.Memory.Log(ctx, req)
	if err != nil {
		return a, err
	}
	p.Days, p.Next = days(res), res.Next
	return answer{Title: "Timeline", Data: p, Degraded: res.Degraded}, nil
}

// days groups entries by the day they began.
func days(res app.LogResult) (list []entryDay) {
	for i, run := range res.Runs {
		date := run.StartedAt.Local()
		if n := len(list); n == 0 || !sameDay(list[n-1].Date, date) {
			list = append(list, entryDay{Date: date})
		}
		d := &list[len(list)-1]
		d.Entries = append(d.Entries, entryLine{run, res.Titles[i], len(run.Changes) + len(run.Uncommitted)})
	}
	return list
}

func sameDay(a, b time.Time) bool { return a.Format(time.DateOnly) == b.Format(time.DateOnly) }

// liveRuns are the runs that go on.
func liveRuns(ctx context.Context, q request) (answer, error) {
	res, err := q.Memory.Status(ctx, app.StatusRequest{})
	return answer{Title: "Runs that go on", Data: res.Status.Live}, err
}

// itemPage is an entry.
type itemPage struct {
	app.ShowResult
	Title    string
	File     string // of memory, and the line in it
	Line     string
	Recalled []recalledItem
	Facts    []recalledItem // of MEMORY.md
	Diff     *patch         // nil where it was not asked for
}

// recalledItem is what memory put in front of a run.
type recalledItem struct {
	api.Shown
	Number int // of those that can be judged; from 1
	Name   string
}

// patch is a patch in lines.
type patch struct {
	Lines   []patchLine
	More    int // lines that are left out
	Notes   []string
	Missing []string
	Problem string
}

type patchLine struct{ Class, Text string }

// factPage is a fact.
type factPage struct {
	app.Fact
	In, At  string // the file of memory, and the line
	Similar []api.Similar
}

// showItem shows an entry or a fact.
func showItem(ctx context.Context, q request) (a answer, err error) {
	if q.id != "last" && !known(q.id) {
		return a, &app.Error{Kind: app.KindNotFound, Err: fmt.Errorf("%q is no id", memory.Clean(q.id)), Hint: "an id is made of hexadecimal digits"}
	}
	res, err := q.Memory.Show(ctx, app.ShowRequest{Ref: q.id})
	if err != nil {
		return a, err
	}
	a.Degraded = res.Degraded
	if res.Fact != nil {
		p := factPage{Fact: *res.Fact}
		p.In, p.At = splitPlace(res.Fact.Place)
		if like, err := q.Memory.Similar(ctx, app.SimilarRequest{Ref: q.id, Limit: 5}); err == nil {
			p.Similar = like.Similar
		} else {
			a.Degraded = append(a.Degraded, "looking for what is like it: "+err.Error())
		}
		a.Template, a.Title, a.Data = "fact", "Fact: "+memory.Title(p.Text), p
		return a, nil
	}
	if res.Run == nil {
		return a, &app.Error{Kind: app.KindNotFound, Err: fmt.Errorf("%s is no entry", memory.Clean(q.id))}
	}
	p := itemPage{ShowResult: res, Title: memory.Title(res.Run.Task)}
	if res.Run.Kind == memory.KindNote && len(res.Run.Memories) > 0 {
		p.Title = memory.Title(res.Run.Memories[0].Text)
	}
	p.File, p.Line = splitPlace(res.Place)
	for i, s := range res.Run.Recalled {
		p.Recalled = append(p.Recalled, recalledItem{s, i + 1, res.Recalled[i]})
	}
	for i, s := range res.Run.Facts {
		p.Facts = append(p.Facts, recalledItem{s, 0, res.RecalledFacts[i]})
	}
	if q.values.Has("diff") {
		p.Diff = patchOf(q.Memory.Diff(ctx, app.DiffRequest{Run: q.id, Patch: true}))
	}
	a.Title, a.Data = p.Title, p
	return a, nil
}

// splitPlace is a place's file and its first line: memory/x.md:3-9.
func splitPlace(place string) (file, line string) {
	at := strings.LastIndex(place, ":")
	if at < 0 {
		return place, ""
	}
	line, _, _ = strings.Cut(place[at+1:], "-")
	return place[:at], line
}

// maxPatch bounds the lines of a patch in a page.
const maxPatch = 5000

func patchOf(res app.DiffResult, err error) *patch {
	if err != nil {
		return &patch{Problem: err.Error()}
	}
	p := &patch{Notes: res.Notes, Missing: res.Missing}
	text := strings.TrimSuffix(string(res.Patch), "\n")
	if text == "" {
		return p
	}
	for _, l := range strings.Split(text, "\n") {
		if len(p.Lines) == maxPatch {
			p.More++
			continue
		}
		p.Lines = append(p.Lines, patchLine{patchClass(l), memory.Clean(l)})
	}
	return p
}

func patchClass(line string) string {
	switch {
	case strings.HasPrefix(line, "diff "):
		return "file"
	case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"), strings.HasPrefix(line, "index "):
		return "head"
	case strings.HasPrefix(line, "@@"):
		return "at"
	case strings.HasPrefix(line, "+"):
		return "added"
	case strings.HasPrefix(line, "-"):
		return "gone"
	}
	return "same"
}
