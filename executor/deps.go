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
	"agentflow/executor/internal/bounded"
	"agentflow/executor/runfolder"
	"agentflow/gitwatch/toolcalls"
	"agentflow/memory"
	"agentflow/memory/changeset"
	"agentflow/memory/retrieval"
	"agentflow/prompt"
)

// Deps holds the parts that a run works with. If Recall, Record or Work is nil, nothing is
// recalled, recorded or compared.
type Deps struct {
	Recall Recaller
	Record Recorder
	Work   Workspace

	// Redact removes secrets from text that will be stored. If it is nil, no text is stored. It
	// must be safe for concurrent use.
	Redact func(string) string
	// Extract returns the facts in the agent's redacted messages, oldest first. It ignores tags
	// that are in prompt, the redacted text that the agent was given. at is when the run began.
	// cut has a line for each kind of fact that was left out. Extract may be called several
	// times in one run.
	Extract func(messages []string, prompt string, at time.Time) (facts []memory.Fact, cut []string)
	Now     func() time.Time // the clock of entries and events; nil means time.Now
	// Sink gets the events, one after another and unredacted, to display them. It must return
	// soon, because the agent waits for it.
	Sink func(agent.Event)

	// Prepared gets what the agent will be given, before it starts. Nil drops it.
	Prepared func(Prepared)
	// Plain removes the tags that Extract finds from a message, because the entry has the facts
	// already. Nil leaves messages unchanged.
	Plain func(message string) string
	// Ignore reports whether entries leave out a path, which is relative to the work tree's
	// root and '/' separated. Nil ignores no path.
	Ignore func(path string) bool
	// WorkAt opens another work tree of the repository, because Recover may also find runs of
	// other work trees. If it is nil or returns nil, their changes are left out. isMain says
	// that it was the repository's main work tree.
	WorkAt func(ctx context.Context, workTree string, isMain bool) Workspace

	// Held returns the content of memory for items that an agent was given. Nil returns none.
	Held func(ctx context.Context, items []runfolder.RecalledItem) []string
	// Transcript returns a decoder for the file in which an agent keeps a session. If it is
	// nil, sessions are not read.
	Transcript func(agentName string) agent.Decoder

	RunsDir  string // the parent of run folders, absolute; if it is empty, a run has no folder
	WorkTree string // the work tree of Work; absolute
	MainTree bool   // whether it is the repository's main work tree
	Dir      string // the folder in which the agent runs; absolute; empty means WorkTree
	Home     string // the user's home folder; empty when unknown
	OwnTree  bool   // WorkTree was made for this run, or for the run that it continues

	// AgentOut gets a program's output as it arrives, or the final text once. AgentErr gets the
	// agent's standard error.
	AgentOut, AgentErr io.Writer
	// PlainOut sends the final text through Plain before it is written to AgentOut.
	PlainOut bool
	// Env is the environment from which the agent's is made; nil means our own.
	Env []string
	// Hurry, when closed, ends every grace period: it is the second Ctrl-C.
	Hurry <-chan struct{}

	disk runfolder.Disk
}

func (d Deps) withDefaults() Deps {
	if d.Redact == nil {
		d.Redact = bounded.Withheld
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
	if d.Prepared == nil {
		d.Prepared = func(Prepared) {}
	}
	d.Sink = oneByOne(d.Sink)
	d.Dir = cmp.Or(d.Dir, d.WorkTree)
	d.AgentOut, d.AgentErr = cmp.Or(d.AgentOut, io.Discard), cmp.Or(d.AgentErr, io.Discard)
	d.disk = cmp.Or[runfolder.Disk](d.disk, runfolder.RealDisk{})
	return d
}

// oneByOne returns a sink that several goroutines may call.
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
	// Recall returns the matches. Its Degraded lines count even if it returns an error.
	Recall(ctx context.Context, task string) (Known, error)
}

// Known is the part of memory that relates to a task.
type Known struct {
	prompt.Known
	// Degraded has a line for each part that was not used, for example because the index could
	// not be updated. That is not an error.
	Degraded []string
	// Read and ReadHits are left out, because the agent reads them by itself in a file.
	Read     []ReadFact
	ReadHits []ReadHit
	// Late names the memories that did not answer before the deadline. They are left out, which
	// is not a failure.
	Late []string
}

// ReadFact is a fact in a file that the agent reads by itself.
type ReadFact struct {
	Fact prompt.Fact
	File string // the name of the file for people
}

// ReadHit is a hit that only repeats a file that the agent reads by itself.
type ReadHit struct {
	Hit  retrieval.Hit
	File string // the name of the file for people
}

// Recorder puts a finished run into memory.
type Recorder interface {
	// Record writes e exactly once, even after an interruption: a second call with the same
	// e.ID makes no second entry. It returns the path of the Markdown file, and degraded lines
	// for steps that failed although the entry is safe (for example that the index will be
	// updated later).
	Record(ctx context.Context, e memory.Entry) (path string, degraded []string, err error)
}

// Workspace finds the changes that a run made in the repository.
type Workspace interface {
	// Snapshot records the state before the run, which began at since; the zero time means now.
	// Git's trace in dir, the run's folder, records the changes since then. Once the state was
	// read, Snapshot calls trace, which updates that file; nil if that is not needed. Snapshot
	// keeps contents that Compare needs in dir, in folders or in files with names that begin
	// with "before"; they are removed when the run is recorded. The result goes into the
	// journal, so Compare can run in another process.
	Snapshot(ctx context.Context, dir string, since time.Time, trace func()) (json.RawMessage, error)
	// Compare returns the run's changes since before was taken. It never fails completely: each
	// list says which part could not be read.
	Compare(ctx context.Context, before json.RawMessage, ev toolcalls.Evidence) changeset.Set
}
