// Package hook notes each commit for the next command.
//
// Git runs a hook in the middle of a person's work, so ours is a shell script of builtins only: it
// starts no program, reads no memory, takes no lock, and appends one short line to a queue in the
// repository's git directory. Take passes these lines to the caller that makes entries of them.
package hook

import (
	"bytes"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"agentflow/internal/gitdir"
)

// The kinds of events.
const (
	KindCommit  = "commit"
	KindRewrite = "rewrite" // amend or rebase: Old became New
)

// Event is a note of a hook.
type Event struct {
	Time     time.Time // when the queue was last added to; no event in it is later
	Kind     string
	Old, New string // hex ids; Old only for rewrites
	Worktree string // absolute path of the work tree; empty if it is gone
	Linked   string // name of the linked work tree; empty in the main one
	Run      string // id of the agentflow run it happened in, or empty
}

// parse reads whole lines, and counts those that cannot be read.
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

// noted matches a line "KIND OLD NEW RUN LINKED". OLD or RUN is "-" for none. LINKED is the name of
// a folder below .git/worktrees, and may be empty.
var noted = sync.OnceValue(func() *regexp.Regexp {
	const id = `[0-9a-f]{40}(?:[0-9a-f]{24})?`
	return regexp.MustCompile(`^(commit -|rewrite (` + id + `)) (` + id + `) (?:-|([0-9A-Za-z-]*)) ([^/\\\x00]*)$`)
})

func parseLine(line string) (Event, bool) {
	f := noted().FindStringSubmatch(line)
	if f == nil || f[5] == "." || f[5] == ".." {
		return Event{}, false
	}
	kind, _, _ := strings.Cut(f[1], " ")
	return Event{Kind: kind, Old: f[2], New: f[3], Run: f[4], Linked: f[5]}, true
}

// locate fills in the paths of the events' work trees. A work tree that was removed since then has
// none.
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

// worktreePath returns the path of a linked work tree (gitrepository-layout(5)), or "" if it is
// gone.
func worktreePath(common, linked string) string {
	if linked == "" {
		return gitdir.MainRoot(common)
	}
	path, err := gitdir.Named(common, linked)
	if err != nil {
		return ""
	}
	root, _ := filepath.EvalSymlinks(path)
	return root
}
