package reflog

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"agentflow/gitwatch/internal/git"
	"agentflow/internal/atomicfile"
	"agentflow/internal/safefile"
)

// Marks are the positions up to which the reflogs of a repository were read: those of HEAD in every
// work tree, and of the branches. Without them, reading begins at the end of each.
type Marks struct {
	Version int                `json:"version"`
	Time    int64              `json:"time"` // when they were made, Unix seconds
	Logs    map[string]logMark `json:"logs"` // by path in the common directory, '/' separated
}

// logMark is the last line of one reflog that was read.
type logMark struct {
	Line string `json:"line"` // its hash; empty if there was none
	Time int64  `json:"time"` // its time, Unix seconds
}

const marksVersion = 1

// Bounds on reading reflogs: the end of each, in bytes, and their number.
const (
	maxReflogTail = 512 << 10
	maxReflogs    = 2000
)

const maxMarks = 4 << 20

// LoadMarks reads marks. It returns nil if there are none that can be used.
func LoadMarks(file string) *Marks {
	data, err := safefile.Read(file, safefile.NoLink, maxMarks)
	if err != nil {
		return nil
	}
	m := &Marks{}
	if json.Unmarshal(data, m) != nil || m.Version != marksVersion {
		return nil
	}
	return m
}

// Save writes the marks, completely or not at all.
func (m *Marks) Save(file string) error {
	data, err := json.Marshal(m)
	if err == nil {
		err = atomicfile.WriteHere(file, data, 0o600)
	}
	if err != nil {
		return fmt.Errorf("noting how far reflogs were read: %w", err)
	}
	return nil
}

// Read finds the commits that came into the repository of a common directory since the marks were
// made, and returns new marks. Without marks it finds none, because earlier commits are not new.
// The steps of a rebase count when it has ended. Read reads only the end of long reflogs. Without
// reflogs it finds nothing.
func Read(commonDir string, known *Marks, now time.Time) (Arrivals, *Marks, error) {
	next := &Marks{Version: marksVersion, Time: now.Unix(), Logs: map[string]logMark{}}
	var moves []Move
	logs, err := findLogs(commonDir)
	if err != nil {
		return Arrivals{}, nil, fmt.Errorf("looking for reflogs: %w", err)
	}
	for _, log := range logs {
		lines, err := Tail(filepath.Join(commonDir, filepath.FromSlash(log)), maxReflogTail)
		if err != nil {
			return Arrivals{}, nil, err
		}
		switch {
		case known == nil:
		case rebasing(commonDir, log):
			if mark, ok := known.Logs[log]; ok {
				next.Logs[log] = mark
			}
			continue
		default:
			for _, l := range known.linesAfter(log, lines) {
				l.Ref = refOf(log)
				moves = append(moves, l.Move)
			}
		}
		next.Logs[log] = markOf(lines)
	}
	return arrivals(moves), next, nil
}

// linesAfter returns the lines of a log after its mark. If a log has no mark, because it may have
// been renamed, or does not have the marked line, because it was shortened, the time decides.
func (m *Marks) linesAfter(log string, lines []Entry) []Entry {
	mark, ok := m.Logs[log]
	if !ok {
		mark.Time = m.Time - int64(ClockSlack.Seconds())
	}
	for i := len(lines) - 1; i >= 0 && mark.Line != ""; i-- {
		if lines[i].sum() == mark.Line {
			return lines[i+1:]
		}
	}
	for i, l := range lines {
		if l.Time.Unix() > mark.Time {
			return lines[i:]
		}
	}
	return nil
}

func markOf(lines []Entry) logMark {
	if len(lines) == 0 {
		return logMark{}
	}
	last := lines[len(lines)-1]
	return logMark{last.sum(), last.Time.Unix()}
}

func (e Entry) sum() string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(e.line))
	return hex.EncodeToString(h.Sum(nil))
}

// HeadLogs lists the reflogs of HEAD in every work tree, by path in the common
// directory.
func HeadLogs(commonDir string) []string {
	linked, _ := fs.Glob(os.DirFS(commonDir), "worktrees/*/logs/HEAD")
	return append([]string{"logs/HEAD"}, linked...)
}

// findLogs lists the reflogs by path in the common directory, those of
// HEAD first.
func findLogs(commonDir string) ([]string, error) {
	logs := HeadLogs(commonDir)
	branches := filepath.Join(commonDir, "logs", "refs", "heads")
	err := filepath.WalkDir(branches, func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case len(logs) >= maxReflogs:
			return fs.SkipAll
		case d.Type().IsRegular():
			rel, err := filepath.Rel(commonDir, path)
			logs = append(logs, filepath.ToSlash(rel))
			return err
		}
		return nil
	})
	return logs, err
}

// refOf returns the reference with the reflog at a path.
func refOf(log string) string {
	if branch, ok := strings.CutPrefix(log, "logs/"); ok && strings.HasPrefix(branch, git.BranchPrefix) {
		return branch
	}
	return "HEAD"
}

// rebasing reports whether a log is of a work tree in which a rebase stopped.
func rebasing(commonDir, log string) bool {
	gitDir := filepath.Join(commonDir, filepath.FromSlash(strings.TrimSuffix(log, "logs/HEAD")))
	if refOf(log) != "HEAD" {
		return false
	}
	for _, name := range []string{"rebase-merge", "rebase-apply"} {
		if _, err := os.Stat(filepath.Join(gitDir, name)); err == nil {
			return true
		}
	}
	return false
}
