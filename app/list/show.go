package list

import (
	"cmp"
	"context"
	"slices"
	"time"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/fact"
	"agentflow/app/lookup"
	"agentflow/app/memoryfiles"
	"agentflow/app/recall"
	"agentflow/app/search"
	"agentflow/app/undo"
	"agentflow/internal/lists"
	"agentflow/internal/usecount"
	"agentflow/memory"
	"agentflow/memory/digest"
)

// ShowRequest names an entry or a fact.
type ShowRequest struct {
	Ref string // an id, the last 4 or more digits of one, a commit as git names it, or "last" for the newest run or session
}

// Show returns all that memory knows about an entry or a fact of the repository or
// of the user's own memory.
func Show(ctx context.Context, m *app.Memory, req ShowRequest) (res recall.ShowResult, err error) {
	return search.InAny(m, func(m *app.Memory) (recall.ShowResult, error) { return show(ctx, m, req) })
}

// show is Show for one memory.
func show(ctx context.Context, m *app.Memory, req ShowRequest) (res recall.ShowResult, err error) {
	o := m.Begin(ctx)
	defer o.End(&res.Degraded, &err)
	s, err := o.OpenOrGlobal(ctx, o.OpenToRead)
	if err != nil {
		return res, err
	}
	here := s
	f, err := lookup.LookUp(ctx, s, req.Ref)
	if req.Ref != "last" { // a run: the user's own memory has no runs
		s, f, err = lookup.OrGlobal(ctx, s, req.Ref, f, err)
	}
	if err != nil {
		return res, cmp.Or(lookup.StillOpen(here, req.Ref), err)
	}
	lookup.UsesFile(s).Add(ctx, usecount.Get, []string{f.ID}, time.Now())
	res.Place, res.Author = lookup.Named(s, f.Place()), f.Author
	if f.Entry != nil {
		run := api.NewRun(*f.Entry, memoryfiles.ShownPath(s, f.Path))
		lookup.NewCommitStates(ctx, s, f.Entry).AddTo(&run)
		run.Later = undo.FindLaterCommits(ctx, s, f.Entry)
		res.Run, res.Markdown = &run, string(f.Raw)
		run.Author = f.Author
		for i := range run.Memories {
			run.Memories[i].Author = f.Author
		}
		if f.Author == "" { // only the author has the run's folder
			recall.AddRecalled(ctx, s, &res)
		}
	}
	if f.Fact != nil {
		res.Fact = factDetails(ctx, s, f)
	}
	return res, nil
}

// factDetails returns all that memory knows about the fact with an id.
func factDetails(ctx context.Context, s *app.Repo, f lookup.StoredItem) *recall.Fact {
	k := factOf(s, f)
	d := &recall.Fact{Fact: k.Object(), Titles: map[string]string{}, Place: lookup.Named(s, k.Place())}
	switch {
	case k.Struck:
		d.State = "struck"
	case !k.Live(time.Now()):
		d.State = "expired"
	default:
		d.State = "live"
	}
	if k.IsPinned() {
		d.State += ", pinned"
	}
	for _, a := range fact.Attributes {
		if value := a.Text(k.Fact); value != "" {
			d.Attributes = append(d.Attributes, recall.Attribute{Name: a.Name, Value: value})
		}
	}
	named := k.Named()
	for b := range lookup.Mentioning(ctx, s, lists.Mapped(named, digest.ByID)...) {
		for _, other := range b.Facts {
			for _, id := range other.IDs() {
				if _, known := d.Titles[id]; slices.Contains(named, id) && (!known || id == other.ID) {
					d.Titles[id] = memory.Title(other.Text)
				}
			}
		}
	}
	return d
}

func factOf(s *app.Repo, f lookup.StoredItem) *lookup.StoredFact {
	for _, at := range f.Facts {
		if at.ID == f.Fact.ID {
			return lookup.FactAt(s, f.StoredBlock, at)
		}
	}
	return &lookup.StoredFact{Fact: *f.Fact, Entry: f.Entry, File: f.File, Path: f.Path, Author: f.Author}
}
