package gitwatch

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"agentflow/memory"
)

// logFormat makes git log -z --name-status write, for each commit,
//
//	NUL id NUL date NUL subject NUL body NUL NUL
//
// and then, where files changed, a line feed and for each of them a status
// and one or two paths, each ended by NUL. A status is never empty, so an
// empty field in its place is the first byte of the next commit.
const logFormat = "%x00%H%x00%cd%x00%s%x00%b%x00"

// errNoLog says that the output is not in logFormat.
var errNoLog = errors.New("git log answered in a form that cannot be read")

// readLog gives each commit to take until that returns false (enough) or the
// output ends. io.ErrUnexpectedEOF means that it ends within a commit.
func readLog(r io.Reader, take func(HistoryCommit) bool) (enough bool, err error) {
	l := logReader{r: bufio.NewReaderSize(r, 64<<10)}
	first, err := l.field()
	if errors.Is(err, io.EOF) {
		return false, nil
	}
	if err == nil && first != "" {
		err = errNoLog
	}
	for err == nil {
		var c HistoryCommit
		var last bool
		if c, last, err = l.commit(); err != nil {
			break
		}
		if !take(c) {
			return true, nil
		}
		if last {
			return false, nil
		}
	}
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return false, err
}

type logReader struct{ r *bufio.Reader }

// field reads up to the next NUL. io.EOF means that nothing is left,
// io.ErrUnexpectedEOF that a NUL is missing.
func (l *logReader) field() (string, error) {
	s, err := l.r.ReadString(0)
	if errors.Is(err, io.EOF) && s != "" {
		return "", io.ErrUnexpectedEOF
	}
	return strings.TrimSuffix(s, "\x00"), err
}

// commit reads what follows a commit's first NUL and the first NUL of the
// next one; last says that there is none.
func (l *logReader) commit() (c HistoryCommit, last bool, err error) {
	var head [5]string // id, date, subject, body, nothing
	for i := range head {
		if head[i], err = l.field(); err != nil {
			return c, false, err
		}
	}
	if head[0] == "" || head[4] != "" {
		return c, false, errNoLog
	}
	c = HistoryCommit{ID: head[0], Subject: head[2], Body: strings.TrimRight(head[3], "\n")}
	if c.Time, err = rawDate(head[1]); err != nil {
		return c, false, err
	}
	for {
		status, err := l.field()
		switch {
		case errors.Is(err, io.EOF):
			return c, true, nil
		case err != nil || status == "":
			return c, false, err
		}
		f, err := l.file(strings.TrimPrefix(status, "\n"))
		if err != nil {
			return c, false, err
		}
		c.Files = append(c.Files, f)
	}
}

// file reads the paths that follow a status: "M", or "R087" with the old path
// first.
func (l *logReader) file(status string) (memory.Change, error) {
	if status == "" {
		return memory.Change{}, errNoLog
	}
	f := memory.Change{Status: memory.Status(status[0])}
	var err error
	if f.Status == memory.StatusRenamed || f.Status == memory.StatusCopied {
		if f.OldPath, err = l.field(); err != nil {
			return f, err
		}
	}
	f.Path, err = l.field()
	return f, err
}

// rawDate reads "1570329951 +0200". A zone that is none counts as UTC.
func rawDate(s string) (time.Time, error) {
	seconds, zone, _ := strings.Cut(s, " ")
	unix, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("%w: date %q", errNoLog, s)
	}
	t, err := time.Parse("-0700", zone)
	if err != nil {
		return time.Unix(unix, 0).UTC(), nil
	}
	_, offset := t.Zone()
	return time.Unix(unix, 0).In(time.FixedZone("", offset)), nil
}
