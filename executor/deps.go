package executor

import (
	"context"
	"io"
	"os"
	"sync"
	"time"

	"agentflow/executor/agent"

	"agentflow/memory"
	"agentflow/prompt"
)

// Deps is what a run works with. Recall, Record and Work may be nil: then
// nothing is recalled, recorded or compared.
type Deps struct {
	Recall Recaller
	Record Recorder
	Work   Workspace

	// Redact takes secrets out of text that will be stored. Without it no
	// text is stored. It must be safe for concurrent use.
	Redact func(string) string
	// Extract finds the facts in the agent's messages, oldest first; those
	// that stood in the prompt, or in what tools gave the agent, are none. Both are redacted. at is when the run
	// began. cut says, a line each, what was left out. It may be called several
	// times in one run.
	Extract func(said []string, prompt string, at time.Time) (facts []memory.Fact, cut []string)
	Now     func() time.Time // for what is recorded; nil is time.Now
	// Sink is told what happens, never two things at once, unredacted: it is
	// for showing. It must not block for long, as the agent waits on it.
	Sink func(agent.Event)

	// Plain takes out of a message the tags that Extract finds: the facts stand
	// in the entry already. Nil leaves messages as they are.
	Plain func(message string) string
	// Ignore names paths, relative to the work tree's root and '/' separated,
	// that are in no entry; nil names none.
	Ignore func(path string) bool
	// WorkAt sees another work tree of the repository, whose runs Recover may
	// find too; nil, or a nil result, leaves their changes out.
	WorkAt func(ctx context.Context, workTree string) Workspace

	RunsDir  string // where run folders are; absolute; empty: a run keeps none
	WorkTree string // what Work sees; absolute
	Dir      string // where the agent runs; absolute; empty is WorkTree
	OwnTree  bool   // WorkTree was made for this run, or for the one that it goes on with

	// AgentOut gets what belongs on standard output: a program's output as it
	// comes, or the final text once. AgentErr gets the agent's standard error.
	AgentOut, AgentErr io.Writer
	// Env is the environment the agent's is made from; nil is our own.
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
	if d.Dir == "" {
		d.Dir = d.WorkTree
	}
	if d.Now == nil {
		d.Now = time.Now
	}
	d.Sink = oneByOne(d.Sink)
	if d.AgentOut == nil {
		d.AgentOut = io.Discard
	}
	if d.AgentErr == nil {
		d.AgentErr = io.Discard
	}
	if d.Env == nil {
		d.Env = os.Environ()
	}
	if d.disk == nil {
		d.disk = realDisk{}
	}
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

// Request is one run that somebody asked for. Zero durations mean the
// defaults below; a negative one turns that limit off.
type Request struct {
	Task  string
	Agent agent.Agent
	// ID is the run's, a UUIDv7, for who has to know it beforehand; empty
	// makes a new one.
	ID string

	Model        string
	Permission   string
	AllowedTools []string
	Args         []string
	Resume       string // the agent's session id
	MaxCostUSD   float64

	NoRecall bool
	NoRecord bool
	Top      int // recalled entries at most; 0 is prompt's default
	Budget   int // tokens for them; 0 is prompt's default
	// FactsShare and Format are as in prompt.Input.
	FactsShare float64
	Format     prompt.Format

	RecallDeadline time.Duration
	Timeout        time.Duration // 0 is none
	IdleTimeout    time.Duration
	ToolTimeout    time.Duration // silence that is borne while a tool call is open
	Grace          time.Duration // between asking an agent to end and killing it

	// Verify is a shell command run after an agent that succeeded; then its
	// exit code decides.
	Verify string
}

// The limits of a Request that names none.
const (
	DefaultRecallDeadline = 3 * time.Second
	DefaultIdleTimeout    = 30 * time.Minute
	DefaultToolTimeout    = 2 * time.Hour
	DefaultGrace          = 10 * time.Second
)

func (r Request) withDefaults() Request {
	for _, limit := range []struct {
		value *time.Duration
		is    time.Duration
	}{
		{&r.RecallDeadline, DefaultRecallDeadline},
		{&r.IdleTimeout, DefaultIdleTimeout},
		{&r.ToolTimeout, DefaultToolTimeout},
		{&r.Grace, DefaultGrace},
	} {
		if *limit.value == 0 {
			*limit.value = limit.is
		}
	}
	return r
}

// Record is what came of a run.
type Record struct {
	Entry      memory.Entry // whole, also when it could not be recorded
	Hits       []memory.Hit // what the prompt held of memory
	MemoryPath string       // the Markdown file that holds Entry; empty when it is in none
	Degraded   []string     // what did not work though the run went on, a line each
	Outcome    memory.Outcome
	Cause      agent.Cause // why it did not end well
	Reason     string      // the same in a line for people, redacted; empty when the agent's standard error has said it
	ExitCode   int         // the agent's; 127 when it did not start, -1 when nobody knows
	Signal     string      // the signal that ended the agent, as in "SIGKILL"
	// Terminated says that an interrupted run was ended by a signal other than
	// the interrupt key's.
	Terminated bool
	// RecordError is why the entry is not in memory; nil when it is, or when
	// the run was not to be recorded.
	RecordError error
	// Dir is the run's folder; empty when there is none.
	Dir string
}

// Interrupt is the cause of a cancelled context that tells which signal ended
// the run. Any other cause counts as the interrupt key.
type Interrupt struct{ Signal os.Signal }

func (i Interrupt) Error() string { return "ended by signal: " + i.Signal.String() }
