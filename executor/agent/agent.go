// Package agent says what a coding agent is to a run: how its program is
// called, and what its output means. Each agent is a package below this one;
// all of them keep the contract of internal/testing/agenttest.
package agent

// Agent is a coding agent that can be run once on a prompt. It knows how its
// program is called and what its output means; it starts nothing itself.
// Implementations hold no state and are safe for concurrent use.
type Agent interface {
	// Name is what an entry calls the agent.
	Name() string
	// Command says how the agent is started. It fails when the request asks
	// for what this agent cannot do.
	Command(req Request) (Command, error)
	// Decoder returns a fresh decoder for one run's standard output.
	Decoder() Decoder
}

// Request is what a run wants of an agent. Zero values leave the choice
// to the agent.
type Request struct {
	Prompt       string
	Model        string
	Permission   string   // claude's --permission-mode
	AllowedTools []string // claude's --allowedTools
	Args         []string // appended to the agent's own arguments
	Resume       string   // the agent's session id to go on with
	MaxCostUSD   float64  // spend cap; 0 is none
}

// Command is how an agent's program is started. Its environment is that
// of every agent (see executor.Environ).
type Command struct {
	Argv  []string
	Stdin []byte
	// Raw says that standard output is what the agent says, to be passed on
	// as it comes; otherwise the final text is printed once.
	Raw bool
	// Notes say what of the request cannot be held, a line each.
	Notes []string
}

// Decoder turns an agent's standard output into events. It never fails: what
// it does not understand is Activity. It keeps no reference to p.
type Decoder interface {
	// Feed takes the next bytes, cut anywhere, and returns what they complete.
	Feed(p []byte) []Event
	// Close returns what was still open when the output ended.
	Close() []Event
}

// Cause is why a run did not end well, where it decides what to do next.
type Cause string

// The causes; a run that ended well, or for another reason, has none.
const (
	CauseLogin       Cause = "login"       // the agent is not logged in, or its key is refused
	CauseCost        Cause = "cost"        // the spend cap is reached
	CauseUnavailable Cause = "unavailable" // the agent's API is overloaded, limits its rate, or cannot be reached
	CauseSession     Cause = "session"     // the agent does not know the session to go on with
	CauseDenied      Cause = "denied"      // every write was denied
	CauseVerify      Cause = "verify"
	CauseTimeout     Cause = "timeout"
	CauseInterrupted Cause = "interrupted"
	CauseNotStarted  Cause = "not_started"
)
