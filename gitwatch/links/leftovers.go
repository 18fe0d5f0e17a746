package links

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"agentflow/gitwatch"
	"agentflow/gitwatch/history"
	"agentflow/gitwatch/reflog"
	"agentflow/memory"
	"agentflow/memory/changeset"
)

// People often commit the uncommitted changes of a run afterwards. Such a commit is recognised by
// its contents: it gives a path exactly the blob that the run's entry names.

// Leftovers finds the runs with uncommitted edits that a commit holds.
type Leftovers struct{ byPath map[string][]*memory.Entry }

// NewLeftovers takes the entries of runs and skips others.
func NewLeftovers(entries ...*memory.Entry) Leftovers {
	l := Leftovers{map[string][]*memory.Entry{}}
	for _, e := range entries {
		if !e.Kind.ByAgent() {
			continue
		}
		left, _ := pathBlobs(e.Uncommitted)
		for _, p := range left {
			l.byPath[string(p.Path)] = append(l.byPath[string(p.Path)], e)
		}
	}
	return l
}

// Runs lists the ids of the runs whose edits a commit holds, in the order of the entries given to
// NewLeftovers. Commits from before a run, and those that its entry names, do not count.
func (l Leftovers) Runs(c history.Commit) (ids []string) {
	asked := map[*memory.Entry]bool{}
	for _, f := range c.Files {
		for _, e := range l.byPath[f.Path] {
			if asked[e] {
				continue
			}
			asked[e] = true
			if left, _ := pathBlobs(e.Uncommitted); len(committedPaths(e, left, c)) > 0 {
				ids = append(ids, e.ID)
			}
		}
	}
	return ids
}

// committedPaths returns the paths that a commit holds as e left them. Deleted files prove
// something only if all of left is committed.
func committedPaths(e *memory.Entry, left []pathBlob, c history.Commit) (paths []string) {
	own := slices.ContainsFunc(e.Commits, func(known changeset.Commit) bool { return known.ID == c.ID })
	if own || c.Time.Before(e.Time.Add(-reflog.ClockSlack)) {
		return nil
	}
	blobs := blobsByPath(c.Files)
	telling := false
	for _, p := range left {
		if blob, ok := blobs[string(p.Path)]; ok && blob == p.Blob {
			paths = append(paths, string(p.Path))
			telling = telling || blob != changeset.NoBlob
		}
	}
	if !telling && len(paths) < len(left) {
		return nil
	}
	return paths
}

// LaterCommit is a commit that holds edits that a run had left uncommitted.
type LaterCommit struct {
	ID      string   `json:"id"` // full
	Subject string   `json:"subject"`
	Paths   []string `json:"paths"` // those that are as the run left them
}

// maxLeftCommits limits the commits read of the paths that a run left.
const maxLeftCommits = 1000

// CommittedLater finds the commits that took over the uncommitted edits of a run, oldest first.
// Each path is listed with the first such commit. It asks the git program about the commits since
// the run. Entries of older versions do not name the edits, so it finds none for them.
func CommittedLater(ctx context.Context, r *gitwatch.Repo, e *memory.Entry) ([]LaterCommit, error) {
	left, _ := pathBlobs(e.Uncommitted)
	if len(left) == 0 {
		return nil, nil
	}
	tips, grafts, err := r.BranchTips(ctx)
	if err != nil || len(tips) == 0 {
		return nil, err
	}
	ask := append(tips, "--")
	for _, p := range left {
		if !strings.Contains(string(p.Path), "\n") {
			ask = append(ask, ":(literal)"+string(p.Path))
		}
	}
	commits, _, err := commitsSince(ctx, r.Root(), ask, e.Time.Unix()-int64(reflog.ClockSlack.Seconds()), maxLeftCommits, "--full-history")
	if err != nil {
		return nil, fmt.Errorf("looking for commits of changes that a run left: %w", err)
	}
	cut := setOf(strings.Fields(grafts))
	var later []LaterCommit
	for _, c := range slices.Backward(commits) {
		if paths := committedPaths(e, left, c); len(paths) > 0 && !cut[c.ID] {
			later = append(later, LaterCommit{c.ID, c.Subject, paths})
			left = slices.DeleteFunc(left, func(p pathBlob) bool { return slices.Contains(paths, string(p.Path)) })
		}
	}
	return later, nil
}
