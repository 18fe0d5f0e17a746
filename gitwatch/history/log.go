// Package history reads the commits of a repository: their names, their changes, and the entries
// they get in memory.
//
// Guarantees: it uses only the git program, reads while git writes, and no setting of the user
// changes a result. It never uses the network. Commits come in the requested order, and parents
// before children. An entry's id is computed from its commit's id, so that no entry is written
// twice.
//
// Not guaranteed: for a merge only the paths that differ from all parents count. At the end of a
// shallow history, and if objects are missing, in a partial clone or by damage, changes or their
// counts are unknown. Commit has fields for that.
package history

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"agentflow/gitwatch/internal/git"
	"agentflow/memory/changeset"
)

// Commit is one commit as git log shows it. The lines of Subject and Body have Unix line ends.
type Commit struct {
	ID      string    // full
	Parents []string  // full ids; several for a merge; none also at the end of a shallow history
	Time    time.Time // of the commit, in the committer's zone; whole seconds; zero: the commit has no valid one
	Subject string    // on one line
	Body    string
	Files   []changeset.Change // against the parent, with renames
	Unread  string             // why Files are unknown; empty if they are known
	// Uncounted says that contents are missing: no lines of Files were counted, and only renames
	// with unchanged contents were found.
	Uncounted bool
}

// Joins reports whether a commit is a merge that adds no changes: every path is as in one of its
// parents.
func (c Commit) Joins() bool { return len(c.Parents) > 1 && len(c.Files) == 0 && c.Unread == "" }

// All yields the commits reachable from HEAD in the repository that dir is in, oldest first and
// parents before children, without merges and without line counts. It uses the git program in a way
// that its config cannot affect, and can run while git writes. An error is yielded once, as the
// last pair. A repository without a commit is such an error. Names and messages may hold any bytes
// but NUL.
func All(ctx context.Context, dir string) iter.Seq2[Commit, error] {
	return func(yield func(Commit, error) bool) {
		args := []string{"--raw", "--date-order", "--reverse", "--no-merges"}
		if err := Log(ctx, dir, nil, args, func(c Commit) bool { return yield(c, nil) }); err != nil {
			yield(Commit{}, fmt.Errorf("reading the history of %s: %w", dir, err))
		}
	}
}

// Log calls take with each commit that git log, with more arguments, lists in dir, until take
// returns false. Git reads ids from its standard input, unless they are nil. Nothing is fetched.
func Log(ctx context.Context, dir string, ids, args []string, take func(Commit) bool) error {
	var stdin io.Reader
	if ids != nil {
		stdin = strings.NewReader(git.Lines(ids))
	}
	return git.Stream(ctx, dir, stdin, func(out io.Reader) error { return readLog(out, take) }, logArgs(args)...)
}

// logArgs returns the arguments of a log that no setting of the user changes.
func logArgs(more []string) []string {
	args := []string{
		"-c", "log.showSignature=false", "-c", "log.showRoot=true", "-c", "diff.renameLimit=1000", "-c", "core.bigFileThreshold=" + bigFile,
		"log", "-z", "--no-abbrev", "--no-color", "--format=" + logFormat, "--date=raw", "--encoding=UTF-8", "--diff-merges=off",
		"--find-renames", "--no-relative", "--no-ext-diff", "--no-textconv", "--ignore-submodules=none", "-O/dev/null",
	}
	return append(append(args, more...), "--")
}

const bigFile = "10m"

// logFormat makes git log -z --raw --numstat write, for each commit,
//
//	NUL id NUL parents NUL date NUL subject NUL body NUL NUL
//
// and then, if files changed, for each of them a line ":modes ids status" and one or two paths,
// each ended by NUL, and after those the line counts of each. The part after a merge starts with
// one more NUL, that after another commit with a line feed. An id holds neither colon nor tab, so
// the next commit cannot be taken for a change.
const logFormat = "%x00%H%x00%P%x00%cd%x00%s%x00%b%x00"

var errNoLog = errors.New("git log answered in a form that cannot be read")

