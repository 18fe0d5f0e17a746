package writeback

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/writeback/internal/items"
	"agentflow/writeback/internal/journal"
	"agentflow/writeback/internal/trace"
	"agentflow/writeback/internal/turn"
	"agentflow/writeback/internal/view"
)

// purger removes texts from Markdown, the log, and all other files that quote them.
type purger struct {
	*turn.Turn
	amender amender
}

type purged struct {
	id     string
	text   []byte
	names  []string        // the memory files that hold it
	sum    string          // for a whole file, the hash of its contents; empty: it does not exist
	former map[string]bool // for a whole file, its former names
}

func (w purger) purge(ctx context.Context, ids []string, traces Traces) (report PurgeReport, err error) {
	list, q, err := w.toPurge(ctx, ids)
	if err != nil {
		return report, err
	}
	report.Text = q
	if report.Cleaned, err = w.cleanTraces(q, traces); err != nil {
		return report, err
	}
	gone, files := map[string]bool{}, map[string]bool{}
	for _, p := range list {
		maps.Copy(files, p.former)
		for _, id := range append(items.IdsIn(p.text), p.id) {
			gone[id] = true
		}
	}
	cleaned, err := w.Archive.PurgeKept(gone, files, q)
	report.Cleaned = append(report.Cleaned, cleaned...)
	if err != nil {
		return report, err
	}
	var purges, tombs []journal.Record
	paths := map[string]bool{}
	for _, p := range list {
		purges = append(purges, journal.Record{Op: journal.OpPurge, ID: p.id, Hash: p.sum})
		for _, inner := range items.IdsIn(p.text) {
			tombs = append(tombs, journal.Record{Op: journal.OpTomb, Hash: items.Tombstone(inner)})
		}
		for _, name := range p.names {
			paths[w.Folder.Path(name)] = true
		}
		for _, e := range markdown.Parse(p.text).Entries() {
			if e.Session != "" && !slices.Contains(report.Sessions, e.Session) {
				report.Sessions = append(report.Sessions, e.Session)
			}
		}
	}
	if err := w.Log(ctx, true, append(purges, tombs...)...); err != nil {
		return report, err
	}
	for _, r := range purges {
		if err := w.amender.change(ctx, r); err != nil {
			return report, err
		}
	}
	if err := w.scrub(ctx, purges); err != nil {
		return report, err
	}
	report.Cleaned = append(append(report.Cleaned, slices.Sorted(maps.Keys(paths))...), w.Logs.Main.Path(), w.Logs.Main.Checkpoint())
	report.Elsewhere = stillQuoted(w.View, q)
	return report, nil
}

// cleanTraces cleans the folders of the store, and traces.
func (w purger) cleanTraces(q trace.Quote, traces Traces) (cleaned []string, err error) {
	return w.eachTrace(traces, func(dir string, skip func(string) bool) ([]string, error) { return q.Clean(w.Sys, dir, skip) })
}

// eachTrace calls visit for each folder of traces and of the store. skip selects the paths that
// visit must leave out.
func (w purger) eachTrace(traces Traces, visit func(dir string, skip func(path string) bool) ([]string, error)) (files []string, err error) {
	folders := append([]string{w.State, w.Fallback}, traces.Folders...)
	slices.Sort(folders)
	folders = slices.DeleteFunc(slices.Compact(folders), func(dir string) bool { return dir == "" })
	for i, dir := range folders {
		skip := func(path string) bool {
			return path == w.Memory || KeepsByLog(path, w.State, w.Fallback) || slices.Contains(folders[i+1:], path) || traces.Except != nil && traces.Except(path)
		}
		list, err := visit(dir, skip)
		if files = append(files, list...); err != nil {
			return files, err
		}
	}
	return files, nil
}

// toPurge finds the entries and facts with these ids, and the judgements that quote them, which are
// purged too. q recognises all of their texts.
func (w purger) toPurge(ctx context.Context, ids []string) (list []purged, q trace.Quote, err error) {
	for todo := slices.Clone(ids); len(todo) > 0; todo = todo[1:] {
		if items.IsWhole(todo[0]) {
			p, quoted, err := w.wholeToPurge(todo[0])
			if err != nil {
				return nil, q, fmt.Errorf("%s: %w", todo[0], err)
			}
			q.Join(quoted)
			list = append(list, p)
			continue
		}
		p := purged{id: w.Owner(ctx, todo[0])}
		if q.Has(p.id) {
			continue
		}
		p.names = w.FilesWith(ctx, p.id)
		gone, lost := w.View.Lost[p.id]
		p.text = gone.Text
		if len(p.names) > 0 {
			_, taken, _ := items.Cut(w.View.Files.Get(p.names[0]), p.id)
			p.text = taken.Text
		} else if !lost && !w.View.Tombs[items.Tombstone(p.id)] {
			return nil, q, fmt.Errorf("%s: %w", p.id, ErrNotFound)
		}
		quoted := quoteOf(p.id, p.text)
		quoting := judgementsQuoting(w.View, quoted)
		if f := memory.FeedbackFile; len(quoting)+len(items.JudgedOf(w.View.Files.Get(f), p.id)) > 0 && !slices.Contains(p.names, f) {
			p.names = append(p.names, f)
		}
		q.Join(quoted)
		list, todo = append(list, p), append(todo, quoting...)
	}
	return list, q, nil
}

// scrub makes the log forget the texts of purges that were made in Markdown: it writes a new
// checkpoint with the current contents of Markdown and starts a new log. Only then are the purges
// done.
func (w purger) scrub(ctx context.Context, purges []journal.Record) error {
	if len(purges) == 0 {
		return nil
	}
	if w.Logs.FallbackLogged() {
		return errors.New("the log in " + w.Fallback + " cannot be rewritten while " + w.State + " cannot be written")
	}
	ids := map[string]bool{}
	for _, r := range purges {
		ids[r.ID] = true
	}
	quotes := func(text []byte) bool {
		return slices.ContainsFunc(markdown.ParseJudgements(text), func(j memory.Judgement) bool { return ids[j.Entry] || ids[j.Run] })
	}
	err := w.Rotate(ctx, func(v *view.View) {
		v.Pending = slices.DeleteFunc(v.Pending, func(p view.Pending) bool { return ids[p.ID] })
		maps.DeleteFunc(v.AppendedAt, func(id string, _ int64) bool { return ids[id] })
		maps.DeleteFunc(v.Lost, func(id string, l view.Lost) bool { return ids[id] || l.File == memory.FeedbackFile && quotes(l.Text) })
	})
	if err != nil {
		return err
	}
	w.Sweep()
	return nil
}
