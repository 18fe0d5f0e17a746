// Package hook puts a note of each commit where the next command finds it.
//
// Git runs a hook in the middle of somebody's work, so ours is a shell script of
// builtins only: it starts no program, reads no memory, takes no lock, and appends one
// short line to a queue in the repository's git directory. Take hands these lines to
// the caller that makes entries of them.
package hook

import (
	"bytes"
	"path/filepath"
	"strings"
	"time"

	"agentflow/gitwatch/worktree"
	"agentflow/internal/gitdir"
)

// The kinds of events.
const (
	KindCommit  = "commit"
	KindRewrite = "rewrite" // amend or rebase: Old became New
)

// Event is what a hook noted.
type Event struct {
	Time     time.Time // when the queue was last added to: no event in it is younger
	Kind     string
	Old, New string // hex ids; Old only for rewrites
	Worktree string // absolute path of the work tree; empty when it is gone
	Linked   string // name of the linked work tree; empty in the main one
	Run      string // id of the agentflow run it happened in, or empty
}

// parse reads whole lines. Those that cannot be read are counted.
func parse(text []byte) (events []Event, damaged int) {
	for line := range bytes.Lines(text) {
		line = bytes.TrimSuffix(line, []byte("\n"))
		if e, ok := parseLine(string(line)); ok {
			events = append(events, e)
		} else {
			damaged++
		}
	}
	return events, damaged
}

// parseLine reads "KIND OLD NEW RUN LINKED", where "-" stands for nothing and
// the last may be empty.
func parseLine(line string) (Event, bool) {
	f := strings.SplitN(line, " ", 5)
	if len(f) != 5 {
		return Event{}, false
	}
	e := Event{Kind: f[0], Old: f[1], New: f[2], Run: f[3], Linked: f[4]}
	if e.Run == "-" {
		e.Run = ""
	}
	switch {
	case !isHex(e.New) || !isWord(e.Run) || !isName(e.Linked):
		return Event{}, false
	case e.Kind == KindCommit && e.Old == "-":
		e.Old = ""
		return e, true
	}
	return e, e.Kind == KindRewrite && isHex(e.Old)
}

// isHex says whether s is an object id, SHA-1 or SHA-256.
func isHex(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}

func isWord(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r != '-'
	}) < 0
}

// isName says whether s may name a folder below .git/worktrees.
func isName(s string) bool { return s != "." && s != ".." && !strings.ContainsAny(s, "/\\\x00") }

// locate fills in the paths of the events' work trees. A work tree that was
// removed since has none.
func locate(common string, events []Event) {
	known := map[string]string{}
	for i := range events {
		name := events[i].Linked
		if _, ok := known[name]; !ok {
			known[name] = worktreePath(common, name)
		}
		events[i].Worktree = known[name]
	}
}

// worktreePath reads where a linked work tree is (gitrepository-layout(5)).
func worktreePath(common, linked string) string {
	if linked == "" {
		return gitdir.MainRoot(common)
	}
	path, err := worktree.Named(common, linked)
	if err != nil {
		return ""
	}
	root, err := filepath.EvalSymlinks(path)
	if err != nil {
		return ""
	}
	return root
}