// readLog calls take with each commit until the output ends or take returns false
// (git.ErrEnough). io.ErrUnexpectedEOF means that the output ends within a commit.
func readLog(r io.Reader, take func(Commit) bool) error {
	l := logReader{r: bufio.NewReaderSize(r, 64<<10)}
	first := l.field()
	if errors.Is(l.err, io.EOF) {
		return nil
	}
	l.check(first == "")
	id := l.field()
	for l.err == nil {
		var c Commit
		c, id = l.commit(id)
		switch {
		case l.err != nil:
		case !take(c):
			return git.ErrEnough
		case id == "":
			return nil
		}
	}
	if errors.Is(l.err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return l.err
}

// ReadChanges reads the output of git's diff commands for --raw --numstat -z: each path with its
// counts, including submodules.
func ReadChanges(out []byte) ([]changeset.Change, error) {
	l := logReader{r: bufio.NewReader(bytes.NewReader(out))}
	var c Commit
	next := l.files(&tally{commit: &c, countLinks: true})
	l.check(next == "")
	return c.Files, l.err
}

// logReader reads fields until its first error.
type logReader struct {
	r   *bufio.Reader
	err error
}

// field reads up to the next NUL. The error is io.EOF if nothing is left, and io.ErrUnexpectedEOF
// if a NUL is missing.
func (l *logReader) field() string {
	if l.err != nil {
		return ""
	}
	s, err := l.r.ReadString(0)
	if l.err = err; errors.Is(err, io.EOF) && s != "" {
		l.err = io.ErrUnexpectedEOF
	}
	return strings.TrimSuffix(s, "\x00")
}

// check stops reading if the output is not in logFormat.
func (l *logReader) check(ok bool) {
	if l.err == nil && !ok {
		l.err = errNoLog
	}
}

// commit reads the fields after a commit's id, and the id of the next commit, or "" if there is
// none.
func (l *logReader) commit(id string) (c Commit, next string) {
	parents, date, subject, body, end := l.field(), l.field(), l.field(), l.field(), l.field()
	l.check(id != "" && end == "")
	c = Commit{ID: id, Parents: strings.Fields(parents), Time: parseDate(date)}
	c.Subject, c.Body = message(subject, body)
	return c, l.files(&tally{commit: &c})
}

var unixEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// message converts a message to Unix line ends. Git takes a message with only CR line ends for a
// subject.
func message(subject, body string) (string, string) {
	subject, rest, parted := strings.Cut(unixEnds.Replace(strings.TrimRight(subject, "\r")), "\n")
	body = unixEnds.Replace(body)
	if parted {
		body = strings.TrimLeft(rest, "\n") + "\n\n" + body
	}
	return subject, strings.TrimRight(body, "\n")
}

// files reads a commit's changes and the id that comes after them.
func (l *logReader) files(t *tally) (next string) {
	parted := false
	for l.err == nil {
		item := l.field()
		if errors.Is(l.err, io.EOF) {
			l.err = nil
			return ""
		}
		switch item = strings.TrimPrefix(item, "\n"); {
		case item == "":
			parted = true
		case item[0] == ':':
			l.file(item, t)
		case strings.Contains(item, "\t"):
			l.lines(item, t)
		case parted:
			return item
		default:
			l.check(false)
		}
	}
	return ""
}

// tally receives the changes of a commit, and then their line counts, which come in the same order.
type tally struct {
	commit     *Commit
	links      []bool // for each change: it is or was a submodule, which has no lines
	countLinks bool   // count the line by which git names a submodule's commit
	counted    int    // how many changes have been passed
}

// lines sets the counts of a path's change. Git may leave out the counts of others.
func (t *tally) lines(path string, added, deleted int) {
	for i := t.counted; i < len(t.commit.Files); i++ {
		if f := &t.commit.Files[i]; f.Path == path {
			if t.counted = i + 1; t.countLinks || !t.links[i] {
				f.Added, f.Deleted, f.Counted = added, deleted, true
			}
			return
		}
	}
}

// file reads the paths that follow a line such as
//
//	:100644 100644 OLD NEW R087
//
// The line of a merge has more than two modes and ids.
func (l *logReader) file(line string, t *tally) {
	words := strings.Fields(strings.TrimLeft(line, ":"))
	if l.check(len(words) >= 3); l.err != nil {
		return
	}
	status := words[len(words)-1]
	f := changeset.Change{Status: changeset.Status(status[0]), Blob: changeset.ShortBlob(words[len(words)-2])}
	switch moved := f.Status == changeset.StatusRenamed || f.Status == changeset.StatusCopied; {
	case strings.HasPrefix(line, "::"):
		if moved || strings.Trim(status, status[:1]) != "" {
			f.Status = changeset.StatusModified // each parent has its own letter
		}
	case moved:
		f.OldPath = l.field()
	}
	f.Path = l.field()
	t.commit.Files, t.links = append(t.commit.Files, f), append(t.links, slices.Contains(words, "160000"))
}

// lines reads "12 TAB 3 TAB path", or the same without a path, followed by the old and the new one.
// A dash means that lines were not counted.
func (l *logReader) lines(item string, t *tally) {
	parts := strings.SplitN(item, "\t", 3)
	if l.check(len(parts) == 3); l.err != nil {
		return
	}
	path := parts[2]
	if path == "" {
		_, path = l.field(), l.field()
	}
	if parts[0] == "-" {
		return
	}
	added, err1 := strconv.Atoi(parts[0])
	deleted, err2 := strconv.Atoi(parts[1])
	l.check(err1 == nil && err2 == nil)
	t.lines(path, added, deleted)
}

// parseDate reads "1570329951 +0200". An invalid zone counts as UTC. If git cannot read the
// date of a commit, it prints none, and parseDate returns the zero time.
func parseDate(s string) time.Time {
	seconds, zone, _ := strings.Cut(s, " ")
	unix, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return time.Time{}
	}
	t, err := time.Parse("-0700", zone)
	if err != nil {
		return time.Unix(unix, 0).UTC()
	}
	_, offset := t.Zone()
	return time.Unix(unix, 0).In(time.FixedZone("", offset))
}
