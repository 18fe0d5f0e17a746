// Package executor takes one agent run from recall to record.
//
// A run is Prepare (recall, prompt), Begin (snapshot, journal), Execute (the
// agent, watched), Finish (changes, messages, the entry). Run does all of it;
// Recover finishes the runs that a crash left behind, from their folders.
//
// Guarantees. Whichever part of memory fails, the agent runs and its outcome
// comes back, and Record.Degraded names each failure once. A run whose journal
// was written is recorded exactly once, by its own process or by a later one.
// Text is redacted before it is written, and a cut never leaves half of a
// secret. Two things stand raw in a run's folder while it goes on, and not
// after it is recorded: the Workspace's copies of the user's own files, and the
// ref trace that git writes, which is redacted then. When Run returns, no process of the run
// is alive.
//
// Not guaranteed. Text that a program said in its last two seconds, or that
// redaction has not come to, is in memory alone and lost with our own process.
// A program is not made to wait for redaction, unless it is maxBacklog ahead. A process that removed
// AGENTFLOW_RUN_ID from its environment and left the agent's process tree
// cannot be found after a crash.
package executor

import (
	"cmp"
	"context"
	"os"
	"time"

	"agentflow/executor/agent"
	"agentflow/memory"
	"agentflow/prompt"
)

// Run does one whole run: recall, prompt, begin, the agent, verify, finish,
// record. The error is only set when nothing was run (see Begin); how a run
// went, and what of memory did not work, is in the Record.
func Run(ctx context.Context, deps Deps, req Request) (Record, error) {
	r, err := Begin(ctx, deps, req)
	if err != nil {
		return Record{}, err
	}
	r.Execute(ctx)
	return r.Finish(ctx), nil
}

// Request is one run that somebody asked for. Zero durations mean the
// defaults below; a negative one turns that limit off.
type Request struct {
	Task  string
	Agent agent.Agent
	// ID is the run's, a UUIDv7, for callers that need it beforehand; empty makes
	// a new one.
	ID string

	Model        string
	Permission   string
	AllowedTools []string
	Args         []string
	Resume       string // the agent's session id
	MaxCostUSD   float64
	Tools        agent.Tools
	Writable     []string // git's folders, as in agent.Request

	NoRecall bool
	NoRecord bool
	Top      int // recalled entries at most; 0 is prompt's default
	Budget   int // tokens for them; 0 is prompt's default
	Standing int // tokens for facts and notes, as in prompt.Input
	Format   prompt.Format

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
	r.RecallDeadline = cmp.Or(r.RecallDeadline, DefaultRecallDeadline)
	r.IdleTimeout = cmp.Or(r.IdleTimeout, DefaultIdleTimeout)
	r.ToolTimeout = cmp.Or(r.ToolTimeout, DefaultToolTimeout)
	r.Grace = cmp.Or(r.Grace, DefaultGrace)
	return r
}

// Record is the result of a run.
type Record struct {
	Entry      memory.Entry // whole, also when it could not be recorded
	Hits       []memory.Hit // the part of memory in the prompt
	MemoryPath string       // the Markdown file that holds Entry; empty when it is in none
	Degraded   []string     // a line for each part that failed while the run went on
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

// Interrupt is the cause of a cancelled context with the signal that ended the
// run. Any other cause counts as the interrupt key.
type Interrupt struct{ Signal os.Signal }

func (i Interrupt) Error() string { return "ended by signal: " + i.Signal.String() }
