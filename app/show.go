package app

import (
	"cmp"
	"context"
	"slices"
	"time"

	"agentflow/api"
	"agentflow/gitwatch/links"
	"agentflow/memory"
	"agentflow/memory/digest"
	"agentflow/uses"
)

// ShowRequest names an entry or a fact.
type ShowRequest struct {
	Ref string // an id, the last 4 or more digits of one, a commit as git names it, or "last" for the newest run or session
}

// ShowResult is all that memory knows about an entry or a fact.
type ShowResult struct {
	Run      *api.Run // the entry; nil of a fact in text that is no entry
	Markdown string   // the entry as stored
	Place    string   // the location of the entry or the fact: memory/2026-11-21.md:3-9, see Locator
	Author   string   // who shares it; empty: it is the user's own
	Fact     *Fact    // nil when the reference names an entry
	// Recalled names Run.Recalled for people. It is empty if the items that memory put in
	// front of the run are no longer known. NotRecalled then says why.
	Recalled      []string
	RecalledFacts []string // the same of Run.Facts
	NotRecalled   string
	Degraded      []string // what did not work, a line each; never nil
}

// Fact is a fact with all that memory knows about it.
type Fact struct {
	api.Fact
	State      string            // live, struck or expired; followed by ", pinned" if it is pinned
	Attributes []Attribute       // that it has, named as the flags that set them
	Titles     map[string]string // of other facts, by the ids that it names
	Place      string            // its location: memory/MEMORY.md:3-4
}

// Attribute is a property of a fact that a person can set, other than its text.
type Attribute struct{ Name, Value string }

// Show returns all that memory knows about an entry or a fact of the repository or
// of the user's own memory.
func Show(ctx context.Context, m *Memory, req ShowRequest) (res ShowResult, err error) {
	return inAny(m, func(m *Memory) (ShowResult, error) { return show(ctx, m, req) })
}

// show is Show for one memory.
func show(ctx context.Context, m *Memory, req ShowRequest) (res ShowResult, err error) {
	o := m.begin(ctx)
	defer o.end(&res.Degraded, &err)
	s, err := o.openOrGlobal(ctx, o.openToRead)
	if err != nil {
		return res, err
	}
	here := s
	f, err := lookUp(ctx, s, req.Ref)
	if req.Ref != "last" { // a run: the user's own memory has no runs
		s, f, err = orGlobal(ctx, s, req.Ref, f, err)
	}
	if err != nil {
		return res, cmp.Or(stillOpen(ctx, here, req.Ref), err)
	}
	usesFile(s).Add(ctx, uses.Get, []string{f.ID}, time.Now())
	res.Place, res.Author = named(s, f.place()), f.Author
	if f.Entry != nil {
		run := api.NewRun(*f.Entry, shownPath(s, f.Path))
		newCommitStates(ctx, s, f.Entry).addTo(&run)
		run.Later = findLaterCommits(ctx, s, f.Entry)
		res.Run, res.Markdown = &run, string(f.Raw)
		run.Author = f.Author
		for i := range run.Memories {
			run.Memories[i].Author = f.Author
		}
		if f.Author == "" { // only the author has the run's folder
			addRecalled(ctx, s, &res)
		}
	}
	if f.Fact != nil {
		res.Fact = factDetails(ctx, s, f)
	}
	return res, nil
}

// factDetails returns all that memory knows about the fact with an id.
func factDetails(ctx context.Context, s *openMemory, f storedItem) *Fact {
	k := factOf(s, f)
	d := &Fact{Fact: k.object(), Titles: map[string]string{}, Place: named(s, k.place())}
	switch {
	case k.Struck:
		d.State = "struck"
	case !k.Live(time.Now()):
		d.State = "expired"
	default:
		d.State = "live"
	}
	if k.pinned() {
		d.State += ", pinned"
	}
	for _, a := range FactAttributes {
		if value := a.Text(k.Fact); value != "" {
			d.Attributes = append(d.Attributes, Attribute{a.Name, value})
		}
	}
	named := k.named()
	for b := range mentioning(ctx, s, mapped(named, digest.ByID)...) {
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

// named returns the ids of other facts that the fact names.
func (k *storedFact) named() (ids []string) {
	for _, id := range append(mapped(k.Merged, func(o memory.Origin) string { return o.ID }), k.Supersedes, k.SupersededBy) {
		if id != "" {
			ids = append(ids, id)
		}
	}
	return ids
}

func factOf(s *openMemory, f storedItem) *storedFact {
	for _, at := range f.Facts {
		if at.ID == f.Fact.ID {
			return factAt(s, f.storedBlock, at)
		}
	}
	return &storedFact{Fact: *f.Fact, storedBlock: f.storedBlock}
}

// findLaterCommits finds the commits that took over a run's uncommitted changes.
func findLaterCommits(ctx context.Context, s *openMemory, e *memory.Entry) []api.LaterCommit {
	repo, err := s.repo(ctx)
	if err != nil || !e.Kind.ByAgent() {
		return nil
	}
	list, err := links.CommittedLater(ctx, repo, e)
	if err != nil {
		s.degraded("links", []string{err.Error()})
	}
	return mapped(list, func(c links.LaterCommit) api.LaterCommit { return api.LaterCommit(c) })
}
