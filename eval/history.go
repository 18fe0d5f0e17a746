package eval

import (
	"path/filepath"
	"strings"
	"time"

	"agentflow/memory"
)

// History is what Cochange replays: commits, oldest first.
type History struct {
	Name    string // what the figures are shown under
	Commits []Commit
}

// Commit is one commit of a history.
type Commit struct {
	ID      string
	Time    time.Time
	Subject string
	Body    string
	Files   []memory.Change
}

// MaxFiles is how many files a commit of a measured history touches at most:
// larger ones are imports and sweeping renames that say little about a task.
const MaxFiles = 30

// Add puts a commit at the end, unless it touches no file or too many.
func (h *History) Add(c Commit) {
	if n := len(c.Files); 0 < n && n <= MaxFiles {
		h.Commits = append(h.Commits, c)
	}
}

// paths are the paths the commit touched, each once, in order. A rename or a
// copy names both of its paths, as its line in an entry does.
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

// nameOf is a log's name in the figures: its file's, without the ending.
func nameOf(file string) string { return strings.TrimSuffix(filepath.Base(file), ".jsonl") }
