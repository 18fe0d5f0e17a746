package page

import (
	"context"
	"slices"
	"strings"

	"agentflow/app/list"
	"agentflow/memory"
)

// filesPage is the view Files.
type filesPage struct {
	Path   string
	Task   string       // a task, to show the files that it will touch
	Likely []likelyFile // the files that the task will likely touch
	timelinePage
	Recent []recentPath // if no path is requested
	Why    whyPart
}

// recentPath is a recently changed path.
type recentPath struct {
	Path    string
	By      entryLine // the newest entry that changed it
	Entries int       // number of the examined entries that changed it
}

// mostRecent is the maximum number of paths shown, and recentEntries the number
// of entries that they come from.
const (
	mostRecent    = 40
	recentEntries = 100
)

func files(ctx context.Context, q request) (a answer, err error) {
	if task := q.get("task"); task != "" {
		return likely(ctx, q, task)
	}
	p := filesPage{Path: q.get("path")}
	p.First = q.get("cursor") == ""
	a.Title = "Files"
	req := list.LogRequest{All: true, Limit: recentEntries, Cursor: q.get("cursor")}
	if p.Path != "" {
		req.Paths, req.Limit = []string{p.Path}, entriesOfPage
		a.Title = "Files: " + memory.Clean(p.Path)
	}
	res, err := list.Log(ctx, q.Memory, req)
	if err != nil {
		return a, err
	}
	if p.Path != "" {
		p.Days, p.Next = days(res), res.Next
		for _, d := range p.Days {
			for i := range d.Entries {
				d.Entries[i].countLines(res.Paths[0])
			}
		}
	} else {
		p.Recent = recentPaths(res)
	}
	a.Degraded = res.Degraded
	if p.Path != "" && p.First {
		var degraded []string
		p.Why, degraded = why(ctx, q, p.Path)
		a.Degraded = slices.Concat(a.Degraded, degraded)
	}
	a.Data = p
	return a, nil
}

// recentPaths returns the paths that entries changed, those of the newest entry
// first.
func recentPaths(res list.LogResult) (list []recentPath) {
	at := map[string]int{}
	for n, run := range res.Runs {
		for _, c := range slices.Concat(run.Changes, run.Uncommitted) {
			i, seen := at[c.Path]
			if !seen {
				i = len(list)
				at[c.Path] = i
				list = append(list, recentPath{Path: c.Path, By: lineOf(run, res.Titles[n])})
			}
			list[i].Entries++
		}
	}
	return list[:min(mostRecent, len(list))]
}

// countLines adds up the lines that the entry changed in a path, or below it.
func (e *entryLine) countLines(path string) {
	add := func(n *int) int {
		if n == nil {
			return 0
		}
		return *n
	}
	for _, c := range slices.Concat(e.Changes, e.Uncommitted) {
		if path == "." || c.Path == path || strings.HasPrefix(c.Path, path+"/") {
			e.Counted = true
			e.Added, e.Deleted = e.Added+add(c.Added), e.Deleted+add(c.Deleted)
		}
	}
}
