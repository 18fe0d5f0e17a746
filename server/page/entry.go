package page

import (
	"context"
	"fmt"
	"strings"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/fact"
	"agentflow/app/list"
	"agentflow/app/recall"
	"agentflow/memory"
)

// itemPage shows an entry.
type itemPage struct {
	recall.ShowResult
	Title    string
	ShowTask bool   // the title is not the complete task
	File     string // file of memory, and the line in it
	Line     string
	Recalled []recalledItem
	Facts    []recalledItem // of MEMORY.md
	Diff     *patch         // nil if not requested
}

// recalledItem is an item that memory put in front of a run.
type recalledItem struct {
	api.Shown
	Number int // number among the items that can be judged, from 1
	Name   string
}

// patch is a patch split into lines.
type patch struct {
	Lines   []patchLine
	More    int // number of lines left out
	Notes   []string
	Missing []string
	Problem string
}

type patchLine struct{ Class, Text string }

// factPage shows a fact.
type factPage struct {
	recall.Fact
	In, At string // the file of memory, and the line
}

// showItem shows an entry or a fact.
func showItem(ctx context.Context, q request) (a answer, err error) {
	if q.id != "last" && !known(q.id) {
		return a, noID(q.id)
	}
	res, err := list.Show(ctx, q.Memory, list.ShowRequest{Ref: q.id})
	if err != nil {
		return a, err
	}
	a.Degraded = res.Degraded
	if res.Fact != nil {
		p := factPage{Fact: *res.Fact}
		p.In, p.At = splitPlace(res.Fact.Place)
		a.Template, a.Title, a.Data = "fact", "Fact: "+memory.Title(p.Whole()), p
		return a, nil
	}
	if res.Run == nil {
		return a, &app.Error{Kind: app.KindNotFound, Err: fmt.Errorf("%s is no entry", memory.Clean(q.id))}
	}
	p := itemPage{ShowResult: res, Title: memory.Head(strings.Join(strings.Fields(memory.Clean(res.Run.Task)), " "), 160)}
	p.ShowTask = p.Title != strings.TrimSpace(memory.Clean(res.Run.Task))
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
		p.Diff = patchOf(list.Diff(ctx, q.Memory, list.DiffRequest{Run: q.id, Patch: true}))
	}
	a.Title, a.Data = p.Title, p
	return a, nil
}

// splitPlace splits a place into its file and first line: memory/x.md:3-9.
func splitPlace(place string) (file, line string) {
	at := strings.LastIndex(place, ":")
	if at < 0 {
		return place, ""
	}
	line, _, _ = strings.Cut(place[at+1:], "-")
	return place[:at], line
}

// maxPatch is the maximum number of lines of a patch on a page.
const maxPatch = 5000

func patchOf(res list.DiffResult, err error) *patch {
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

// similarTo shows the facts and entries similar to a fact.
func similarTo(ctx context.Context, q request) (a answer, err error) {
	if !known(q.id) {
		return a, noID(q.id)
	}
	res, err := fact.Similar(ctx, q.Memory, fact.SimilarRequest{Ref: q.id, Limit: 5})
	p := similarPage{ID: q.id}
	for i, s := range res.Similar {
		p.List = append(p.List, similarItem{s, dated().ReplaceAllString(memory.Clean(res.Titles[i]), "")})
	}
	return answer{Title: "Similar items", Data: p, Degraded: res.Degraded}, err
}

// similarPage shows the facts and entries similar to a fact.
type similarPage struct {
	ID   string
	List []similarItem
}

type similarItem struct {
	api.Similar
	Title string
}

func noID(id string) error {
	return &app.Error{Kind: app.KindNotFound, Err: fmt.Errorf("%q is no id", memory.Clean(id)), Hint: "an id is made of hexadecimal digits"}
}
