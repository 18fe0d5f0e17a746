package list

import (
	"context"
	"iter"
	"slices"
	"strings"
	"sync"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/lookup"
	"agentflow/app/memoryfiles"
	"agentflow/app/purge"
	"agentflow/app/settle"
	"agentflow/app/why"
	"agentflow/internal/lists"
	"agentflow/memory"
)

// entryList iterates over the entries that a request selects, and reads them as needed.
type entryList struct {
	s      *app.Repo
	paths  []string // see LogResult
	next   func() (lookup.StoredBlock, bool)
	stop   func()
	ahead  *lookup.StoredBlock          // the first of the next page
	tracer func() *lookup.Tracer        // shared by all pages
	hidden map[memory.Kind]settle.IdSet // ids of the commits and notes that were left out
}

func openEntryList(ctx context.Context, o *app.Operation, req *LogRequest) (*entryList, error) {
	s, err := o.OpenToRead(ctx)
	if err != nil {
		return nil, err
	}
	return newEntryList(ctx, s, req)
}

func newEntryList(ctx context.Context, s *app.Repo, req *LogRequest) (_ *entryList, err error) {
	l := &entryList{s: s, hidden: map[memory.Kind]settle.IdSet{memory.KindCommit: {}, memory.KindNote: {}}, tracer: sync.OnceValue(func() *lookup.Tracer { return lookup.NewTracer(ctx, s) })}
	if l.paths, err = why.Below(s, req.Paths); err != nil {
		return nil, err
	}
	var last *lookup.Cursor
	if req.Cursor != "" {
		c, err := lookup.ReadCursor(req.Cursor, entriesList)
		if err != nil {
			return nil, err
		}
		last = &c
	}
	blocks := func(wanted func(path string) bool) iter.Seq[lookup.StoredBlock] {
		return lookup.WithWarnings(s, lookup.BlocksOf(s, wanted))
	}
	if lookup.WithShared(s, req.Shared || req.Author != "") {
		blocks = func(wanted func(path string) bool) iter.Seq[lookup.StoredBlock] {
			return lookup.Everybodys(ctx, s, wanted)
		}
	}
	wanted := req.wanted(slices.Concat(l.paths, lists.Mapped(l.paths, func(path string) string { return why.NameElsewhere(s, path) })))
	l.next, l.stop = iter.Pull(entriesBehind(blocks(last.MayHold(len(req.Paths) > 0)), last, func(b lookup.StoredBlock) bool {
		is, by := wanted(b.Entry), req.Author == "" || b.IsBy(req.Author)
		if by && req.hides(b.Entry) {
			l.hidden[b.Entry.Kind].Add(strings.Clone(b.Entry.ID))
		}
		return is && by
	}))
	return l, nil
}

// wanted returns a function that reports whether a request selects an entry. It must be called with
// entries from the newest to the oldest.
func (req *LogRequest) wanted(paths []string) func(*memory.Entry) bool {
	trail := why.PathTrail{Names: paths}
	return func(e *memory.Entry) bool {
		wanted := req.All || req.Kind != "" || e.Kind.ByAgent()
		if len(paths) > 0 {
			wanted = trail.Passes(e) // called for every entry, because any may have renamed a path
		}
		if req.Kind != "" && e.Kind != req.Kind {
			return false
		}
		return wanted && req.inPeriod(e)
	}
}

func (req *LogRequest) inPeriod(e *memory.Entry) bool {
	return !e.Time.Before(req.Since) && (req.Until.IsZero() || e.Time.Before(req.Until))
}

// hides reports whether the request leaves out an entry because it is a commit or note.
func (req *LogRequest) hides(e *memory.Entry) bool {
	return req.isPlain() && (e.Kind == memory.KindCommit || e.Kind == memory.KindNote) && req.inPeriod(e)
}

// page returns the next page of at most limit entries, or of all remaining ones if limit is 0.
func (l *entryList) page(limit int) LogResult {
	res := LogResult{Runs: []api.Run{}, Paths: l.paths}
	var list []lookup.StoredBlock
	for {
		b, ok := l.take()
		if !ok {
			break
		}
		if limit > 0 && len(list) == limit {
			l.ahead = &b
			end := list[limit-1]
			res.Next = lookup.Cursor{List: entriesList, ID: end.Entry.ID, Time: end.Entry.Time, File: end.File}.String()
			break
		}
		list = append(list, b)
	}
	states := lookup.StatesBy(l.s, l.tracer(), lookup.EntriesOf(list))
	for _, b := range list {
		run := api.NewRun(*b.Entry, memoryfiles.ShownPath(l.s, b.Path))
		run.Author = b.Author
		states.AddTo(&run)
		res.Runs, res.Titles = append(res.Runs, run), append(res.Titles, purge.TitleOf(b.Entry))
		res.Places = append(res.Places, b.Place())
	}
	res.Hidden = map[memory.Kind]int{}
	for kind, ids := range l.hidden {
		res.Hidden[kind] = len(ids)
	}
	return res
}

// countHidden completes the numbers of the commits and notes that a list leaves out, if it ended at
// its limit. Without a condition the digests of the files have them.
func (l *entryList) countHidden(ctx context.Context, req *LogRequest, res *LogResult) {
	if res.Next == "" || !req.isPlain() {
		return
	}
	if req.Since.IsZero() && req.Until.IsZero() && req.Author == "" && !req.Shared {
		list, err := lookup.CountedDigests(ctx, l.s, func(err error) { l.s.Degraded("log", []string{err.Error()}) })
		if l.s.Degraded("log", app.AppendError(nil, err)); err == nil {
			for kind := range l.hidden {
				res.Hidden[kind] = 0
				for _, f := range list {
					res.Hidden[kind] += f.Kinds[kind]
				}
			}
		}
		return
	}
	for _, more := l.next(); more; _, more = l.next() {
	}
	for kind, ids := range l.hidden {
		res.Hidden[kind] = len(ids)
	}
}

func (l *entryList) take() (b lookup.StoredBlock, ok bool) {
	if l.ahead != nil {
		b, l.ahead = *l.ahead, nil
		return b, true
	}
	return l.next()
}

// entriesBehind yields the entries that wanted accepts, newest first. With a cursor it yields those
// after the cursor's entry. If that entry is gone or was moved, it yields the older ones. It yields
// an entry once, even if several files hold it, such as a copy of a file.
func entriesBehind(blocks iter.Seq[lookup.StoredBlock], last *lookup.Cursor, wanted func(lookup.StoredBlock) bool) iter.Seq[lookup.StoredBlock] {
	return func(yield func(lookup.StoredBlock) bool) {
		var before []lookup.StoredBlock // entries before the cursor's entry, or all if it is gone
		seen := map[string]bool{}
		for b := range blocks {
			if b.Entry == nil || !wanted(b) || seen[b.Entry.ID] {
				continue
			}
			if b.Entry.ID != "" {
				seen[strings.Clone(b.Entry.ID)] = true // cloned, because the id shares memory with the file's text
			}
			switch {
			case last == nil:
				if !yield(b) {
					return
				}
			case b.Entry.ID == last.ID && b.File == last.File:
				last, before = nil, nil
			default:
				before = append(before, b)
			}
		}
		for _, b := range before {
			if (b.Entry.Time.Before(last.Time) || b.Entry.Time.Equal(last.Time) && b.Entry.ID < last.ID) && !yield(b) {
				return
			}
		}
	}
}
