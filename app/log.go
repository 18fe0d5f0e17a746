package app

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agentflow/api"
	"agentflow/memory"
)

// LogRequest asks for entries, the newest first.
type LogRequest struct {
	// Paths are those that the entries changed, or folders that they are below:
	// absolute, or relative to the folder of the Memory. A file is followed to
	// the names it had before. None given means that runs and sessions are
	// listed, whatever they changed.
	Paths        []string
	All          bool        // list notes and commits too where there are no paths
	Kind         memory.Kind // list only entries of this kind; empty: see Paths and All
	Since, Until time.Time   // Since inclusive, Until exclusive; zero means no limit
	Limit        int         // at most this many; 0 lists all
	Cursor       string      // the Next of a list: go on behind it, with older entries
}

// LogResult is what memory holds of them.
type LogResult struct {
	Runs     []api.Run // with the state of their commits; never nil
	Titles   []string  // of each: of a note, its fact
	Places   []string  // of each: memory/2026-11-21.md:3-9
	Paths    []string  // those of the request, relative to the top of the work tree, with '/'
	Next     string    // the Cursor of the next page; empty: this is the last one
	Degraded []string  // what did not work, a line each; never nil
}

// entriesList names the list that a cursor of entries is of.
const entriesList = "entries"

// Log lists runs and sessions, or what changed some paths.
func (m *Memory) Log(ctx context.Context, req LogRequest) (res LogResult, err error) {
	o := m.begin(ctx)
	defer o.end(&res.Degraded, &err)
	s, err := o.openToRead(ctx)
	if err != nil {
		return res, err
	}
	if res.Paths, err = s.below(req.Paths); err != nil {
		return res, err
	}
	var last *cursor
	if req.Cursor != "" {
		c, err := readCursor(req.Cursor, entriesList)
		if err != nil {
			return res, err
		}
		last = &c
	}
	trail := pathTrail{res.Paths}
	list, more := s.page(last, len(req.Paths) > 0, req.Limit, func(e *memory.Entry) bool {
		wanted := req.All || req.Kind != "" || e.Kind.ByAgent()
		if len(req.Paths) > 0 {
			wanted = trail.passes(e) // every entry counts: it may have renamed a path
		}
		if req.Kind != "" && e.Kind != req.Kind {
			return false
		}
		return wanted && !e.Time.Before(req.Since) && (req.Until.IsZero() || e.Time.Before(req.Until))
	})
	if more {
		end := list[len(list)-1]
		res.Next = cursor{List: entriesList, ID: end.Entry.ID, Time: end.Entry.Time, File: end.File}.String()
	}
	states := s.commitStates(ctx, entriesOf(list)...)
	res.Runs = []api.Run{}
	for _, b := range list {
		run := api.NewRun(*b.Entry, b.Path)
		states.addTo(&run)
		res.Runs, res.Titles = append(res.Runs, run), append(res.Titles, titleOf(b.Entry))
		res.Places = append(res.Places, linesIn(b.File, b.StartLine, b.EndLine))
	}
	return res, nil
}

// page are the newest entries that wanted accepts, limit of them or all when it is 0, behind
// the place that a cursor names, where there is one. Where its entry is gone or
// was moved, they are the older ones. An entry that stands in several places, as in a copy
// of a file, is listed once on a page. whole says that wanted has to see the entries before
// the cursor too; more, whether others follow.
func (s *openMemory) page(last *cursor, whole bool, limit int, wanted func(*memory.Entry) bool) (list []storedBlock, more bool) {
	var before []storedBlock // the cursor's entry, as long as that was not met
	seen := map[string]bool{}
	latest := ""
	if last != nil && !whole { // files of later days hold none of the page
		latest = memory.DayFile(last.Time.AddDate(0, 0, 2))
	}
	older := func(path string) bool {
		name := filepath.Base(path)
		_, day := memory.DayOf(name)
		return latest == "" || !day || name <= latest
	}
	for b := range s.told(s.blocksOf(older)) {
		switch {
		case b.Entry == nil || !wanted(b.Entry) || seen[b.Entry.ID]:
			continue
		case last == nil:
			list = append(list, b)
		case b.Entry.ID == last.ID && b.File == last.File:
			last, before = nil, nil
		default:
			before = append(before, b)
		}
		if seen[b.Entry.ID] = b.Entry.ID != ""; limit > 0 && len(list) > limit {
			return list[:limit], true
		}
	}
	for _, b := range before {
		if b.Entry.Time.Before(last.Time) || b.Entry.Time.Equal(last.Time) && b.Entry.ID < last.ID {
			list = append(list, b)
		}
	}
	if limit > 0 && len(list) > limit {
		return list[:limit], true
	}
	return list, false
}

