package gitwatch

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// clockSlack is how far a commit's whole seconds may stand before the moment
// a run began.
const clockSlack = 2 * time.Second

// readReflog reads the moves of a work tree's own HEAD within [from, to], for
// a git that writes no ref trace. The branches' reflogs are left alone: other
// work trees write them too.
func (r *Repo) readReflog(from, to time.Time) ([]refMove, error) {
	file := filepath.Join(r.gitDir, "logs", "HEAD")
	f, err := os.Open(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read reflog: %w", err)
	}
	defer f.Close()
	var moves []refMove
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		m, at, ok := parseReflogLine(lines.Text())
		if ok && !at.Before(from.Add(-clockSlack)) && !at.After(to.Add(clockSlack)) {
			m.ref = "HEAD"
			moves = append(moves, m)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read reflog %s: %w", file, err)
	}
	return moves, nil
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
