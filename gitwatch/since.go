package gitwatch

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agentflow/gitwatch/internal/git"
	"agentflow/gitwatch/internal/objects"
	"agentflow/gitwatch/reflog"
)

// rewind turns a snapshot that was just taken into one of an earlier moment.
func (r *Repo) rewind(ctx context.Context, s *snapshot, dir string, since time.Time, trace func()) error {
	if trace != nil {
		upToDate(ctx, dir, trace)
	}
	moves, _, err := reflog.ReadTrace(dir)
	if _, untraced := os.Lstat(filepath.Join(dir, reflog.TraceFile)); untraced != nil {
		moves, err = r.movesSince(ctx, s, since)
	}
	if err != nil {
		return err
	}
	s.rewindRefs(moves)
	o := objects.Open(ctx, r.at)
	defer o.Close()
	looked := time.Unix(0, s.Began)
	s.Began = since.UnixNano()
	then := s.Dirty[:0]
	for _, d := range s.Dirty {
		if !r.tree.ChangedAt(string(d.Path), d.Now.Exists(), looked.Add(time.Minute)).Before(since.Add(-ctimeGrain)) {
			continue // it was changed since, or its time is unknown
		}
		if d.Head, err = s.inHead(o, string(d.Path)); err != nil {
			return err
		}
		if d.Unmerged || !d.Now.Same(d.Head) {
			then = append(then, d)
		}
	}
	s.Dirty = then
	return nil
}

// upToDate brings the trace up to date. Git logs a move after making it, so upToDate waits for a
// move in progress.
func upToDate(ctx context.Context, dir string, trace func()) {
	for began := time.Now(); ; time.Sleep(movePoll) {
		trace()
		if !reflog.Unfinished(dir) || time.Since(began) > moveWait || ctx.Err() != nil {
			return
		}
	}
}

// How long to wait for git's line about a move of references after its start. A move that failed
// has no line.
const (
	moveWait = 200 * time.Millisecond
	movePoll = 2 * time.Millisecond
)

// ctimeGrain limits a ctime's lag behind the clock in kernels.
const ctimeGrain = 10 * time.Millisecond

// movesSince returns the moves of HEAD, and of the branch that it is on, from HEAD's reflog.
func (r *Repo) movesSince(ctx context.Context, s *snapshot, since time.Time) (moves []reflog.Move, err error) {
	entries, err := r.reflog(ctx)
	for _, e := range entries {
		if e.Time.Before(since.Truncate(time.Second)) || e.Time.Before(since) && r.madeBefore(e.Move, since) {
			continue
		}
		moves = append(moves, e.Move)
		if _, left := branchLeft(e.Move); !left && s.Branch != "" {
			branch := e.Move
			branch.Ref = string(s.Branch)
			moves = append(moves, branch)
		}
	}
	return moves, err
}

// madeBefore reports whether a commit was made before a time. The reflog, with its whole seconds,
// may not show that, but the file of the commit's object has the exact time.
func (r *Repo) madeBefore(m reflog.Move, at time.Time) bool {
	id := m.New.String()
	if !m.Commits() || len(id) < 3 {
		return false
	}
	info, err := os.Lstat(filepath.Join(r.at.CommonDir, "objects", id[:2], id[2:]))
	return err == nil && info.ModTime().Before(at)
}

// rewindRefs undoes the moves of references, and of HEAD.
func (s *snapshot) rewindRefs(moves []reflog.Move) {
	first := map[string]git.ID{}
	switched := ""
	for _, m := range moves {
		if branch, left := branchLeft(m); left && switched == "" {
			switched = branch
		}
		if _, moved := first[m.Ref]; !moved && (m.Old != "" || m.New != "") {
			first[m.Ref] = m.Old
		}
	}
	s.Refs = slices.DeleteFunc(s.Refs, func(ref objects.Ref) bool {
		_, moved := first[string(ref.Name)]
		return moved
	})
	for name, old := range first {
		if old != "" && strings.HasPrefix(name, "refs/") {
			s.Refs = append(s.Refs, objects.Ref{Name: git.Name(name), ID: old.String()})
		}
	}
	slices.SortFunc(s.Refs, func(a, b objects.Ref) int { return cmp.Compare(a.Name, b.Name) })
	if old, moved := first["HEAD"]; moved {
		s.Head, s.tree = old.String(), nil
	}
	if switched == "" {
		return
	}
	s.Branch = git.Name(git.BranchPrefix + switched)
	if i := slices.IndexFunc(s.Refs, func(ref objects.Ref) bool { return ref.Name == s.Branch }); i >= 0 {
		s.Head, s.tree = s.Refs[i].ID, nil
	}
}

// branchLeft returns the branch that a move of HEAD left.
func branchLeft(m reflog.Move) (branch string, left bool) {
	from, left := strings.CutPrefix(m.Message, "checkout: moving from ")
	branch, _, _ = strings.Cut(from, " to ")
	if _, isCommit := git.ParseID(branch); m.Ref != "HEAD" || isCommit {
		return "", false
	}
	return branch, left
}
