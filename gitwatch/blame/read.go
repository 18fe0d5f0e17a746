package blame

import (
	"bufio"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"

	"agentflow/gitwatch/internal/git"
)

// reader reads the output of git blame --incremental. For each hunk that is
//
//	ID LINE-THERE LINE COUNT
//
// then, for a commit that occurs for the first time, lines about it, and always
//
//	previous ID PATH
//	filename PATH
//
// The first of these is there only if the commit's parent has the file. Paths with odd bytes are
// quoted.
type reader struct{ file File }

var errUnreadable = errors.New("git blame answered in a form that cannot be read")

// maxHeader bounds a line of the output, in bytes. Subjects and names have no bound.
const maxHeader = 16 << 20

func (r *reader) read(out io.Reader) error {
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, maxHeader)
	var open *Hunk
	for lines.Scan() {
		line := lines.Text()
		if open == nil {
			h, err := readHunk(line)
			if err != nil {
				return err
			}
			open = &h
			continue
		}
		name, value, _ := strings.Cut(line, " ")
		switch name {
		case "filename":
			open.Path = unquoted(value)
		case "previous":
			_, before, _ := strings.Cut(value, " ")
			open.Before = unquoted(before)
			continue
		default:
			r.tell(open.Commit, name, value)
			continue
		}
		r.file.Hunks = append(r.file.Hunks, *open)
		open = nil
	}
	if lines.Err() == nil && open != nil {
		return io.ErrUnexpectedEOF
	}
	return lines.Err()
}

func readHunk(line string) (Hunk, error) {
	words := strings.Fields(line)
	if len(words) != 4 {
		return Hunk{}, errUnreadable
	}
	var numbers [3]int
	for i, word := range words[1:] {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 || n > maxLines {
			return Hunk{}, errUnreadable
		}
		numbers[i] = n
	}
	id, ok := git.ParseID(words[0])
	if !ok {
		return Hunk{}, errUnreadable
	}
	h := Hunk{Was: numbers[0], Line: numbers[1], Count: numbers[2]}
	if id != "" {
		h.Commit = words[0]
	}
	return h, nil
}

// maxLines exceeds the lines of any file that is read here.
const maxLines = 1 << 30

// tell reads one line about a commit.
func (r *reader) tell(commit, name, value string) {
	if commit == "" {
		return
	}
	c := r.file.Commits[commit]
	switch name {
	case "summary":
		c.Subject = git.OneLine(value)
	case "boundary":
		c.Boundary = true
	case "committer-time":
		if seconds, err := strconv.ParseInt(value, 10, 64); err == nil {
			c.Time = time.Unix(seconds, 0)
		}
	case "committer-tz":
		if zone, err := time.Parse("-0700", value); err == nil {
			_, offset := zone.Zone()
			c.Time = c.Time.In(time.FixedZone("", offset))
		}
	}
	r.file.Commits[commit] = c
}

func unquoted(name string) string {
	if plain, rest, quoted := git.Unquote(name); quoted && rest == "" {
		return plain
	}
	return name
}
