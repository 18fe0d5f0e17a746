package executor

import (
	"cmp"
	"time"

	"agentflow/executor/agent"
	"agentflow/prompt"
)

// Request describes one run. A zero duration means the default below, a negative one turns that
// limit off.
type Request struct {
	Task  string
	Agent agent.Agent
	// ID is the id of the run, a UUIDv7, for callers that need it beforehand. If it is empty,
	// the run gets a new one.
	ID string

	Model        string
	Permission   string
	AllowedTools []string
	Args         []string
	Resume       string // the agent's session id
	MaxCostUSD   float64
	Tools        agent.Tools
	Writable     []string // git's folders, as in agent.Request

	NoRecall      bool
	NoRecord      bool
	prompt.Limits // of the recalled memory

	RecallDeadline time.Duration
	Timeout        time.Duration // 0 means none
	IdleTimeout    time.Duration
	ToolTimeout    time.Duration // accepted silence while a tool call is open
	Grace          time.Duration // time between asking an agent to end and killing it

	// Verify is a shell command that runs after the agent succeeded. Its exit code then decides
	// the outcome.
	Verify string
}

// The defaults of a Request's limits.
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
