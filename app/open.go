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

	"agentflow/config"
	"agentflow/memory"
)

// Env is what Open takes from the process that it works for.
type Env struct {
	Vars    []string // the environment, as os.Environ gives it
	Program string   // this program, absolute; empty: it is not known, and agents cannot be connected
}

// get is the value of a variable, as os.Getenv gives it.
func (e Env) get(name string) string {
	value := ""
	for _, v := range e.Vars {
		if rest, ok := strings.CutPrefix(v, name+"="); ok {
			value = rest
		}
	}
	return value
}

// Memory is what agents and people remember of one place: a repository, or a
// folder that was made one. It may stay open for hours and be used by many
// goroutines at once. Each operation looks anew at what is on disk, so it sees
// hand edits and what other processes wrote.
type Memory struct {
	dir      string
	env      Env
	lockWait time.Duration // of appends
	editWait time.Duration // of edits; 0: the store's choice
	indexes  *indexPool
	follow   *followers
	agents   *agentWrites
	decoded  *decodedDigests
	team     *teamwork    // nil: it is no memory of a team's server
	caller   *Caller      // of a team's server; nil: the server itself
	name     string       // by which it is called beside others; empty: there are none
	beside   []Repository // which are searched too
	others   []Repository // of the team, whose facts for all its repositories are searched too
}

// Option changes how a Memory works.
type Option func(*Memory)

// LockWait is how long an operation that writes waits while others do. By
// default appends wait for 10 s and edits, for which a person waits, for 0.5 s.
// The goroutines of one process have their turns in the order in which they ask.
func LockWait(wait time.Duration) Option {
	return func(m *Memory) { m.lockWait, m.editWait = wait, wait }
}

// Open is the memory of the repository that dir, an absolute path, is in.
// Nothing is read or made yet: where there is no repository, or no memory, the
// operations that need one say so, with KindNoPlace.
func Open(_ context.Context, dir string, env Env, options ...Option) (*Memory, error) {
	m := &Memory{dir: dir, env: env, lockWait: 10 * time.Second, indexes: newIndexPool(), decoded: &decodedDigests{}, follow: &followers{}, agents: &agentWrites{}}
	for _, change := range options {
		change(m)
	}
	return m, nil
}

// Close ends the use of m. No operation of it may be going on.
func (m *Memory) Close() error { return m.indexes.close() }

// IndexesInUse counts the indexes that operations of m have open now. Those that m keeps
// for the next operation do not count.
func (m *Memory) IndexesInUse() int { return int(m.indexes.lent.Load()) }

// begin is one operation of m, whose events go to the listener of ctx.
func (m *Memory) begin(ctx context.Context) *operation {
	o := m.silent()
	o.tell = listener(ctx)
	o.quiet, _ = ctx.Value(quietKey{}).(bool)
	o.canceled = func() bool { return errors.Is(ctx.Err(), context.Canceled) }
	return o
}

// silent is an operation of m whose events nobody hears.
func (m *Memory) silent() *operation {
	return &operation{
		tell: func(Event) {}, quiet: true, degradations: &degradations{}, getenv: m.env.get, environ: m.env.Vars, program: m.env.Program, dir: m.dir,
		lockWait: m.lockWait, editWait: m.editWait, indexes: m.indexes, decoded: m.decoded, team: m.team, caller: m.caller, name: m.name, beside: m.beside, others: m.others,
	}
}

// end completes what an operation returns: what it had to do without, also when
// there is an error, and the error as an *Error.
func (o *operation) end(degraded *[]string, err *error) {
	*degraded = o.all()
	if *err != nil {
		*err = AsError(*err)
	}
	if o.caller != nil {
		o.team.conceal(*degraded, err)
	}
}

// ticks yields after each interval, until ctx ends.
func ticks(ctx context.Context, interval time.Duration) iter.Seq[time.Time] {
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

// filled is a list as results have it: never nil.
func filled[T any](list []T) []T { return append([]T{}, list...) }

// mapped is a list with each item turned into another; never nil.
func mapped[A, B any](list []A, turn func(A) B) []B {
	out := []B{}
	for _, a := range list {
		out = append(out, turn(a))
	}
	return out
}

// degradations are what did not work though the operation went on. It is safe
// for concurrent use.
type degradations struct {
	mu    sync.Mutex
	lines []string
}

// maxDegradations is how many lines are kept, the first ones: a daemon goes on
// for weeks.
const maxDegradations = 1000

func (d *degradations) add(lines []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lines = append(d.lines, lines[:min(len(lines), maxDegradations-len(d.lines))]...)
}

// all are the lines so far; never nil.
func (d *degradations) all() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]string{}, d.lines...)
}

// operation is one thing that was asked of a Memory: whom it tells what
// happens, and where it was asked.
type operation struct {
	*degradations             // that a result lists
	tell          func(Event) // hears what happens
	quiet         bool        // nobody reads notices
	canceled      func() bool // says whether the caller does not wait any more; nil: it waits
	getenv        func(string) string
	environ       []string
	program       string        // this program; empty: it is not known
	dir           string        // where it was asked
	lockWait      time.Duration // of appends
	editWait      time.Duration // of edits; 0: the store's choice
	indexes       *indexPool
	decoded       *decodedDigests
	team          *teamwork
	caller        *Caller
	name          string
	beside        []Repository
	others        []Repository
	notices       *notices // of embedders; nil until a memory is opened
	isOn          bool     // the settings here were read, and memory is not switched off
	evenOff       bool     // it is about the place, and not about what memory holds: it goes on where memory is switched off
}

// endings are what errors say of work that was ended because its caller had gone.
var endings = []string{context.Canceled.Error(), "signal: killed", "interrupted"}

// withoutCanceled leaves out lines that only say that the caller has gone: that is no
// failure.
func (o *operation) withoutCanceled(lines []string) []string {
	if o.canceled == nil || !o.canceled() {
		return lines
	}
	return slices.DeleteFunc(slices.Clone(lines), func(line string) bool {
		return slices.ContainsFunc(endings, func(end string) bool { return strings.Contains(line, end) })
	})
}

// dirs are the user's own folders.
func (o *operation) dirs() (config.Dirs, error) { return config.UserDirs(o.getenv, runtime.GOOS) }

// cleanLine is text from outside on one line, without control characters.
func cleanLine(s string) string {
	return strings.ReplaceAll(memory.Clean(s), "\n", " ")
}
