// Package agent defines a coding agent: how its program is called, and how its output becomes
// events. Each agent is a package below this one. All of them fulfil the contract of
// internal/testing/agenttest.
//
// Only the packages of agents know the names of an agent's tools and the fields of its
// output.
package agent

// Agent is a coding agent that can run once on a prompt. It knows how its program is called and
// how to decode its output, but starts nothing itself. Implementations have no state and are
// safe for concurrent use.
type Agent interface {
	// Name is the agent's name in entries.
	Name() string
	// Command returns how to start the agent. It fails if this agent cannot do what the request
	// asks for.
	Command(req Request) (Command, error)
	// Decoder returns a new decoder for one run's standard output.
	Decoder() Decoder
}

// Transcriber is an agent with files of sessions that can be decoded.
type Transcriber interface {
	// Transcript returns a new decoder for the agent's file of a session, or of one of its
	// subagents. Each event has the time of its line, and each message of the agent is
	// complete.
	Transcript() Decoder
}

// Keeper is a Transcriber that stores files of sessions where their ids lead to them.
type Keeper interface {
	Transcriber
	Kept() Kept
}

// Kept is the location of an agent's files of sessions.
type Kept struct {
	Variable string // the agent's environment variable that names the folder
	Folder   string // the folder if the variable is not set; below the user's home, with '/'
	Pattern  string // of the file of the session {id}, below the folder; a pattern of path.Match
}

// Request describes one run. Zero values leave the choice to the agent.
type Request struct {
	Prompt       string
	Model        string
	Permission   string   // what the agent may do without asking, in the agent's terms
	AllowedTools []string // claude's --allowedTools
	Args         []string // appended to the agent's own arguments
	Resume       string   // the id of the agent's session to continue
	MaxCostUSD   float64  // spend cap; 0 is none
	Tools        Tools    // additional tools for the agent; an agent that cannot start a server of tools runs without them
	// Writable lists folders outside the working folder that a sandbox must leave writable, so
	// that the agent can commit: git's folders. Absolute.
	Writable []string
	// Environ is the environment, "NAME=value", to which Command.Env is added.
	Environ []string
}

// Tools is a server of tools over MCP (https://modelcontextprotocol.io) that the agent starts.
// The zero value means none.
type Tools struct {
	Name    string   // of the server
	Argv    []string // how to start it, in the folder in which the agent works
	Reading []string // names of tools that change nothing: the agent may call them without asking
	// Variables are the names of variables in the agent's environment that the server needs, if
	// they are set.
	Variables []string
}

// Command is how to start an agent's program. Its environment is that of every agent (see
// executor.Environ), and Env.
type Command struct {
	Argv  []string
	Stdin []byte
	Env   []string // "NAME=value"; wins over the same name of Request.Environ
	// Raw means that standard output is text for people and is passed on as it arrives.
	// Otherwise the final text is printed once.
	Raw bool
	// Notes has a line for each part of the request that the agent does not support.
	Notes []string
}

// Decoder turns an agent's standard output into events. It never fails: an unknown part is
// Activity. It keeps no reference to p.
type Decoder interface {
	// Feed takes the next bytes, which may be cut anywhere, and returns the events that they
	// complete.
	Feed(p []byte) []Event
	// Close returns the events that were incomplete when the output ended.
	Close() []Event
}

// StderrDecoder is a Decoder of an agent that reports some events only on standard error. Other
// output on stderr does not reset the idle timeout.
type StderrDecoder interface {
	Decoder
	// FeedStderr takes the next bytes of standard error, as Feed does. It must not be called
	// concurrently with the other methods. Text without information gives no event.
	FeedStderr(p []byte) []Event
}

// Cause is why a run did not end well, for the causes that have a specific remedy.
type Cause string

// The causes. A run that ended well, or for another reason, has none.
const (
	CauseLogin       Cause = "login"       // the agent is not logged in, or its key is refused
	CauseCost        Cause = "cost"        // the spend cap is reached
	CauseUnavailable Cause = "unavailable" // the agent's API is overloaded, limits its rate, or cannot be reached
	CauseSession     Cause = "session"     // the agent does not know the session to continue
	CauseDenied      Cause = "denied"      // every write was denied
	CauseVerify      Cause = "verify"
	CauseTimeout     Cause = "timeout"
	CauseInterrupted Cause = "interrupted"
	CauseNotStarted  Cause = "not_started"
)
