package why

import (
	"cmp"
	"slices"
	"strings"

	"agentflow/app/api"
	"agentflow/app/lookup"
	"agentflow/app/purge"
	"agentflow/app/settle"
	"agentflow/executor"
	"agentflow/executor/runfolder"
	"agentflow/internal/lists"
	"agentflow/memory"
)

// origin returns the origin of lines as an object.
func (w *whyFinder) origin(by whose) api.WhyOrigin {
	o := api.WhyOrigin{Certainty: by.certainty, Remark: by.remark, Entry: w.originEntry(by)}
	if by.commit != "" {
		c := w.makers.blamed[by.commit]
		o.Commit = &api.WhyCommit{ID: by.commit, Subject: w.mem.Redact.Text(c.Subject), Time: c.Time, Was: by.was, Path: by.path}
	}
	return o
}

// originEntry returns the entry of an origin as an object; nil for none.
func (w *whyFinder) originEntry(by whose) *api.WhyEntry {
	if w.current.open != nil && w.current.open.entry.ID == by.entry {
		entry := *w.current.open.entry
		entry.Task = cmp.Or(by.asked, entry.Task)
		return &entry
	}
	b, ok := w.stored.entries[by.entry]
	if !ok {
		return nil
	}
	e := b.Entry
	o := &api.WhyEntry{ID: e.ID, Kind: e.Kind, Title: e.Title, Task: e.Task, Agent: e.Agent, Model: e.Model, SessionID: e.Session, StartedAt: e.Time,
		Undone: e.IsUndone(), Summary: e.Summary, Place: b.Place(), Recalled: []api.Shown{}, Facts: []api.Shown{}}
	if memory.Title(by.asked) != e.Title {
		o.Asked = by.asked
	}
	if e.Result != nil {
		o.Outcome = e.Result.Outcome
	}
	return o
}

// addRecalled adds the items that memory put in front of a run before it wrote the file, each
// with a name for people, if the run's folder is kept.
func (w *whyFinder) addRecalled(o *api.WhyEntry) {
	if o == nil || o.Kind == memory.KindCommit {
		return
	}
	run, err := executor.ReadRun(w.mem.Runs(), o.ID)
	if err != nil {
		return
	}
	shown := func(name func(runfolder.RecalledItem) string) func(runfolder.RecalledItem) api.Shown {
		return func(item runfolder.RecalledItem) api.Shown {
			return api.Shown{ID: item.ID, Source: item.Source, Path: item.Path, Line: item.Line, Title: name(item)}
		}
	}
	until := w.turns.of(o.ID).until
	given := func(items []runfolder.RecalledItem) []runfolder.RecalledItem {
		return slices.DeleteFunc(items, func(item runfolder.RecalledItem) bool { return item.At.After(until) })
	}
	o.Recalled, o.Facts = lists.Mapped(given(run.Hits), shown(w.stored.hitName)), lists.Mapped(given(run.Facts), shown(w.stored.factName))
}

// hitName returns the name of a hit for people: its heading without the date, or the
// fact of a note.
func (w *stored) hitName(item runfolder.RecalledItem) string {
	if _, title, ok := strings.Cut(item.Title, " · "); ok {
		return title
	}
	if b, ok := w.entry(item.ID); ok {
		return purge.TitleOf(b.Entry)
	}
	return cmp.Or(item.Title, lookup.LinesIn(item.Path, item.Line, item.Line))
}

// factName returns the present text of a fact. It is empty if memory no longer has the
// fact, or if it has no id.
func (w *stored) factName(item runfolder.RecalledItem) string {
	if item.ID == "" {
		return ""
	}
	for b := range w.blocksIn(w.memory.with(settle.IdSet{item.ID: true}.StandIn)) {
		for _, f := range b.Facts {
			if slices.Contains(f.IDs(), item.ID) {
				return memory.Title(f.Text)
			}
		}
	}
	return ""
}
