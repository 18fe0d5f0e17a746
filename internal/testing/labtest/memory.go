package labtest

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"agentflow/memory"
	"agentflow/memory/markdown"
)

// Days returns the files of memory's days, sorted.
func (l *Lab) Days() []string {
	l.T.Helper()
	files, err := filepath.Glob(filepath.Join(l.Repo, ".agentflow/memory/[0-9]*.md"))
	l.must(err)
	return files
}

// Entries parses the file of every day and fails the test unless each file is
// complete: only its date heading and entries in the form of Format.
func (l *Lab) Entries() map[string]memory.Entry {
	l.T.Helper()
	all := map[string]memory.Entry{}
	for _, file := range l.Days() {
		for i, block := range markdown.Parse([]byte(l.Read(file))).Blocks {
			if block.Entry == nil {
				text := strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(string(block.Raw)), markdown.NotesHeading))
				if text != "" && (i > 0 || !strings.HasPrefix(text, "# ") || strings.Contains(text, "\n")) {
					l.T.Fatalf("%s:%d holds something half-written:\n%s", file, block.StartLine, text)
				}
				continue
			}
			if !IsWhole(block) {
				l.T.Fatalf("%s:%d is not whole:\n%s", file, block.StartLine, block.Raw)
			}
			if _, twice := all[block.Entry.ID]; twice {
				l.T.Fatalf("entry %s is there twice", block.Entry.ID)
			}
			all[block.Entry.ID] = *block.Entry
		}
	}
	return all
}

// Commits returns the titles of the entries of commits, sorted, with the branch
// and the work tree of each unless these are main and the first work tree.
func (l *Lab) Commits() string {
	l.T.Helper()
	var titles []string
	for _, e := range l.Entries() {
		if e.Kind != memory.KindCommit {
			continue
		}
		title := e.Title
		if e.Worktree != "" {
			title += " in " + e.Worktree
		}
		if e.Branch != "main" {
			title += " on " + e.Branch
		}
		titles = append(titles, title)
	}
	slices.Sort(titles)
	return strings.Join(titles, ", ")
}

// IsWhole reports whether an entry is written in the form of Format, except for
// facts that were merged with earlier ones.
func IsWhole(block markdown.Block) bool {
	raw := block.Raw
	if len(block.Entry.Facts) == 0 {
		raw = bytes.Replace(raw, []byte("### Memories\n\n---"), []byte("---"), 1)
	}
	return bytes.Equal(bytes.TrimSpace(block.Formatted()), bytes.TrimSpace(raw))
}

// Await polls until done returns true.
func Await(t testing.TB, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !done(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited a minute for %s", what)
		}
	}
}

// AwaitFile waits until a file exists.
func (l *Lab) AwaitFile(name string) {
	l.T.Helper()
	Await(l.T, name, func() bool { return l.Exists(name) })
}

// Lines collects the text written to it by several goroutines.
type Lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *Lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *Lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
