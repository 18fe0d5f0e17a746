package page

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"agentflow/api"
	"agentflow/app"
	"agentflow/memory"
)

// factsPage is the view Facts.
type factsPage struct {
	Words, Type, Tag, Key, Source, Namespace, State, Sort string
	Orders                                                []app.FactOrder
	Facts                                                 []api.Fact
	Total                                                 int
	Next                                                  string
	First                                                 bool
	Narrowed                                              bool       // some filter is set
	Clashes                                               []keyGroup // in place of Facts, where they were asked for
	ShowClashes                                           bool
}

// keyGroup are facts that hold and say something of one thing.
type keyGroup struct {
	Key, Namespace string
	Facts          []api.Fact // the newest first
}

const factsOfPage = 50

func facts(ctx context.Context, q request) (a answer, err error) {
	p := factsPage{Words: q.get("words"), Type: q.get("type"), Tag: q.get("tag"), Key: q.get("key"), Source: q.get("source"), Namespace: q.get("namespace"), State: q.get("state"), Sort: q.get("sort"),
		Orders: app.FactOrders, First: q.get("cursor") == "", ShowClashes: q.values.Has("clashes")}
	p.Narrowed = p.Words+p.Type+p.Tag+p.Key+p.Source+p.Namespace+p.State != ""
	req := app.ListRequest{Words: strings.Fields(p.Words), Type: memory.FactType(p.Type), Tag: p.Tag, Key: p.Key, Source: p.Source, Namespace: p.Namespace, State: app.FactState(p.State),
		Sort: app.FactOrder(p.Sort), Limit: factsOfPage, Cursor: q.get("cursor")}
	if p.ShowClashes {
		req.Sort, req.Limit, req.Cursor, req.State = "key", 0, "", app.LiveFacts
	}
	res, err := q.Memory.List(ctx, req)
	if err != nil {
		return a, err
	}
	p.Facts, p.Total, p.Next = res.Facts, res.Total, res.Next
	if p.ShowClashes {
		p.Clashes, p.Facts = clashes(res.Facts), nil
	}
	return answer{Title: "Facts", Data: p, Degraded: res.Degraded}, nil
}

// clashes are the groups of several facts with one key in one namespace, in
// the order of their keys. Of two such facts only one can be right.
func clashes(list []api.Fact) (groups []keyGroup) {
	at := map[[2]string]int{}
	for _, f := range list {
		if f.Key == "" {
			continue
		}
		name := [2]string{f.Namespace, f.Key}
		i, ok := at[name]
		if !ok {
			i = len(groups)
			at[name] = i
			groups = append(groups, keyGroup{Key: f.Key, Namespace: f.Namespace})
		}
		groups[i].Facts = append(groups[i].Facts, f)
	}
	groups = slices.DeleteFunc(groups, func(g keyGroup) bool { return len(g.Facts) < 2 })
	for _, g := range groups {
		slices.SortStableFunc(g.Facts, func(a, b api.Fact) int { return b.Created.Compare(a.Created) })
	}
	return groups
}

// textPage is the view Memory.
type textPage struct {
	Files []api.MemoryFile
	File  string
	Text  *app.PassageResult // nil: there is none
	Lines []numbered
	Next  int // the line where the rest begins; 0: this is all
}

type numbered struct {
	Number int
	Text   string
	Head   bool // a heading of Markdown
}

func memoryText(ctx context.Context, q request) (a answer, err error) {
	list, err := q.Memory.MemoryFiles(ctx)
	if err != nil {
		return a, err
	}
	p := textPage{Files: list.Files, File: q.get("file")}
	a = answer{Title: "Memory", Degraded: list.Degraded}
	if p.File == "" && len(p.Files) > 0 {
		p.File = p.Files[0].Name
	}
	if p.File == "" {
		a.Data = p
		return a, nil
	}
	from, _ := strconv.Atoi(q.get("from")) // no number: from the first line
	res, err := q.Memory.Passage(ctx, app.PassageRequest{File: p.File, From: max(from, 0)})
	if err != nil {
		return a, err
	}
	p.Text = &res
	for i, text := range strings.Split(res.Text, "\n") {
		p.Lines = append(p.Lines, numbered{res.From + i, text, strings.HasPrefix(text, "#")})
	}
	if res.To < res.Lines {
		p.Next = res.To + 1
	}
	a.Title, a.Data = "Memory: "+memory.Clean(p.File), p
	a.Degraded = append(a.Degraded, res.Degraded...)
	return a, nil
}

// filesPage is the view Files.
type filesPage struct {
	Path string
	timelinePage
	Recent []string // paths that were changed last, where none is asked for
}

func files(ctx context.Context, q request) (a answer, err error) {
	p := filesPage{Path: q.get("path")}
	p.First = q.get("cursor") == ""
	a.Title = "Files"
	req := app.LogRequest{All: true, Limit: entriesOfPage, Cursor: q.get("cursor")}
	if p.Path != "" {
		req.Paths = []string{p.Path}
		a.Title = "Files: " + memory.Clean(p.Path)
	}
	res, err := q.Memory.Log(ctx, req)
	if err != nil {
		return a, err
	}
	if p.Path != "" {
		p.Days, p.Next = days(res), res.Next
	} else {
		p.Recent = recentPaths(res.Runs)
	}
	a.Data, a.Degraded = p, res.Degraded
	return a, nil
}

const mostRecent = 40

// recentPaths are the paths that entries changed, those of the newest first.
func recentPaths(list []api.Run) (paths []string) {
	seen := map[string]bool{}
	for _, run := range list {
		for _, c := range slices.Concat(run.Changes, run.Uncommitted) {
			if len(paths) < mostRecent && !seen[c.Path] {
				seen[c.Path] = true
				paths = append(paths, c.Path)
			}
		}
	}
	return paths
}
