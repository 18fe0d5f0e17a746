// Package agent defines a coding agent: how its program is called, and how its
// output becomes events. Each agent is a package below this one;
// all of them keep the contract of internal/testing/agenttest.
package agent

// Agent is a coding agent that can be run once on a prompt. It knows how its
// program is called and how to read its output; it starts nothing itself.
// Implementations hold no state and are safe for concurrent use.
type Agent interface {
	// Name is the agent's name in entries.
	Name() string
	// Command says how the agent is started. It fails when this agent cannot do
	// what the request asks for.
	Command(req Request) (Command, error)
	// Decoder returns a fresh decoder for one run's standard output.
	Decoder() Decoder
}

// Transcriber is an agent whose own file of a session can be read.
type Transcriber interface {
	// Transcript returns a fresh decoder for such a file, or for the file of one of
	// its subagents. Each event has the time of its line, and each message
	// of the agent is whole.
	Transcript() Decoder
}

// Keeper is a Transcriber that keeps its files of sessions where they are found
// by the sessions' ids.
type Keeper interface {
	Transcriber
	Kept() Kept
}

// Kept says where an agent keeps its files of sessions.
type Kept struct {
	Variable string // of the agent's environment, names the folder
	Folder   string // where the variable is not set; below the user's home, with '/'
	Pattern  string // of path.Match, below the folder, of the file of the session {id}
}

// Request is the request of one run. Zero values leave the choice to the agent.
type Request struct {
	Prompt       string
	Model        string
	Permission   string   // what the agent may do unasked, in its own words
	AllowedTools []string // claude's --allowedTools
	Args         []string // appended to the agent's own arguments
	Resume       string   // the agent's session id to go on with
	MaxCostUSD   float64  // spend cap; 0 is none
	Tools        Tools    // more tools for the agent; an agent that cannot start a server of them goes without
	// Writable are folders outside the one it works in that a sandbox has to
	// leave writable, so that the agent can commit: git's own. Absolute.
	Writable []string
	// Environ is the environment that Command.Env is added to, "NAME=value".
	Environ []string
}

// Tools is a server of tools over MCP (https://modelcontextprotocol.io), which
// the agent starts. The zero value is none.
type Tools struct {
	Name    string   // of the server
	Argv    []string // how it is started, in the folder the agent works in
	Reading []string // names of tools that change nothing: the agent need not ask before it calls them
	// Variables are names of variables that the server needs of the agent's own
	// environment, where they are set.
	Variables []string
}

// Command is how an agent's program is started. Its environment is that
// of every agent (see executor.Environ), and Env.
type Command struct {
	Argv  []string
	Stdin []byte
	Env   []string // "NAME=value"; wins over the same name of Request.Environ
	// Raw: standard output is text for people, passed on as it comes; otherwise
	// the final text is printed once.
	Raw bool
	// Notes has a line for each part of the request that cannot be kept.
	Notes []string
}

// Decoder turns an agent's standard output into events. It never fails: a part
// that it does not understand is Activity. It keeps no reference to p.
type Decoder interface {
	// Feed takes the next bytes, cut anywhere, and returns the events that they
	// complete.
	Feed(p []byte) []Event
	// Close returns the events that were incomplete when the output ended.
	Close() []Event
}

// StderrDecoder is a Decoder of an agent that tells some of what it does on
// standard error alone. What else stands there is no sign of life.
type StderrDecoder interface {
	Decoder
	// FeedStderr takes the next bytes of standard error as Feed does. It is not
	// called at the same time as the other methods. Text that tells nothing gives
	// no event.
	FeedStderr(p []byte) []Event
}

// Cause is why a run did not end well, where the next step depends on it.
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
