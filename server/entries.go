package server

import (
	"context"
	"fmt"
	"time"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/list"
	apprecall "agentflow/app/recall"
	"agentflow/memory"
	"agentflow/memory/retrieval"
)

// EntryList requests one page of the list of entries.
type EntryList struct {
	Path  []string    `query:"path" json:"-" doc:"only entries that changed this path or something below it; may be repeated"`
	Runs  bool        `query:"runs" json:"-" doc:"only runs and sessions"`
	Kind  memory.Kind `query:"kind" json:"-" doc:"only entries of this kind: run, session, commit or note"`
	Since time.Time   `query:"since" json:"-" doc:"entries of this time and later"`
	Until time.Time   `query:"until" json:"-" doc:"entries before this time"`
	Sharing
	Page
}

// Sharing selects whether a list includes items that others share.
type Sharing struct {
	Shared bool   `query:"shared" json:"-" doc:"also items that others share; a server of a team always includes them"`
	Author string `query:"author" json:"-" doc:"only what this person shares, or stored through a team's server"`
}

// Entries is one page of the list.
type Entries struct {
	Entries    []api.Run `json:"entries"`
	Next       string    `json:"next"` // cursor of the next page; empty on the last page
	Repository string    `json:"repository"`
	Degraded   []string  `json:"degraded"`
}

func listEntries(ctx context.Context, c call, in EntryList) (out Entries, err error) {
	req := list.LogRequest{Paths: in.Path, All: !in.Runs, Kind: in.Kind, Since: in.Since, Until: in.Until, Cursor: in.Cursor, Shared: in.Shared, Author: in.Author}
	if err := (retrieval.Filter{Kind: in.Kind}).Check(); err != nil {
		return out, usagef("%v", err)
	}
	if req.Limit, err = in.limit(); err != nil {
		return out, err
	}
	res, err := list.Log(ctx, c.Memory, req)
	return Entries{res.Runs, res.Next, c.Name, res.Degraded}, err
}

// OneEntry identifies an entry.
type OneEntry struct {
	ID id `path:"id" json:"-" doc:"its id, the last 4 or more digits of it, a commit, or last for the newest run or session"`
}

// Entry is an entry with its Markdown.
type Entry struct {
	api.Run
	Markdown   string `json:"markdown"`
	Place      string `json:"place"` // where it is: memory/2026-11-21.md:3-9
	Repository string `json:"repository"`
}

// show returns an entry.
func (c call) show(ctx context.Context, in OneEntry) (apprecall.ShowResult, error) {
	res, err := list.Show(ctx, c.Memory, list.ShowRequest{Ref: string(in.ID)})
	if err == nil && res.Run == nil {
		err = &app.Error{Kind: app.KindNotFound, Err: fmt.Errorf("%s is a fact and no entry", in.ID), Hint: "GET " + facts + "/" + string(in.ID)}
	}
	return res, err
}

func showEntry(ctx context.Context, c call, in OneEntry) (out Entry, err error) {
	res, err := c.show(ctx, in)
	if err != nil {
		return out, err
	}
	res.Run.Degraded = append(res.Run.Degraded, res.Degraded...)
	return Entry{*res.Run, res.Markdown, res.Place, c.Name}, nil
}

// RunDiff requests the changes of a run or a commit.
type RunDiff struct {
	OneEntry
	Path     []string `query:"path" json:"-" doc:"only this path and the paths below it; may be repeated"`
	Possible bool     `query:"possible" json:"-" doc:"also changes that are only possibly the run's"`
	Patch    bool     `query:"patch" json:"-" doc:"give the patch instead of the list of changes"`
}

// Diff has the changes of a run or a commit.
type Diff struct {
	api.Diff
	Patch         string   `json:"patch"`          // empty unless requested
	PossiblePatch string   `json:"possible_patch"` // of the changes that are only possibly the run's
	Notes         []string `json:"notes"`          // what the patch leaves out, and where it contains another author's change
	Missing       []string `json:"missing"`        // parts of the run that are not included, one per line
	Repository    string   `json:"repository"`
	Degraded      []string `json:"degraded"`
}

func diffEntry(ctx context.Context, c call, in RunDiff) (out Diff, err error) {
	res, err := list.Diff(ctx, c.Memory, list.DiffRequest{Run: string(in.ID), Paths: in.Path, Possible: in.Possible, Patch: in.Patch})
	if res.Diff.Changes == nil {
		res.Diff.Changes = []api.Change{}
	}
	return Diff{res.Diff, string(res.Patch), string(res.PossiblePatch), append([]string{}, res.Notes...), append([]string{}, res.Missing...), c.Name, res.Degraded}, err
}

// Shown is an item that memory put in front of a run, with its number.
type Shown struct {
	Number int `json:"number"` // from 1; 0 for facts of MEMORY.md, which have none
	api.Shown
	Name string `json:"name"` // for people
}

// ShownList lists all items that memory put in front of a run.
type ShownList struct {
	Run         string   `json:"run"` // id of the run
	Recalled    []Shown  `json:"recalled"`
	Facts       []Shown  `json:"facts"`        // of MEMORY.md
	NotRecalled string   `json:"not_recalled"` // why the items are no longer known; otherwise empty
	Repository  string   `json:"repository"`
	Degraded    []string `json:"degraded"`
}

func recalled(ctx context.Context, c call, in OneEntry) (out ShownList, err error) {
	res, err := c.show(ctx, in)
	if err != nil {
		return out, err
	}
	out = ShownList{res.Run.ID, shown(res.Run.Recalled, res.Recalled), shown(res.Run.Facts, res.RecalledFacts), res.NotRecalled, c.Name, res.Degraded}
	for i := range out.Recalled {
		out.Recalled[i].Number = i + 1
	}
	return out, nil
}

func shown(list []api.Shown, names []string) []Shown {
	out := []Shown{}
	for i, s := range list {
		out = append(out, Shown{Shown: s, Name: names[i]})
	}
	return out
}

// OneShown identifies an item that memory put in front of a run.
type OneShown struct {
	OneEntry
	Number int `path:"n" json:"-" doc:"its number, from 1"`
}

// Judged is the judgement that was recorded.
type Judged struct {
	api.Judgement
	Task       string   `json:"task"` // the task that did not need the item
	Repository string   `json:"repository"`
	Degraded   []string `json:"degraded"`
}

func useless(ctx context.Context, c call, in OneShown) (out Judged, err error) {
	res, err := apprecall.Judge(ctx, c.Memory, apprecall.JudgeRequest{Hits: []string{fmt.Sprintf("%s:%d", in.ID, in.Number)}})
	if err != nil {
		return out, err
	}
	return Judged{res.Judged[0], res.Tasks[0], c.Name, res.Degraded}, nil
}
