// Package app opens memory, and contains the parts that its operations share: settings, places,
// ids, errors and events. The operations are in the packages below it. It does not print or prompt.
//
// A Memory belongs to a folder. Opening it (package open) reads nothing. Each operation reads
// settings and files again, so that edits by hand and writes of other processes count at the
// next call. Only the index stays open. Any number of goroutines may use one Memory: those of
// one process get the store's lock in the order in which they ask, and as many searches run at
// once as there are processors. Readers wait for pending log entries, and take the writers' lock
// only if it is free.
//
// A switched-off memory ([memory] enabled = false) is refused in one place, LoadOn. On asks the same
// without opening a memory. Two packages continue without an error: app/run runs the agent without
// memory, and app/session asks the settings itself and does nothing.
//
// If a part fails and the operation continues, the result names the part in Degraded. A function
// that Listen puts into the context receives events, including progress. An error has a Kind and
// perhaps a hint. Forget, undo, memory undo, trust, connect and uninstall have a plan and an
// apply, and the apply refuses if the state has changed since the plan. Long lists continue at a
// Cursor, the place of the last item in a total order, so entries and facts may come and go
// between two pages.
//
// Questions about all of memory (lists, counts, the file with an id, a fact that states the
// same) are answered from the digests of files in the index. A file that the index does not hold
// as it is now is read. So no question waits for the index, and a missing index costs time,
// never results.
//
// Files that git tracks came with the repository, and another person may have written them.
// Until the user accepts them with "agentflow trust --memory", they are other Markdown: the
// index marks them as such, and package writeback does not see them. If the repository contains
// the file of a day, entries of that day are written to another file. Acceptance is recorded by
// the ids of the contents in git's index, so it survives edits by this user and ends with a
// pull.
//
// A commit that no run made gets an entry from the next command that reads memory, or from the
// watcher (Settle). The commits are those that hooks noted and that reflogs show, without those
// of runs, and without those that a rebase, an amend or a cherry-pick made of commits with an
// entry. The notes of hooks wait while a run is active or an agent works in a session, and are
// removed only when the entries are in the log.
//
// The names in the files of a work tree are indexed in pieces (package index/contents): by "agentflow
// index", by a watcher from time to time, by a run while its agent works, and by a session's worker
// after each turn. No operation waits for this.
//
// On a team's server, For limits a Memory to a Caller. Operation.mayWrite is the only function that
// refuses a caller that may only read. Answers contain no paths of the server's machine, and neither a user's
// own memory nor the notes of agents.
package app

import (
	"context"
	"errors"
	"iter"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"agentflow/internal/agentlimit"
	"agentflow/internal/config"
	"agentflow/internal/embedder"
	"agentflow/internal/indexpool"
	"agentflow/memory"
)

// Env holds the parts of the calling process that Open needs.
type Env struct {
	Vars    []string // the environment, as os.Environ gives it
	Program string   // this program, absolute; empty: unknown, so agents cannot be connected
}

// Get returns the value of a variable, like os.Getenv.
func (e Env) Get(name string) string {
	value := ""
	for _, v := range e.Vars {
		if rest, ok := strings.CutPrefix(v, name+"="); ok {
			value = rest
		}
	}
	return value
}

// Memory holds the memory of agents and people about one place: a repository, or a folder initialized like one. It may
// stay open for hours, and is safe for concurrent use. Each operation reads the current files, so it sees hand edits
// and the writes of other processes.
type Memory struct {
	Access
	Env    Env
	Values *Values // of packages below app
	Agents *agentlimit.Writes
}

// Access says which memory an operation uses, how long it waits, and for whom it acts.
type Access struct {
	Dir      string
	LockWait time.Duration // of appends
	EditWait time.Duration // of edits; 0: the store's choice
	Indexes  *indexpool.Pool
	Decoded  *indexpool.Decoded
	Policy   Policy
	Team     *Teamwork    // with Policy.Team, and nil without it
	Name     string       // distinguishes it from the others in a search of several; empty: there are no others
	Beside   []Repository // also searched
	Others   []Repository // of the team; their facts for all repositories are searched too
	Topics   Topics
}

// Close closes m. All operations of it must have ended.
func (m *Memory) Close() error { return m.Indexes.Close() }

// Begin begins an operation of m that sends its events to the listener of ctx.
func (m *Memory) Begin(ctx context.Context) *Operation {
	o := m.Silent()
	o.Tell = listener(ctx)
	o.quiet, _ = ctx.Value(quietKey{}).(bool)
	o.canceled = func() bool { return errors.Is(ctx.Err(), context.Canceled) }
	return o
}

// Silent begins an operation of m without a listener.
func (m *Memory) Silent() *Operation {
	return &Operation{
		Access: m.Access, Tell: func(Event) {}, quiet: true, Degradations: &Degradations{}, Getenv: m.Env.Get, Environ: m.Env.Vars, Program: m.Env.Program,
	}
}

// End completes the results of an operation: it sets the list of degradations, even with an error, and converts the
// error to an *Error.
func (o *Operation) End(degraded *[]string, err *error) {
	*degraded = o.All()
	if *err != nil {
		*err = AsError(*err)
	}
	if !o.Policy.ShowsPaths() {
		o.Team.conceal(*degraded, err)
	}
}

// Ticks yields after each interval until ctx ends.
func Ticks(ctx context.Context, interval time.Duration) iter.Seq[time.Time] {
	return func(yield func(time.Time) bool) {
		ticker := time.NewTicker(interval)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case at := <-ticker.C:
				if !yield(at) {
					return
				}
			}
		}
	}
}

// Degradations collects failures after which the operation continued. It is safe for concurrent use.
type Degradations struct {
	mu    sync.Mutex
	lines []string
}

// maxDegradations bounds the kept lines, because a daemon runs for weeks. The first ones are kept.
const maxDegradations = 1000

func (d *Degradations) add(lines []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lines = append(d.lines, lines[:min(len(lines), maxDegradations-len(d.lines))]...)
}

// All returns the lines so far; never nil.
func (d *Degradations) All() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]string{}, d.lines...)
}

// Operation is one call of a Memory, with its listener and its folder.
type Operation struct {
	Access                    // that of the Memory
	*Degradations             // listed in the result
	Tell          func(Event) // receives events
	quiet         bool        // there is no reader for notices
	canceled      func() bool // reports whether the caller has stopped waiting; nil: it waits
	Getenv        func(string) string
	Environ       []string
	Program       string            // this program; empty: unknown
	Notices       *embedder.Notices // of embedders; nil until a memory is opened
	isOn          bool              // the settings were read, and memory is not switched off
	EvenOff       bool              // it needs only the place, not the memory, so it runs even if memory is switched off
}

// endings marks errors of work that ended because its caller stopped waiting.
var endings = []string{context.Canceled.Error(), "signal: killed", "interrupted"}

// withoutCanceled drops lines that report only that the caller stopped waiting, which is not a failure.
func withoutCanceled(o *Operation, lines []string) []string {
	if o.canceled == nil || !o.canceled() {
		return lines
	}
	return slices.DeleteFunc(slices.Clone(lines), func(line string) bool {
		return slices.ContainsFunc(endings, func(end string) bool { return strings.Contains(line, end) })
	})
}

// Dirs returns the user's own folders.
func (o *Operation) Dirs() (config.Dirs, error) { return config.UserDirs(o.Getenv, runtime.GOOS) }

// CleanLine returns external text on one line, without control characters.
func CleanLine(s string) string {
	return strings.ReplaceAll(memory.Clean(s), "\n", " ")
}
