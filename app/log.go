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

// LogRequest selects entries, newest first.
type LogRequest struct {
	// Paths are paths that the entries changed, or folders above such paths: absolute, or relative to the folder of the
	// Memory. The earlier names of a renamed file count too. Without paths, all runs and sessions are listed.
	Paths        []string
	All          bool        // without paths: also list notes and commits
	Kind         memory.Kind // only entries of this kind; empty: see Paths and All
	Since, Until time.Time   // Since inclusive, Until exclusive; zero means no limit
	Limit        int         // at most this many; 0 lists all
	Cursor       string      // the Next of a list: continue after it, with older entries
	Shared       bool        // also list entries that others share
	Author       string      // only entries that this person shares, or stored through a team's server; empty: all
}

// LogResult is one page of entries.
type LogResult struct {
	Runs     []api.Run           // with the states of their commits; never nil
	Titles   []string            // for each run its title; for a note, its fact
	Places   []string            // for each run its place: memory/2026-11-21.md:3-9
	Paths    []string            // those of the request, relative to the top of the work tree, '/' separated
	Others   bool                // there is no run or session; Runs has the commits and notes
	Hidden   map[memory.Kind]int // number of commits and notes skipped so far, by kind
	Nothing  bool                // the place has no memory yet
	Next     string              // the Cursor of the next page; empty on the last page
	Degraded []string            // failures that did not stop the operation, one per line; never nil
}

// entriesList identifies the list to which a cursor of entries belongs.
const entriesList = "entries"

// Log lists runs and sessions, or the entries that changed the given paths.
func Log(ctx context.Context, m *Memory, req LogRequest) (res LogResult, err error) {
	o := m.begin(ctx)
	defer o.end(&res.Degraded, &err)
	defer o.orNothing(&err)
	l, err := openEntryList(ctx, o, &req)
	if err != nil {
		return emptyLog(), err
	}
	defer l.stop()
	return l.page(req.Limit), nil
}

func emptyLog() LogResult { return LogResult{Runs: []api.Run{}} }

// pageEntries is the number of entries on a page of a long list.
const pageEntries = 500

// LogPages is Log for a list of any length. It calls show for each page, at least once, while it reads, so that only a
// few pages are in memory. An error of show ends the list. The list begins with the open sessions. If there is no run
// or session, it has the commits and notes.
func LogPages(ctx context.Context, m *Memory, req LogRequest, show func(LogResult) error) (err error) {
	var degraded []string
	o := m.begin(ctx)
	defer o.end(&degraded, &err)
	l, err := openEntryList(ctx, o, &req)
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
		if l, err = newEntryList(ctx, l.s, &req); err != nil {
			return err
		}
		page = l.page(size)
		page.Others = len(page.Runs) > 0
	}
	page.addOpen(openSessions(ctx, l.s, req))
	for {
		if err := cmp.Or(show(page), context.Cause(ctx)); err != nil || page.Next == "" || req.Limit > 0 {
			return err
		}
		page = l.page(size)
	}
}

// isPlain reports whether a request asks for runs and sessions without any restriction to paths or kinds.
func (req *LogRequest) isPlain() bool {
	return len(req.Paths) == 0 && !req.All && req.Kind == "" && req.Cursor == ""
}

// newest returns the newest entries that wanted accepts, at most limit. A limit of 0 means all.
func newest(s *openMemory, limit int, wanted func(*memory.Entry) bool) []storedBlock {
	var out []storedBlock
	for b := range readableBlocks(s) {
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

// titleOf returns the entry's title, or the fact of a note.
func titleOf(e *memory.Entry) string {
	if e.Kind == memory.KindNote && len(e.Facts) > 0 {
		return memory.Title(e.Facts[0].Text)
	}
	return e.Title
}

// below converts paths to the form that entries have: relative to the top of the work tree, '/' separated, "." for the
// top.
func below(s *openMemory, paths []string) ([]string, error) {
	top := top(s)
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

// fileAt returns the absolute path of a file below the top of the work tree, with symlinks in its folders resolved.
func fileAt(s *openMemory, path string) string {
	return gitdir.Real(filepath.Join(top(s), filepath.FromSlash(path)))
}

// nameElsewhere returns the name that the entry of a run in another working tree has for a path below this one's top.
func nameElsewhere(s *openMemory, path string) string {
	return memory.PathElsewhere(fileAt(s, path), filepath.Dir(s.Root), s.dirs.Home)
}

// pathTrail reports which entries changed a path. Pass it entries from newest to oldest: after it has seen a rename, it
// also matches the earlier name.
type pathTrail struct{ names []string }

// passes reports whether an entry changed one of the paths, or a path below one.
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
			hit = true // any path in the folder may have changed
		}
	}
	return hit
}

// holds reports whether path is one of the names, or below one.
func (t *pathTrail) holds(path string) bool {
	for _, name := range t.names {
		if name == "." || path == name || strings.HasPrefix(path, name+"/") {
			return true
		}
	}
	return false
}

// inside reports whether one of the names is in a folder.
func (t *pathTrail) inside(folder string) bool {
	for _, name := range t.names {
		if strings.HasPrefix(name, strings.TrimSuffix(folder, "/")+"/") {
			return true
		}
	}
	return false
}

// changesOf returns the changes in an entry's working tree, committed or not.
func changesOf(e *memory.Entry) []memory.Change {
	return slices.Concat(e.Changes.Items, e.Uncommitted.Items)
}

// changesAnywhere returns all changes of an entry, including those outside its working tree.
func changesAnywhere(e *memory.Entry) []memory.Change {
	return append(changesOf(e), e.Elsewhere.Items...)
}
