package app

import (
	"cmp"
	"slices"
	"strings"

	"agentflow/api"
	"agentflow/executor"
	"agentflow/memory"
)

// origin returns the origin of lines as an object.
func (w *whyFinder) origin(by whose) api.WhyOrigin {
	o := api.WhyOrigin{Certainty: by.certainty, Remark: by.remark, Entry: w.originEntry(by.entry)}
	if by.commit != "" {
		c := w.blamed[by.commit]
		o.Commit = &api.WhyCommit{ID: by.commit, Subject: w.mem.redact.Text(c.Subject), Time: c.Time, Was: by.was, Path: by.path}
	}
	return o
}

// originEntry returns an entry as an object; nil for none.
func (w *whyFinder) originEntry(id string) *api.WhyEntry {
	if w.open != nil && w.open.entry.ID == id {
		entry := *w.open.entry
		return &entry
	}
	b, ok := w.entries[id]
	if !ok {
		return nil
	}
	e := b.Entry
	o := &api.WhyEntry{ID: e.ID, Kind: e.Kind, Title: e.Title, Task: e.Task, Agent: e.Agent, Model: e.Model, SessionID: e.Session, StartedAt: e.Time,
		Undone: e.IsUndone(), Summary: e.Summary, Place: linesIn(b.File, b.StartLine, b.EndLine), Recalled: []api.Shown{}, Facts: []api.Shown{}}
	if e.Result != nil {
		o.Outcome = e.Result.Outcome
	}
	return o
}

// addRecalled adds the items that memory put in front of a run, each with a name for
// people, if the run's folder is kept.
func (w *whyFinder) addRecalled(o *api.WhyEntry) {
	if o == nil || o.Kind == memory.KindCommit {
		return
	}
	run, err := executor.ReadRun(w.mem.Runs(), o.ID)
	if err != nil {
		return
	}
	shown := func(name func(executor.RecalledItem) string) func(executor.RecalledItem) api.Shown {
		return func(item executor.RecalledItem) api.Shown {
			return api.Shown{ID: item.ID, Source: item.Source, Path: item.Path, Line: item.Line, Title: name(item)}
		}
	}
	o.Recalled, o.Facts = mapped(run.Hits, shown(w.hitName)), mapped(run.Facts, shown(w.factName))
}

// hitName returns the name of a hit for people: its heading without the date, or the
// fact of a note.
func (w *whyFinder) hitName(item executor.RecalledItem) string {
	if _, title, ok := strings.Cut(item.Title, " · "); ok {
		return title
	}
	if b, ok := w.entry(item.ID); ok {
		return titleOf(b.Entry)
	}
	return cmp.Or(item.Title, linesIn(item.Path, item.Line, item.Line))
}

// factName returns the present text of a fact. It is empty if memory no longer has the
// fact, or if it has no id.
func (w *whyFinder) factName(item executor.RecalledItem) string {
	if item.ID == "" {
		return ""
	}
	for b := range w.blocksIn(w.memory.with(idSet{item.ID: true}.standIn)) {
		for _, f := range b.Facts {
			if slices.Contains(f.IDs(), item.ID) {
				return memory.Title(f.Text)
			}
		}
	}
	return ""
}
