package settle

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"agentflow/app"
	"agentflow/app/lookup"
	"agentflow/executor"
	"agentflow/gitwatch/reflog"
	"agentflow/internal/atomicfile"
	"agentflow/internal/safefile"
	"agentflow/memory"
	"agentflow/memory/changeset"
)

// A person often commits the work of a session that is still open. The session's entry will name such a
// commit, so its own entry waits in a list until that entry is written. The list is written before the
// reflogs are marked as read, and a commit leaves it when an entry names it, or when it gets its own.

// deferredCommit is a commit of the list.
type deferredCommit struct {
	Since    time.Time `json:"since"`
	Segments []string  `json:"segments"` // of open sessions that wrote its files
	Branch   string    `json:"branch,omitempty"`
	Worktree string    `json:"worktree,omitempty"`
}

// deferredList holds commits by their full ids.
type deferredList map[string]deferredCommit

// Limits of the list: how long a commit waits, and the size of the file in bytes.
const (
	maxDeferred     = 24 * time.Hour
	maxDeferredFile = 4 << 20
)

func deferredFile(s *app.Repo) string { return filepath.Join(s.State(), "deferred.json") }

// readDeferred reads the list. A damaged one is left out, with a warning.
func readDeferred(s *app.Repo) (deferredList, error) {
	list := deferredList{}
	data, err := safefile.Read(deferredFile(s), safefile.NoLink, maxDeferredFile)
	if errors.Is(err, fs.ErrNotExist) {
		return list, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the commits that wait for a session: %w", err)
	}
	if err := json.Unmarshal(data, &list); err != nil {
		s.Degraded("commits", []string{deferredFile(s) + " is damaged: 'agentflow backfill' records the commits that waited there"})
		return deferredList{}, nil
	}
	return list, nil
}

func (l deferredList) write(s *app.Repo) error {
	if len(l) == 0 {
		if err := os.Remove(deferredFile(s)); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	data, err := json.Marshal(l)
	if err == nil {
		err = atomicfile.WriteHere(deferredFile(s), data, 0o600)
	}
	return err
}

// deferredDue reports whether a commit of the list waits no longer.
func deferredDue(s *app.Repo) bool {
	if _, err := os.Lstat(deferredFile(s)); err != nil {
		return false
	}
	list, err := readDeferred(s)
	if err != nil || len(list) == 0 {
		return true // to say so, or to remove it
	}
	waited := map[string]bool{}
	for _, o := range executor.UnrecordedSegments(s.Runs()) {
		waited[o.ID] = true
	}
	for _, c := range list {
		if c.late() || !slices.ContainsFunc(c.Segments, func(id string) bool { return waited[id] }) {
			return true
		}
	}
	return false
}

// late reports whether a commit has waited too long. A clock that was set back ends the waiting too.
func (c deferredCommit) late() bool {
	waited := time.Since(c.Since)
	return waited > maxDeferred || waited < -reflog.ClockSlack
}

// settleDeferred looks again at the commits of the list.
func settleDeferred(ctx context.Context, s *app.Repo) error {
	if err := idle(s); err != nil {
		return err
	}
	origins, err := reflog.Origins(lookup.LinkFiles(s).Rewrites)
	if err != nil {
		return err
	}
	return recordOrDefer(ctx, s, gather(nil, reflog.Arrivals{}, origins), nil)
}

// recordOrDefer writes the entries of the reported commits and of those in the list, except for commits that
// an open session's entry may name. Those are the new list.
func recordOrDefer(ctx context.Context, s *app.Repo, r ReportedCommits, branches map[string]string) error {
	before, err := readDeferred(s)
	if err != nil {
		return err
	}
	list := deferredList{}
	for id, c := range before {
		list[id], r.trees[id] = c, c.Worktree
		r.add(id)
	}
	for id, branch := range branches {
		c := list[id]
		c.Branch = branch
		list[id] = c
	}
	later, err := recordReported(ctx, s, r, list)
	if err != nil || len(before)+len(later) == 0 {
		return err
	}
	return later.write(s)
}

// splitDeferred divides entries of commits into those to record, and those that wait.
func splitDeferred(s *app.Repo, known deferredList, entries []memory.Entry) (record []memory.Entry, later deferredList) {
	later = deferredList{}
	writers := sync.OnceValue(func() map[string][]string { return writersOf(s) })
	for _, e := range entries {
		c := known[e.Commits[0].ID]
		c.Worktree, c.Segments = e.Worktree, nil
		if c.Since.IsZero() {
			c.Since = time.Now()
		}
		if !strings.Contains(strings.TrimSpace(e.Task), "\n") && !c.late() {
			c.Segments = allWrote(writers(), e.Changes.Items)
		}
		if len(c.Segments) == 0 {
			record = append(record, e)
			continue
		}
		later[e.Commits[0].ID] = c
	}
	return record, later
}

// allWrote returns the segments that wrote all of some changed files.
func allWrote(writers map[string][]string, changes []changeset.Change) (segments []string) {
	for i, c := range changes {
		wrote := writers[c.Path]
		if i == 0 {
			segments = slices.Clone(wrote)
		}
		segments = slices.DeleteFunc(segments, func(id string) bool { return !slices.Contains(wrote, id) })
	}
	return segments
}

// writersOf returns the segments without an entry that wrote files, by the paths in their work trees.
func writersOf(s *app.Repo) map[string][]string {
	writers := map[string][]string{}
	for _, o := range executor.UnrecordedSegments(s.Runs()) {
		so, err := executor.ReadSegment(s.Runs(), o.ID)
		if err != nil {
			continue // it has just been recorded, or removed
		}
		for _, path := range so.Written() {
			if filepath.IsAbs(path) {
				rel, err := filepath.Rel(o.WorkTree, path)
				if err != nil {
					continue
				}
				path = rel
			}
			path = filepath.ToSlash(filepath.Clean(path))
			if !slices.Contains(writers[path], o.ID) {
				writers[path] = append(writers[path], o.ID)
			}
		}
	}
	return writers
}
