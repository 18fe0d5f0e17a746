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

// Env holds the parts of the calling process that Open needs.
type Env struct {
	Vars    []string // the environment, as os.Environ gives it
	Program string   // this program, absolute; empty: unknown, so agents cannot be connected
}

// get returns the value of a variable, like os.Getenv.
func (e Env) get(name string) string {
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
	dir      string
	env      Env
	lockWait time.Duration // of appends
	editWait time.Duration // of edits; 0: the store's choice
	indexes  *indexPool
	values   *values // of topics
	agents   *agentWrites
	decoded  *decodedDigests
	team     *teamwork    // nil: not a memory of a team's server
	caller   *Caller      // a client of a team's server; nil: the server itself
	name     string       // distinguishes it from the others in a search of several; empty: there are no others
	beside   []Repository // also searched
	others   []Repository // of the team; their facts for all repositories are searched too
	topics   topics
}

// Option configures a Memory.
type Option func(*Memory)

// LockWait sets how long a write waits while others write. The default is 10 s for appends and 0.5 s for edits, because
// a person waits for those. The goroutines of one process get their turns in the order of their calls.
func LockWait(wait time.Duration) Option {
	return func(m *Memory) { m.lockWait, m.editWait = wait, wait }
}

// Open returns the memory of the repository that contains dir, an absolute path. It reads and creates nothing yet. If
// there is no repository or no memory, the operations that need one return an error of KindNoPlace.
func Open(_ context.Context, dir string, env Env, options ...Option) (*Memory, error) {
	m := &Memory{dir: dir, env: env, lockWait: 10 * time.Second, indexes: newIndexPool(), decoded: &decodedDigests{}, values: &values{}, topics: wholeMemory(), agents: &agentWrites{}}
	for _, change := range options {
		change(m)
	}
	return m, nil
}

// Close closes m. All operations of it must have ended.
func (m *Memory) Close() error { return m.indexes.close() }

// IndexesInUse counts the indexes that operations of m are using. It does not count idle ones that m keeps open.
func IndexesInUse(m *Memory) int { return int(m.indexes.lent.Load()) }

// begin begins an operation of m that sends its events to the listener of ctx.
func (m *Memory) begin(ctx context.Context) *operation {
	o := m.silent()
	o.tell = listener(ctx)
	o.quiet, _ = ctx.Value(quietKey{}).(bool)
	o.canceled = func() bool { return errors.Is(ctx.Err(), context.Canceled) }
	return o
}

// silent begins an operation of m without a listener.
func (m *Memory) silent() *operation {
	return &operation{
		tell: func(Event) {}, quiet: true, degradations: &degradations{}, getenv: m.env.get, environ: m.env.Vars, program: m.env.Program, dir: m.dir,
		lockWait: m.lockWait, editWait: m.editWait, indexes: m.indexes, decoded: m.decoded, team: m.team, caller: m.caller, name: m.name, beside: m.beside, others: m.others, topics: m.topics,
	}
}

// end completes the results of an operation: it sets the list of degradations, even with an error, and converts the
// error to an *Error.
func (o *operation) end(degraded *[]string, err *error) {
	*degraded = o.all()
	if *err != nil {
		*err = AsError(*err)
	}
	if o.caller != nil {
		o.team.conceal(*degraded, err)
	}
}

// ticks yields after each interval until ctx ends.
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

// filled returns a copy of a list that is never nil.
func filled[T any](list []T) []T { return append([]T{}, list...) }

// mapped returns a list with turn applied to each item; never nil.
func mapped[A, B any](list []A, turn func(A) B) []B {
	out := []B{}
	for _, a := range list {
		out = append(out, turn(a))
	}
	return out
}

// degradations collects failures after which the operation continued. It is safe for concurrent use.
type degradations struct {
	mu    sync.Mutex
	lines []string
}

// maxDegradations bounds the kept lines, because a daemon runs for weeks. The first ones are kept.
const maxDegradations = 1000

func (d *degradations) add(lines []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lines = append(d.lines, lines[:min(len(lines), maxDegradations-len(d.lines))]...)
}

// all returns the lines so far; never nil.
func (d *degradations) all() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]string{}, d.lines...)
}

// operation is one call of a Memory, with its listener and its folder.
type operation struct {
	*degradations             // listed in the result
	tell          func(Event) // receives events
	quiet         bool        // there is no reader for notices
	canceled      func() bool // reports whether the caller has stopped waiting; nil: it waits
	getenv        func(string) string
	environ       []string
	program       string        // this program; empty: unknown
	dir           string        // the folder of the Memory
	lockWait      time.Duration // of appends
	editWait      time.Duration // of edits; 0: the store's choice
	indexes       *indexPool
	decoded       *decodedDigests
	team          *teamwork
	caller        *Caller
	name          string
	beside        []Repository
	others        []Repository
	topics        topics
	notices       *notices // of embedders; nil until a memory is opened
	isOn          bool     // the settings were read, and memory is not switched off
	evenOff       bool     // it needs only the place, not the memory, so it runs even if memory is switched off
}

// endings are texts in errors of work that ended because its caller stopped waiting.
var endings = []string{context.Canceled.Error(), "signal: killed", "interrupted"}

// withoutCanceled drops lines that report only that the caller stopped waiting, which is not a failure.
func withoutCanceled(o *operation, lines []string) []string {
	if o.canceled == nil || !o.canceled() {
		return lines
	}
	return slices.DeleteFunc(slices.Clone(lines), func(line string) bool {
		return slices.ContainsFunc(endings, func(end string) bool { return strings.Contains(line, end) })
	})
}

// dirs returns the user's own folders.
func (o *operation) dirs() (config.Dirs, error) { return config.UserDirs(o.getenv, runtime.GOOS) }

// cleanLine returns external text on one line, without control characters.
func cleanLine(s string) string {
	return strings.ReplaceAll(memory.Clean(s), "\n", " ")
}
