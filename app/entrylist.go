package app

import (
	"context"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"agentflow/api"
	"agentflow/memory"
)

// entryList iterates over the entries that a request selects, and reads them as needed.
type entryList struct {
	s      *openMemory
	paths  []string // see LogResult
	next   func() (storedBlock, bool)
	stop   func()
	ahead  *storedBlock          // the first of the next page
	tracer func() *tracer        // shared by all pages
	hidden map[memory.Kind]idSet // ids of the commits and notes that were left out
}

func openEntryList(ctx context.Context, o *operation, req *LogRequest) (*entryList, error) {
	s, err := o.openToRead(ctx)
	if err != nil {
		return nil, err
	}
	return newEntryList(ctx, s, req)
}

func newEntryList(ctx context.Context, s *openMemory, req *LogRequest) (_ *entryList, err error) {
	l := &entryList{s: s, hidden: map[memory.Kind]idSet{memory.KindCommit: {}, memory.KindNote: {}}, tracer: sync.OnceValue(func() *tracer { return newTracer(ctx, s) })}
	if l.paths, err = below(s, req.Paths); err != nil {
		return nil, err
	}
	var last *cursor
	if req.Cursor != "" {
		c, err := readCursor(req.Cursor, entriesList)
		if err != nil {
			return nil, err
		}
		last = &c
	}
	blocks := func(wanted func(path string) bool) iter.Seq[storedBlock] { return withWarnings(s, blocksOf(s, wanted)) }
	if withShared(s, req.Shared || req.Author != "") {
		blocks = func(wanted func(path string) bool) iter.Seq[storedBlock] { return everybodys(ctx, s, wanted) }
	}
	wanted := req.wanted(slices.Concat(l.paths, mapped(l.paths, func(path string) string { return nameElsewhere(s, path) })))
	l.next, l.stop = iter.Pull(entriesBehind(blocks(last.mayHold(len(req.Paths) > 0)), last, func(b storedBlock) bool {
		is, by := wanted(b.Entry), req.Author == "" || b.isBy(req.Author)
		if by && req.hides(b.Entry) {
			l.hidden[b.Entry.Kind].add(strings.Clone(b.Entry.ID))
		}
		return is && by
	}))
	return l, nil
}

// wanted returns a function that reports whether a request selects an entry. It must be called with
// entries from the newest to the oldest.
func (req *LogRequest) wanted(paths []string) func(*memory.Entry) bool {
	trail := pathTrail{paths}
	return func(e *memory.Entry) bool {
		wanted := req.All || req.Kind != "" || e.Kind.ByAgent()
		if len(paths) > 0 {
			wanted = trail.passes(e) // called for every entry, because any may have renamed a path
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
	var list []storedBlock
	for {
		b, ok := l.take()
		if !ok {
			break
		}
		if limit > 0 && len(list) == limit {
			l.ahead = &b
			end := list[limit-1]
			res.Next = cursor{List: entriesList, ID: end.Entry.ID, Time: end.Entry.Time, File: end.File}.String()
			break
		}
		list = append(list, b)
	}
	states := statesBy(l.s, l.tracer(), entriesOf(list))
	for _, b := range list {
		run := api.NewRun(*b.Entry, shownPath(l.s, b.Path))
		run.Author = b.Author
		states.addTo(&run)
		res.Runs, res.Titles = append(res.Runs, run), append(res.Titles, titleOf(b.Entry))
		res.Places = append(res.Places, linesIn(b.File, b.StartLine, b.EndLine))
	}
	res.Hidden = map[memory.Kind]int{}
	for kind, ids := range l.hidden {
		res.Hidden[kind] = len(ids)
	}
	return res
}

func (l *entryList) take() (b storedBlock, ok bool) {
	if l.ahead != nil {
		b, l.ahead = *l.ahead, nil
		return b, true
	}
	return l.next()
}

// entriesBehind yields the entries that wanted accepts, newest first. With a cursor it yields those
// after the cursor's entry. If that entry is gone or was moved, it yields the older ones. It yields
// an entry once, even if several files hold it, such as a copy of a file.
func entriesBehind(blocks iter.Seq[storedBlock], last *cursor, wanted func(storedBlock) bool) iter.Seq[storedBlock] {
	return func(yield func(storedBlock) bool) {
		var before []storedBlock // entries before the cursor's entry, or all if it is gone
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

// mayHold returns a function that reports whether a file may hold entries after the cursor. Files
// of later days hold none. It accepts every file if the cursor is nil or whole is set.
func (last *cursor) mayHold(whole bool) func(path string) bool {
	if last == nil || whole {
		return func(string) bool { return true }
	}
	latest := memory.DayFile(last.Time.AddDate(0, 0, 2))
	return func(path string) bool {
		name := filepath.Base(path)
		_, day := memory.DayOf(name)
		return !day || name <= latest
	}
}
