package eval

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"agentflow/memory/changeset"
)

// History is a list of commits for Cochange, oldest first.
type History struct {
	Name    string // of its figures
	Commits []Commit
}

// Commit is one commit of a history.
type Commit struct {
	ID      string
	Time    time.Time
	Subject string
	Body    string
	Files   []changeset.Change
}

// MaxFiles limits the files of a commit in a measured history. Larger commits are
// imports and mass renames, which say little about a task.
const MaxFiles = 30

// Add appends a commit, unless it touches no file or too many.
func (h *History) Add(c Commit) {
	if n := len(c.Files); 0 < n && n <= MaxFiles {
		h.Commits = append(h.Commits, c)
	}
}

// paths returns the paths that the commit touched, each once, in order. A rename or a copy
// names both of its paths, as its line in an entry does.
func (c *Commit) paths() []string {
	list := make([]string, 0, len(c.Files))
	seen := map[string]bool{}
	for _, f := range c.Files {
		for _, p := range []string{f.Path, f.OldPath} {
			if p != "" && !seen[p] {
				seen[p] = true
				list = append(list, p)
			}
		}
	}
	return list
}

// nameOf returns a log's name in the figures: its file's name without the extension.
func nameOf(file string) string { return strings.TrimSuffix(filepath.Base(file), ".jsonl") }

// maxLine limits one line of a log or of a file of questions, in bytes.
const maxLine = 16 << 20

// ReadLog reads the history in a file of JSON Lines, a commit a line, oldest
// first:
//
//	{"commit": "9f1c2ab04d11", "time": 1570329951, "subject": "…", "body": "…", "files": [["M", "path"], ["R", "new", "old"]]}
//
// time is in Unix seconds. ReadLog skips empty lines. An error names the line that cannot be
// decoded, or that repeats a commit, because memory would know that already.
func ReadLog(file string) (History, error) {
	f, err := os.Open(file)
	if err != nil {
		return History{}, fmt.Errorf("reading a history: %w", err)
	}
	defer f.Close()
	h, seen := History{Name: nameOf(file)}, map[string]bool{}
	err = eachLine(f, func(_ int, line []byte) error {
		c, err := parseCommit(line)
		if err == nil && seen[c.ID] {
			err = fmt.Errorf("commit %s was listed before", c.ID)
		}
		if err == nil {
			seen[c.ID] = true
			h.Add(c)
		}
		return err
	})
	if err != nil {
		return History{}, fmt.Errorf("reading a history: %s:%w", file, err)
	}
	return h, nil
}

// eachLine calls take with each line that is not empty and its number. The error starts with
// that number.
func eachLine(r io.Reader, take func(n int, line []byte) error) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	n := 1
	for ; lines.Scan(); n++ {
		if len(lines.Bytes()) == 0 {
			continue
		}
		if err := take(n, lines.Bytes()); err != nil {
			return fmt.Errorf("%d: %w", n, err)
		}
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return fmt.Errorf("%d: longer than %d MiB", n, maxLine>>20)
	} else if err != nil {
		return fmt.Errorf("%d: %w", n, err)
	}
	return nil
}

type loggedCommit struct {
	Commit  string     `json:"commit"`
	Time    *int64     `json:"time"`
	Subject string     `json:"subject"`
	Body    string     `json:"body"`
	Files   [][]string `json:"files"`
}

func parseCommit(line []byte) (Commit, error) {
	var l loggedCommit
	if err := json.Unmarshal(line, &l); err != nil {
		return Commit{}, fmt.Errorf("no commit: %w", err)
	}
	if l.Commit == "" || l.Time == nil || l.Files == nil {
		return Commit{}, errors.New("a commit needs commit, time and files")
	}
	c := Commit{ID: l.Commit, Time: time.Unix(*l.Time, 0).UTC(), Subject: l.Subject, Body: l.Body}
	for _, f := range l.Files {
		change, err := parseFile(f)
		if err != nil {
			return Commit{}, err
		}
		c.Files = append(c.Files, change)
	}
	return c, nil
}

func parseFile(f []string) (changeset.Change, error) {
	if len(f) < 2 || len(f) > 3 || len(f[0]) != 1 || f[1] == "" {
		return changeset.Change{}, fmt.Errorf(`a file is ["M", "path"] or ["R", "new", "old"], not %q`, f)
	}
	c := changeset.Change{Status: changeset.Status(f[0][0]), Path: f[1]}
	if len(f) == 3 {
		c.OldPath = f[2]
	}
	return c, nil
}