// newest are the newest entries that wanted accepts; 0 means all.
func (s *openMemory) newest(limit int, wanted func(*memory.Entry) bool) []storedBlock {
	var out []storedBlock
	for b := range s.readable() {
		if b.Entry == nil || !wanted(b.Entry) {
			continue
		}
		if out = append(out, b); len(out) == limit {
			break
		}
	}
	return out
}

func entriesOf(list []storedBlock) []*memory.Entry {
	return mapped(list, func(b storedBlock) *memory.Entry { return b.Entry })
}

// titleOf is the entry's title, or a note's fact.
func titleOf(e *memory.Entry) string {
	if e.Kind == memory.KindNote && len(e.Facts) > 0 {
		return memory.Title(e.Facts[0].Text)
	}
	return e.Title
}

// below turns paths into those below the work tree's top that entries hold:
// '/' separated, "." for the top.
func (s *openMemory) below(paths []string) ([]string, error) {
	top := cmp.Or(s.Worktree, filepath.Dir(s.Root))
	var out []string
	for _, given := range paths {
		path := given
		if !filepath.IsAbs(path) {
			path = filepath.Join(s.dir, path)
		}
		rel, err := filepath.Rel(realPath(top), realPath(path))
		if err != nil || !filepath.IsLocal(rel) {
			return nil, usagef("%s is not in %s", given, top)
		}
		out = append(out, filepath.ToSlash(rel))
	}
	return out, nil
}

// realPath follows the symlinks of the folders of a path, as far as they are
// there; the path itself may be one that an entry holds.
func realPath(path string) string {
	dir, rest := filepath.Dir(path), filepath.Base(path)
	for {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(real, rest)
		}
		up := filepath.Dir(dir)
		if up == dir {
			return path
		}
		dir, rest = up, filepath.Join(filepath.Base(dir), rest)
	}
}

// pathTrail says which entries changed a path. It is asked about entries from
// the newest to the oldest: a path's earlier names count from the entry on
// that renamed it.
type pathTrail struct{ names []string }

// passes says whether an entry changed one of the paths, or one below.
func (t *pathTrail) passes(e *memory.Entry) bool {
	hit := false
	for _, c := range changesOf(e) {
		switch {
		case t.holds(c.Path):
			if hit = true; c.OldPath != "" && !t.holds(c.OldPath) {
				t.names = append(t.names, c.OldPath)
			}
		case c.OldPath != "" && t.holds(c.OldPath):
			hit = true
		case c.Status == memory.StatusFolder && t.inside(c.Path):
			hit = true // nobody knows which of its paths changed
		}
	}
	return hit
}

// holds says whether path is one of the names, or below one.
func (t *pathTrail) holds(path string) bool {
	for _, name := range t.names {
		if name == "." || path == name || strings.HasPrefix(path, name+"/") {
			return true
		}
	}
	return false
}

// inside says whether one of the names is in a folder.
func (t *pathTrail) inside(folder string) bool {
	for _, name := range t.names {
		if strings.HasPrefix(name, strings.TrimSuffix(folder, "/")+"/") {
			return true
		}
	}
	return false
}

// changesOf are all changes that an entry names as its own.
func changesOf(e *memory.Entry) []memory.Change {
	return slices.Concat(e.Changes.Items, e.Uncommitted.Items)
}
