package executor

// Agent is a coding agent that can be run once on a prompt. It knows how its
// program is called and what its output means; it starts nothing itself.
// Implementations hold no state and are safe for concurrent use.
type Agent interface {
	// Name is what an entry calls the agent.
	Name() string
	// Command says how the agent is started. It fails when the request asks
	// for what this agent cannot do.
	Command(req AgentRequest) (AgentCommand, error)
	// Decoder returns a fresh decoder for one run's standard output.
	Decoder() Decoder
}

// AgentRequest is what a run wants of an agent. Zero values leave the choice
// to the agent.
type AgentRequest struct {
	Prompt       string
	Model        string
	Permission   string   // claude's --permission-mode
	AllowedTools []string // claude's --allowedTools
	Args         []string // appended to the agent's own arguments
	Resume       string   // the agent's session id to go on with
	MaxCostUSD   float64  // spend cap; 0 is none
}

// AgentCommand is how an agent's program is started. Its environment is that
// of every agent (see Environment).
type AgentCommand struct {
	Argv  []string
	Stdin []byte
	// Raw says that standard output is what the agent says, to be passed on
	// as it comes; otherwise the final text is printed once.
	Raw bool
	// Notes say what of the request cannot be held, a line each.
	Notes []string
}

// Decoder turns an agent's standard output into events. It never fails: what
// it does not understand is EventActivity. It keeps no reference to p.
type Decoder interface {
	// Feed takes the next bytes, cut anywhere, and returns what they complete.
	Feed(p []byte) []Event
	// Close returns what was still open when the output ended.
	Close() []Event
}
