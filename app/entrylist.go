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

// entryList are the entries that a request asks for, read as they are needed.
type entryList struct {
	s      *openMemory
	paths  []string // see LogResult
	next   func() (storedBlock, bool)
	stop   func()
	ahead  *storedBlock   // the first of the next page
	tracer func() *tracer // one for all pages
	hidden idSet          // the commits that were passed over
}

func (o *operation) entryList(ctx context.Context, req *LogRequest) (*entryList, error) {
	s, err := o.openToRead(ctx)
	if err != nil {
		return nil, err
	}
	return s.entryList(ctx, req)
}

func (s *openMemory) entryList(ctx context.Context, req *LogRequest) (_ *entryList, err error) {
	l := &entryList{s: s, hidden: idSet{}, tracer: sync.OnceValue(func() *tracer { return s.tracer(ctx) })}
	if l.paths, err = s.below(req.Paths); err != nil {
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
	blocks := func(wanted func(path string) bool) iter.Seq[storedBlock] { return s.told(s.blocksOf(wanted)) }
	if s.withShared(req.Shared || req.Author != "") {
		blocks = func(wanted func(path string) bool) iter.Seq[storedBlock] { return s.everybodys(ctx, wanted) }
	}
	wanted := req.wanted(slices.Concat(l.paths, mapped(l.paths, s.nameElsewhere)))
	l.next, l.stop = iter.Pull(entriesBehind(blocks(last.mayHold(len(req.Paths) > 0)), last, func(b storedBlock) bool {
		is, by := wanted(b.Entry), req.Author == "" || b.isBy(req.Author)
		if by && req.hides(b.Entry) {
			l.hidden.add(strings.Clone(b.Entry.ID))
		}
		return is && by
	}))
	return l, nil
}

// wanted says which entries a request asks for. It is asked from the newest to the
// oldest.
func (req *LogRequest) wanted(paths []string) func(*memory.Entry) bool {
	trail := pathTrail{paths}
	return func(e *memory.Entry) bool {
		wanted := req.All || req.Kind != "" || e.Kind.ByAgent()
		if len(paths) > 0 {
			wanted = trail.passes(e) // every entry counts: it may have renamed a path
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

// hides reports whether the request passes over an entry because it is a commit.
func (req *LogRequest) hides(e *memory.Entry) bool {
	return req.isPlain() && e.Kind == memory.KindCommit && req.inPeriod(e)
}

// page is the next page, of at most limit entries, or of all when it is 0.
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
	states := l.s.statesBy(l.tracer(), entriesOf(list))
	for _, b := range list {
		run := api.NewRun(*b.Entry, l.s.shownPath(b.Path))
		run.Author = b.Author
		states.addTo(&run)
		res.Runs, res.Titles = append(res.Runs, run), append(res.Titles, titleOf(b.Entry))
		res.Places = append(res.Places, linesIn(b.File, b.StartLine, b.EndLine))
	}
	res.Hidden = len(l.hidden)
	return res
}

func (l *entryList) take() (b storedBlock, ok bool) {
	if l.ahead != nil {
		b, l.ahead = *l.ahead, nil
		return b, true
	}
	return l.next()
}

// entriesBehind yields the newest entries that wanted accepts, behind
// the place that a cursor names, where there is one. Where its entry is gone or
// was moved, they are the older ones. An entry that stands in several places, as in a copy
// of a file, is listed once.
func entriesBehind(blocks iter.Seq[storedBlock], last *cursor, wanted func(storedBlock) bool) iter.Seq[storedBlock] {
	return func(yield func(storedBlock) bool) {
		var before []storedBlock // the cursor's entry, as long as that was not met
		seen := map[string]bool{}
		for b := range blocks {
			if b.Entry == nil || !wanted(b) || seen[b.Entry.ID] {
				continue
			}
			if b.Entry.ID != "" {
				seen[strings.Clone(b.Entry.ID)] = true // it is a part of the file's text
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

// mayHold says which files may hold entries behind a cursor, or nil: files of later days hold
// none. whole: all files are wanted.
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
