package app

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agentflow/api"
	"agentflow/internal/gitdir"
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
	Shared       bool        // list what others share too
	Author       string      // only what this person shares, or stored through a team's server; empty: of all
}

// LogResult is what memory holds of them.
type LogResult struct {
	Runs     []api.Run // with the state of their commits; never nil
	Titles   []string  // of each: of a note, its fact
	Places   []string  // of each: memory/2026-11-21.md:3-9
	Paths    []string  // those of the request, relative to the top of the work tree, with '/'
	Others   bool      // there is no run or session: these are the commits and notes
	Hidden   int       // how many commits were passed over so far
	Nothing  bool      // the place has no memory yet
	Next     string    // the Cursor of the next page; empty: this is the last one
	Degraded []string  // what did not work, a line each; never nil
}

// entriesList names the list that a cursor of entries is of.
const entriesList = "entries"

// Log lists runs and sessions, or what changed some paths.
func (m *Memory) Log(ctx context.Context, req LogRequest) (res LogResult, err error) {
	o := m.begin(ctx)
	defer o.end(&res.Degraded, &err)
	defer o.orNothing(&err)
	l, err := o.entryList(ctx, &req)
	if err != nil {
		return emptyLog(), err
	}
	defer l.stop()
	return l.page(req.Limit), nil
}

func emptyLog() LogResult { return LogResult{Runs: []api.Run{}} }

// pageEntries is how many entries a page of a long list has.
const pageEntries = 500

// LogPages is Log for a list of any length: show gets it in pages, at least one, as they
// are read, so that no more than a few of them are in memory. An error of show ends it. The
// list begins with the sessions that are open. If there is no run or session, it has the
// commits and notes.
func (m *Memory) LogPages(ctx context.Context, req LogRequest, show func(LogResult) error) (err error) {
	var degraded []string
	o := m.begin(ctx)
	defer o.end(&degraded, &err)
	l, err := o.entryList(ctx, &req)
	if errors.Is(err, errNothing) {
		o.orNothing(&err)
		return show(LogResult{Runs: []api.Run{}, Nothing: true})
	}
	if err != nil {
		return err
	}
	defer func() { l.stop() }()
	size := pageEntries
	if req.Limit > 0 {
		size = req.Limit
	}
	page := l.page(size)
	if len(page.Runs) == 0 && req.isPlain() {
		l.stop()
		req.All = true
		if l, err = l.s.entryList(ctx, &req); err != nil {
			return err
		}
		page = l.page(size)
		page.Others = len(page.Runs) > 0
	}
	page.addOpen(l.s.openSessions(ctx, req))
	for {
		if err := cmp.Or(show(page), context.Cause(ctx)); err != nil || page.Next == "" || req.Limit > 0 {
			return err
		}
		page = l.page(size)
	}
}

// isPlain reports whether a request asks for runs and sessions, whichever they are.
func (req *LogRequest) isPlain() bool {
	return len(req.Paths) == 0 && !req.All && req.Kind == "" && req.Cursor == ""
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
	top := s.top()
	var out []string
	for _, given := range paths {
		path := given
		if !filepath.IsAbs(path) {
			path = filepath.Join(s.dir, path)
		}
		rel, err := filepath.Rel(gitdir.Real(top), gitdir.Real(path))
		if err != nil || !filepath.IsLocal(rel) {
			return nil, usagef("%s is not in %s", given, top)
		}
		out = append(out, filepath.ToSlash(rel))
	}
	return out, nil
}

// fileAt is the absolute path of one below the work tree's top, with the links of its
// folders followed.
func (s *openMemory) fileAt(path string) string {
	return gitdir.Real(filepath.Join(s.top(), filepath.FromSlash(path)))
}

// nameElsewhere names a path below the work tree's top as the entry of a run in another
// working tree does.
func (s *openMemory) nameElsewhere(path string) string {
	return memory.PathElsewhere(s.fileAt(path), filepath.Dir(s.Root), s.dirs.Home)
}

// pathTrail says which entries changed a path. It is asked about entries from
// the newest to the oldest: a path's earlier names count from the entry on
// that renamed it.
type pathTrail struct{ names []string }

// passes says whether an entry changed one of the paths, or one below.
func (t *pathTrail) passes(e *memory.Entry) bool {
	hit := false
	for _, c := range changesAnywhere(e) {
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

// changesOf are all changes that an entry names as its own in its working tree.
func changesOf(e *memory.Entry) []memory.Change {
	return slices.Concat(e.Changes.Items, e.Uncommitted.Items)
}

// changesAnywhere are all changes that an entry names as its own.
func changesAnywhere(e *memory.Entry) []memory.Change {
	return append(changesOf(e), e.Elsewhere.Items...)
}
