// Package reflog reads how references moved, as git logs it: the lines of reflogs, the trace of a
// run's own processes (GIT_TRACE_REFS), and the record of git's post-rewrite hook. From the moves
// of a reference it finds the commits that were made here, that were brought from elsewhere, and
// that replaced others.
//
// Guarantees: it reads only files, except the reflog of HEAD in a repository that does not keep
// references in files. It skips a line that is not complete, because several processes append at
// the same time and one may be killed. Without usable marks it begins at the end.
//
// Not guaranteed: it finds nothing in a repository without reflogs, and no arrivals in one that
// does not keep references in files (reftable). It reads only the end of long reflogs, and the
// record of rewrites loses its older half when it is full.
package reflog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"agentflow/gitwatch/internal/git"
	"agentflow/internal/safefile"
)

// ClockSlack lets a commit's time, in whole seconds, precede the moment a run began.
const ClockSlack = 2 * time.Second

// Move is one update of a reference, as git logged it.
type Move struct {
	Ref      string
	Old, New git.ID
	Message  string // of the reflog
}

// Entry is one line of a reflog.
type Entry struct {
	Move
	Time time.Time // whole seconds
	line string
}

// ParseLine reads "OLD NEW Name <mail> SECONDS ZONE\tmessage".
func ParseLine(line string) (Entry, bool) {
	head, message, _ := strings.Cut(line, "\t")
	e := Entry{Move: Move{Message: message}, line: line}
	ids := strings.SplitN(head, " ", 3)
	if len(ids) != 3 || len(ids[0]) != len(ids[1]) {
		return Entry{}, false
	}
	var okOld, okNew bool
	e.Old, okOld = git.ParseID(ids[0])
	e.New, okNew = git.ParseID(ids[1])
	fields := strings.Fields(head[strings.LastIndexByte(head, '>')+1:])
	if !okOld || !okNew || len(fields) != 2 {
		return Entry{}, false
	}
	seconds, err := strconv.ParseInt(fields[0], 10, 64)
	e.Time = time.Unix(seconds, 0)
	return e, err == nil
}

// MaxHead limits the end of HEAD's reflog that is worth reading, in bytes:
// some twenty thousand lines.
const MaxHead = 4 << 20

// Tail reads the whole lines in the last limit bytes of a reflog, oldest first. It returns none if
// there is no such file. The entries do not name their reference.
func Tail(file string, limit int64) (entries []Entry, err error) {
	f, err := safefile.Open(file, safefile.AnyLink)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var info fs.FileInfo
	if err == nil {
		defer f.Close()
		info, err = f.Stat()
	}
	if err != nil {
		return nil, fmt.Errorf("read reflog: %w", err)
	}
	from := max(0, info.Size()-limit)
	text, err := io.ReadAll(io.NewSectionReader(f, from, info.Size()-from))
	if err != nil {
		return nil, fmt.Errorf("read reflog %s: %w", file, err)
	}
	if from > 0 {
		text = text[bytes.IndexByte(text, '\n')+1:]
	}
	for line := range strings.Lines(string(text)) {
		whole, ended := strings.CutSuffix(line, "\n")
		if e, ok := ParseLine(whole); ok && ended {
			entries = append(entries, e)
		}
	}
	return entries, nil
}

// OfHead reads the end of the reflog of a work tree's HEAD, oldest first.
func OfHead(gitDir string) ([]Entry, error) {
	entries, err := Tail(filepath.Join(gitDir, "logs", "HEAD"), MaxHead)
	for i := range entries {
		entries[i].Ref = "HEAD"
	}
	return entries, err
}

// OfHeadByGit is OfHead for a reflog that is not a file, in a work tree with commits. Git lists
// only the new id of each entry. The old one is that of the entry before.
func OfHeadByGit(ctx context.Context, workTree string) ([]Entry, error) {
	out, err := git.Text(ctx, workTree, "-c", "log.showSignature=false", "log", "-g", "-z", "--format=%H%x00%gd%x00%gs", "--date=unix", "HEAD", "--")
	if err != nil {
		return nil, err
	}
	fields := git.SplitZ(out)
	var entries []Entry
	var last git.ID
	for i := len(fields) - 3; i >= 0; i -= 3 {
		id, name := git.KnownID(fields[i]), strings.TrimSuffix(strings.TrimPrefix(fields[i+1], "HEAD@{"), "}")
		seconds, err := strconv.ParseInt(name, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("git log answered %q", git.OneLine(fields[i+1]))
		}
		entries = append(entries, Entry{Move: Move{Ref: "HEAD", Old: last, New: id, Message: fields[i+2]}, Time: time.Unix(seconds, 0)})
		last = id
	}
	return entries, nil
}
