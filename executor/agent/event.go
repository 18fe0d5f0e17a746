package agent

import (
	"time"

	"agentflow/executor/agent/checks"
	"agentflow/gitwatch/calls"
)

// Kind is the kind of an Event.
type Kind string

// The kinds of events. Those of an agent are normalised, so that nothing but
// its decoder knows its tools and its protocol. Package executor adds its own.
const (
	Session     Kind = "session"      // Session and Model became known
	Asked       Kind = "asked"        // Text is a prompt of the user, Call its id; only in transcripts
	Said        Kind = "said"         // Text by the main agent; More: the message goes on
	Given       Kind = "quoted"       // Text was given to the agent, and asks to remember facts
	ToolStarted Kind = "tool_started" // Tool, Call, Paths it will touch, Writes, Reads, Names, Git, Background, Seen, Checks
	ToolEnded   Kind = "tool_ended"   // Call; Failed, Names, Wrote, Seen, Checks
	Usage       Kind = "usage"        // Model, Turns so far, Tokens so far; in transcripts Call is the message in place of Turns
	Denied      Kind = "denied"       // Text names the action; Writes. Without Text, the call that Call names. Detail is why, in the user's words
	Left        Kind = "left"         // Text names what went on in the background when the agent was through, and was ended with it
	Result      Kind = "result"       // Text is the final or the failure text; Failed; Cause; Tokens of the run
	Retry       Kind = "retry"        // the agent asks its API again; Text says why, Detail which try it is
	Activity    Kind = "activity"     // anything else: the agent is alive
)

// Event is one thing an agent did, or one step of the run. The JSON form is a
// line of events.jsonl.
type Event struct {
	Kind    Kind      `json:"kind"`
	Time    time.Time `json:"time,omitzero"` // the agent's own time, where its output has it
	Text    string    `json:"text,omitempty"`
	More    bool      `json:"more,omitempty"`
	Tool    string    `json:"tool,omitempty"`
	Call    string    `json:"call,omitempty"`    // pairs a tool's start and end
	Paths   []string  `json:"paths,omitempty"`   // as the agent named them; never redacted
	Writes  bool      `json:"writes,omitempty"`  // the tool is one that writes files
	Private bool      `json:"private,omitempty"` // the agent keeps the files in Paths for itself
	Reads   bool      `json:"reads,omitempty"`   // the tool changes no file itself
	// Names are the files that a tool's command writes, by its text or, at its
	// end, by its output.
	Names      []string          `json:"names,omitempty"`
	Git        bool              `json:"git,omitempty"`        // the command runs git
	Background bool              `json:"background,omitempty"` // the command leaves a process running
	Wrote      []calls.Write     `json:"wrote,omitempty"`      // the tool's own account of the files in Paths, at its end
	Seen       []calls.FileState `json:"seen,omitempty"`       // how the files in Paths and Names stood then
	// Checks are the tests and linters of a command: at its start without their ends, as the
	// end of the call may never be read.
	Checks  []checks.Check `json:"checks,omitempty"`
	Failed  bool           `json:"failed,omitempty"`
	Session string         `json:"session,omitempty"`
	Model   string         `json:"model,omitempty"`
	Turns   int            `json:"turns,omitempty"`
	CostUSD float64        `json:"cost_usd,omitempty"`
	Tokens  Tokens         `json:"tokens,omitzero"`
	Cause   Cause          `json:"cause,omitempty"` // of a failed result
	// NamesIn is the text that Names were read from, which says whether they are
	// secret. It is never stored.
	NamesIn string `json:"-"`
	// Exit says how the shell command of a call ended; empty: that is not known. It is never
	// stored.
	Exit checks.End `json:"-"`
	// Dir is the folder in which the shell command began; empty: where the agent works. It
	// is never stored.
	Dir string `json:"-"`
	// Late says of a tool's start that it was told when the call was over: how
	// files stood before it is not to be seen any more. It is never stored.
	Late bool `json:"-"`
	// Detail is the object of a tool call ("auth/session.go", the first line of a
	// command), the number of a retry, or why a call was denied. It is for people alone.
	Detail string `json:"detail,omitempty"`
}

// Tokens are how many tokens a model took in and gave out.
type Tokens struct {
	Input  int64 `json:"input,omitempty"`  // all that were sent, the cached ones included
	Cached int64 `json:"cached,omitempty"` // of Input, those that the provider had kept
	Output int64 `json:"output,omitempty"` // reasoning included
}

// Plus is the sum.
func (t Tokens) Plus(u Tokens) Tokens {
	return Tokens{t.Input + u.Input, t.Cached + u.Cached, t.Output + u.Output}
}

// Less is what t has more than u, and nothing below 0.
func (t Tokens) Less(u Tokens) Tokens {
	return Tokens{max(0, t.Input-u.Input), max(0, t.Cached-u.Cached), max(0, t.Output-u.Output)}
}
