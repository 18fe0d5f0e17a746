package executor

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"os"
	"sync"
	"time"

	"agentflow/executor/agent"
	"agentflow/gitwatch/calls"
	"agentflow/memory"
	"agentflow/prompt"
)

// Deps are the parts that a run works with. Recall, Record and Work may be nil:
// then nothing is recalled, recorded or compared.
type Deps struct {
	Recall Recaller
	Record Recorder
	Work   Workspace

	// Redact takes secrets out of text that will be stored. Without it no
	// text is stored. It must be safe for concurrent use.
	Redact func(string) string
	// Extract finds the facts in the agent's redacted messages, oldest first. A
	// tag that stood in prompt, the redacted text that the agent was given, is
	// no fact. at is when the run began. cut says, a line each, what was left
	// out. It may be called several times in one run.
	Extract func(messages []string, prompt string, at time.Time) (facts []memory.Fact, cut []string)
	Now     func() time.Time // the clock of entries and events; nil is time.Now
	// Sink gets the events, one after another and unredacted, to display them.
	// It must not block for long, as the agent waits on it.
	Sink func(agent.Event)

	// Plain removes from a message the tags that Extract finds, as the facts
	// stand in the entry already. Nil leaves messages as they are.
	Plain func(message string) string
	// Ignore says which paths, relative to the work tree's root and '/' separated,
	// are in no entry; nil is for none.
	Ignore func(path string) bool
	// WorkAt opens another work tree of the repository, whose runs Recover may
	// find too; nil, or a nil result, leaves their changes out.
	// isMain says that it was the repository's main one.
	WorkAt func(ctx context.Context, workTree string, isMain bool) Workspace

	// Held returns what memory holds of items that an agent was given. Nil: nothing.
	Held func(ctx context.Context, items []RecalledItem) []string
	// Transcript returns a decoder for the file in which an agent keeps a session.
	// Nil: sessions are not read.
	Transcript func(agentName string) agent.Decoder

	RunsDir  string // where run folders are; absolute; empty: a run keeps none
	WorkTree string // the work tree of Work; absolute
	MainTree bool   // it is the repository's main one
	Dir      string // where the agent runs; absolute; empty is WorkTree
	Home     string // the user's home folder; empty when unknown
	OwnTree  bool   // WorkTree was made for this run, or for the one that it goes on with

	// AgentOut gets a program's output as it comes, or the final text once;
	// AgentErr gets the agent's standard error.
	AgentOut, AgentErr io.Writer
	// PlainOut passes the final text through Plain on its way to AgentOut.
	PlainOut bool
	// Env is the environment that the agent's is made from; nil is our own.
	Env []string
	// Hurry, when closed, ends every grace period: the second Ctrl-C.
	Hurry <-chan struct{}

	disk disk
}

func (d Deps) withDefaults() Deps {
	if d.Redact == nil {
		d.Redact = withheld
	}
	if d.Plain == nil {
		d.Plain = func(message string) string { return message }
	}
	if d.Now == nil {
		d.Now = time.Now
	}
	if d.Env == nil {
		d.Env = os.Environ()
	}
	d.Sink = oneByOne(d.Sink)
	d.Dir = cmp.Or(d.Dir, d.WorkTree)
	d.AgentOut, d.AgentErr = cmp.Or(d.AgentOut, io.Discard), cmp.Or(d.AgentErr, io.Discard)
	d.disk = cmp.Or[disk](d.disk, realDisk{})
	return d
}

// oneByOne lets a sink be called from several goroutines.
func oneByOne(sink func(agent.Event)) func(agent.Event) {
	if sink == nil {
		return func(agent.Event) {}
	}
	var mu sync.Mutex
	return func(ev agent.Event) {
		mu.Lock()
		defer mu.Unlock()
		sink(ev)
	}
}

// Recaller searches memory for a task. Its context ends at the recall deadline.
type Recaller interface {
	// Recall returns the matches. Its degraded lines count with an error too.
	Recall(ctx context.Context, task string) (Known, error)
}

// Known is the part of memory that is about a task.
type Known struct {
	Hits       []memory.Hit        // best first
	Facts      []prompt.Fact       // of MEMORY.md, in any order
	Notes      []prompt.Fact       // facts of today and yesterday, the newest first
	Files      []memory.LikelyFile // that the task will likely touch, the likeliest first
	Folder     string              // where the caller works, as of prompt.Input
	Namespaces []string            // in which facts count, beside the project's
	// Degraded has a line for each part that was not used (for example that the
	// index could not be brought up to date); it is not an error.
	Degraded []string
	// Read and ReadHits are left out, as the agent reads them in a file of its own.
	Read     []ReadFact
	ReadHits []ReadHit
	// Late names the memories that had no answer at the deadline: they are left out, and
	// that is no failure.
	Late []string
}

// ReadFact is a fact that an agent reads in a file of its own.
type ReadFact struct {
	Fact prompt.Fact
	File string // as people name it
}

// ReadHit is a hit that says nothing more than a file that an agent reads.
type ReadHit struct {
	Hit  memory.Hit
	File string // as people name it
}

// Recorder puts a finished run into memory.
type Recorder interface {
	// Record writes e exactly once, also after an interruption: a second call
	// with the same e.ID makes no second entry. It returns the Markdown file's
	// path, and degraded lines for steps that failed though the entry is safe
	// (for example that the index will catch up later).
	Record(ctx context.Context, e memory.Entry) (path string, degraded []string, err error)
}

// Workspace finds the changes that a run made in the repository.
type Workspace interface {
	// Snapshot records the state before the run, which began at since; the zero
	// time is now. What moved since is told by git's trace in dir, which trace
	// brings up to date once the state was read; nil: it needs nothing. dir is the run's folder:
	// contents that Compare needs are kept there, in folders or in files whose
	// names begin with "before", which go when the run is recorded. The result
	// goes into the journal, so Compare can happen in another process.
	Snapshot(ctx context.Context, dir string, since time.Time, trace func()) (json.RawMessage, error)
	// Compare returns the run's changes since before was taken. It never fails
	// as a whole: the lists say which part could not be read.
	Compare(ctx context.Context, before json.RawMessage, ev calls.Evidence) memory.ChangeSet
}
