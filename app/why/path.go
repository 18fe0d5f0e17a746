package why

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/propose"
	"agentflow/app/search"
	"agentflow/gitwatch/blame"
	"agentflow/internal/plural"
	"agentflow/memory"
	"agentflow/memory/changeset"
)

// whole reports the entries and commits that made a whole path.
func (w *whyFinder) whole(out *api.Why, limit int) error {
	var origins []api.WhyOrigin
	info, err := os.Lstat(filepath.Join(w.mem.Worktree, filepath.FromSlash(w.path)))
	switch {
	case err != nil:
		out.Kind = "gone"
		if origins = w.ofEntries(); len(origins) == 0 {
			return &app.Error{Kind: app.KindNotFound, Err: fmt.Errorf("the work tree has no %s, and no entry of memory names it", w.path)}
		}
	case info.IsDir():
		out.Kind, origins = "folder", w.ofEntries()
	default:
		out.Kind = "file"
		if origins, err = w.ofFile(out); err != nil {
			return err
		}
	}
	kept := limited(origins, limit)
	out.More = len(origins) - len(kept)
	out.Origins = append(out.Origins, kept...)
	out.Notes = append(out.Notes, w.notes...)
	return nil
}

// limited returns the first origins, at most limit; 0: all. The newest one takes the last of several places
// if it is behind them: it may have few lines, and people look for it.
func limited(origins []api.WhyOrigin, limit int) []api.WhyOrigin {
	if limit == 0 || len(origins) <= limit {
		return origins
	}
	kept, newest := slices.Clone(origins[:limit]), 0
	for i, o := range origins {
		if timeOf(o).After(timeOf(origins[newest])) {
			newest = i
		}
	}
	if newest >= limit && limit > 1 {
		kept[limit-1] = origins[newest]
	}
	return kept
}

// ofFile returns the origins of a file: first those of today's lines, then the entries
// that changed the file and have no lines left.
func (w *whyFinder) ofFile(out *api.Why) ([]api.WhyOrigin, error) {
	err := w.readLines()
	if known := app.AsError(err); err != nil && known.Kind != app.KindRefused {
		return nil, err
	}
	var origins []api.WhyOrigin
	if out.Lines = len(w.text); err == nil && out.Lines > 0 {
		found, err := w.blameFile(out.Lines)
		if err != nil {
			return nil, err
		}
		w.makers.findCommits(found)
		origins = w.counted(w.stretches(found))
	}
	listed := map[string]bool{}
	for _, o := range origins {
		if o.Entry != nil {
			listed[o.Entry.ID] = true
		}
	}
	older := slices.DeleteFunc(w.ofEntries(), func(o api.WhyOrigin) bool { return listed[o.Entry.ID] })
	for i := range older {
		older[i].Lines, older[i].Remark = 0, "no line of it is left"
	}
	if out.Lines == 0 {
		for i := range older {
			older[i].Remark = ""
		}
	}
	return append(origins, older...), nil
}

// blameFile asks git to blame all lines, or as many as it can blame in time.
func (w *whyFinder) blameFile(lines int) (blame.File, error) {
	to := lines
	if lines > maxBlameFile {
		to = maxBlameFile
		w.notes = append(w.notes, fmt.Sprintf("only the first %d of its %d lines were looked at", to, lines))
	}
	short, cancel := context.WithTimeout(w.ctx, maxBlameTime)
	defer cancel()
	found, err := w.blameLines(short, 1, to)
	if err != nil && w.ctx.Err() == nil && errors.Is(short.Err(), context.DeadlineExceeded) {
		told := 0
		for _, h := range found.Hunks {
			told += h.Count
		}
		w.notes = append(w.notes, fmt.Sprintf("git blame found the commits of %d of its %s within %s", told, plural.Count(lines, "line"), maxBlameTime))
		return found, nil
	}
	return found, err
}

// counted groups stretches by their entry, or else their
// commit: the group with the most lines first, then the newest.
func (w *whyFinder) counted(list []stretch) []api.WhyOrigin {
	var origins []api.WhyOrigin
	at := map[string]int{}
	for _, s := range list {
		key := cmp.Or(s.entry, s.commit)
		i, seen := at[key]
		o := w.origin(s.whose)
		if !seen {
			i = len(origins)
			at[key] = i
			origins = append(origins, o)
		}
		known := &origins[i]
		known.Lines += s.to - s.from + 1
		if o.Commit != nil && (known.Commit == nil || o.Commit.Time.After(known.Commit.Time)) {
			known.Commit = o.Commit
		}
		if seen && known.Certainty != o.Certainty {
			known.Certainty = changeset.LeastCertain(known.Certainty, o.Certainty)
		}
		if o.Entry != nil {
			known.Remark = "" // it is about some of the lines
		}
	}
	mostTelling(origins)
	return origins
}

// mostTelling sorts origins: the one with the most lines first, then the newest.
func mostTelling(origins []api.WhyOrigin) {
	slices.SortStableFunc(origins, func(a, b api.WhyOrigin) int {
		return cmp.Or(cmp.Compare(b.Lines, a.Lines), timeOf(b).Compare(timeOf(a)))
	})
}

// timeOf returns the time of an origin. Uncommitted work is the newest.
func timeOf(o api.WhyOrigin) time.Time {
	switch {
	case o.Entry != nil:
		return o.Entry.StartedAt
	case o.Commit != nil:
		return o.Commit.Time
	}
	return time.Now()
}

// ofEntries returns the entries that recorded a change of the path, or of something below
// it. Entries with the most added lines in files that still exist come first.
func (w *whyFinder) ofEntries() []api.WhyOrigin {
	w.makers.prepare()
	trail := PathTrail{append(slices.Sorted(maps.Keys(w.names)), NameElsewhere(w.mem, w.path))}
	there := map[string]bool{}
	stands := func(path string) bool {
		if _, known := there[path]; !known {
			there[path] = search.Exists(w.mem, path)
		}
		return there[path]
	}
	var origins []api.WhyOrigin
	for b := range w.stored.entriesOf(w.stored.memory.with(func(text []byte) bool { return mentionsPath(text, trail.Names) })) {
		if b.Entry.Kind == memory.KindNote || !trail.Passes(b.Entry) {
			continue
		}
		o := api.WhyOrigin{Entry: w.originEntry(whose{entry: b.Entry.ID}), Certainty: changeset.Possible}
		for _, c := range propose.ChangesAnywhere(b.Entry) {
			if !trail.holds(c.Path) && !trail.holds(c.OldPath) {
				continue
			}
			if stands(c.Path) {
				o.Lines += c.Added
			}
			if b.Entry.Kind == memory.KindCommit || c.Certainty == changeset.Shown {
				o.Certainty = changeset.Shown
			} else if c.Certainty.Sure() && o.Certainty == changeset.Possible {
				o.Certainty = changeset.Likely
			}
		}
		if n := len(b.Entry.Commits); n > 0 && b.Entry.Kind == memory.KindCommit {
			o.Commit = &api.WhyCommit{ID: b.Entry.Commits[n-1].ID, Subject: b.Entry.Title, Time: b.Entry.Time}
		}
		origins = append(origins, o)
	}
	mostTelling(origins)
	return origins
}

// mentionsPath reports whether text may name one of some paths, or a path below one. It
// looks for the last part of each path, unless files of memory hold that part escaped.
func mentionsPath(text []byte, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		return name == "." || memory.QuotePath(name) != name || bytes.Contains(text, []byte(path.Base(name)))
	})
}
