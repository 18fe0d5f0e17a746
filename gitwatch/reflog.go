package gitwatch

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"agentflow/gitwatch/internal/git"
	"agentflow/gitwatch/reflog"
	"agentflow/internal/repofile"
)

// readReflog reads the moves of a work tree's own HEAD within [from, to], for
// a git that writes no ref trace. The branches' reflogs are left alone: other
// work trees write them too.
func (r *Repo) readReflog(ctx context.Context, from, to time.Time) ([]reflog.Move, error) {
	entries, err := r.reflog(ctx)
	if err != nil {
		return nil, fmt.Errorf("read reflog: %w", err)
	}
	var moves []reflog.Move
	for _, e := range entries {
		if !e.at.Before(from.Add(-reflog.ClockSlack)) && !e.at.After(to.Add(reflog.ClockSlack)) {
			moves = append(moves, e.Move)
		}
	}
	return moves, nil
}

// reflogEntry is one line of HEAD's reflog.
type reflogEntry struct {
	reflog.Move
	at time.Time
}

// reflog reads all of HEAD's reflog, oldest first.
func (r *Repo) reflog(ctx context.Context) ([]reflogEntry, error) {
	if r.shape.reftable {
		return r.gitReflog(ctx)
	}
	file := filepath.Join(r.gitDir, "logs", "HEAD")
	f, err := repofile.Open(file, repofile.AnyLink)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var entries []reflogEntry
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if m, at, ok := reflog.ParseLine(lines.Text()); ok {
			m.Ref = "HEAD"
			entries = append(entries, reflogEntry{m, at})
		}
	}
	return entries, lines.Err()
}

// gitReflog is reflog where it is not a file. Git tells only the new id of
// each entry; the old one is that of the entry before.
func (r *Repo) gitReflog(ctx context.Context) ([]reflogEntry, error) {
	s := gitStore{repo: r, ctx: ctx}
	if _, commit, err := s.head(); err != nil || commit == "" {
		return nil, err
	}
	out, err := r.git(ctx, nil, "-c", "log.showSignature=false", "log", "-g", "-z", "--format=%H%x00%gd%x00%gs", "--date=unix", "HEAD", "--")
	if err != nil {
		return nil, err
	}
	fields := splitZ(out)
	var entries []reflogEntry
	var last git.ID
	for i := len(fields) - 3; i >= 0; i -= 3 {
		id, name := git.KnownID(fields[i]), strings.TrimSuffix(strings.TrimPrefix(fields[i+1], "HEAD@{"), "}")
		seconds, err := strconv.ParseInt(name, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("git log answered %q", git.OneLine(fields[i+1]))
		}
		entries = append(entries, reflogEntry{reflog.Move{Ref: "HEAD", Old: last, New: id, Message: fields[i+2]}, time.Unix(seconds, 0)})
		last = id
	}
	return entries, nil
}
