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
)

// clockSlack is how far a commit's whole seconds may stand before the moment
// a run began.
const clockSlack = 2 * time.Second

// readReflog reads the moves of a work tree's own HEAD within [from, to], for
// a git that writes no ref trace. The branches' reflogs are left alone: other
// work trees write them too.
func (r *Repo) readReflog(ctx context.Context, from, to time.Time) ([]refMove, error) {
	entries, err := r.reflog(ctx)
	if err != nil {
		return nil, fmt.Errorf("read reflog: %w", err)
	}
	var moves []refMove
	for _, e := range entries {
		if !e.at.Before(from.Add(-clockSlack)) && !e.at.After(to.Add(clockSlack)) {
			moves = append(moves, e.refMove)
		}
	}
	return moves, nil
}

// reflogEntry is one line of HEAD's reflog.
type reflogEntry struct {
	refMove
	at time.Time
}

// reflog reads all of HEAD's reflog, oldest first.
func (r *Repo) reflog(ctx context.Context) ([]reflogEntry, error) {
	if r.shape.reftable {
		return r.gitReflog(ctx)
	}
	file := filepath.Join(r.gitDir, "logs", "HEAD")
	f, err := os.Open(file)
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
		if m, at, ok := parseReflogLine(lines.Text()); ok {
			m.ref = "HEAD"
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
		entries = append(entries, reflogEntry{refMove{ref: "HEAD", old: last, new: id, message: fields[i+2]}, time.Unix(seconds, 0)})
		last = id
	}
	return entries, nil
}

// parseReflogLine reads "OLD NEW Name <mail> SECONDS ZONE\tmessage".
func parseReflogLine(line string) (refMove, time.Time, bool) {
	head, message, _ := strings.Cut(line, "\t")
	m := refMove{message: message}
	var ok bool
	if m.old, m.new, _, ok = cutIDs(head, " "); !ok {
		return refMove{}, time.Time{}, false
	}
	fields := strings.Fields(head[strings.LastIndexByte(head, '>')+1:])
	if len(fields) != 2 {
		return refMove{}, time.Time{}, false
	}
	seconds, err := strconv.ParseInt(fields[0], 10, 64)
	return m, time.Unix(seconds, 0), err == nil
}
