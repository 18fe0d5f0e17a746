package agent

import (
	"time"

	"agentflow/executor/agent/checks"
	"agentflow/gitwatch/toolcalls"
)

// Kind is the kind of an Event.
type Kind string

// The kinds of events. An agent's decoder translates its tools and its protocol into these, so
// other packages need not know them. Package executor adds more kinds.
const (
	Session     Kind = "session"      // Session and Model became known
	Asked       Kind = "asked"        // Text is a prompt of the user, Call its id; only in transcripts
	Said        Kind = "said"         // Text by the main agent; More: the message continues
	Planned     Kind = "planned"      // Text is a plan that the agent presents or writes, Paths its file if that is known; edits are not read. A ToolStarted follows
	Given       Kind = "quoted"       // Text is part of a text that the agent was given, with tags that ask to remember facts
	ToolStarted Kind = "tool_started" // Tool, Call, Paths it will touch, Writes, Reads, Names, Git, Background, Seen, Checks
	ToolEnded   Kind = "tool_ended"   // Call; Failed, Names, Wrote, Seen, Checks
	Usage       Kind = "usage"        // Model, Turns so far, Tokens so far; in transcripts Call is the message in place of Turns
	Denied      Kind = "denied"       // Text names the action; Writes. Without Text, the call that Call names. Detail is why, in the user's words
	Left        Kind = "left"         // Text names a background task that still ran when the agent ended, and that ended with it
	Result      Kind = "result"       // Text is the final or the failure text; Failed; Cause; Tokens of the run
	Retry       Kind = "retry"        // the agent retries a request to its API; Text says why, Detail which try it is
	Activity    Kind = "activity"     // anything else: the agent is alive
)

// Event is one action of an agent, or one step of the run. Its JSON form is a line of
// events.jsonl.
type Event struct {
	Kind    Kind      `json:"kind"`
	Time    time.Time `json:"time,omitzero"` // the agent's time, if its output has it
	Text    string    `json:"text,omitempty"`
	More    bool      `json:"more,omitempty"`
	Tool    string    `json:"tool,omitempty"`
	Call    string    `json:"call,omitempty"`    // the same at a tool's start and end
	Paths   []string  `json:"paths,omitempty"`   // as the agent named them; not redacted
	Writes  bool      `json:"writes,omitempty"`  // the tool writes files
	Private bool      `json:"private,omitempty"` // the files in Paths are private to the agent
	Reads   bool      `json:"reads,omitempty"`   // the tool itself changes no file
	// Names are the files that a tool's command writes, read from its text or, at its end, from
	// its output.
	Names      []string              `json:"names,omitempty"`
	Git        bool                  `json:"git,omitempty"`        // the command runs git
	Background bool                  `json:"background,omitempty"` // the command leaves a process running
	Wrote      []toolcalls.Write     `json:"wrote,omitempty"`      // the tool's report about the files in Paths, at its end
	Seen       []toolcalls.FileState `json:"seen,omitempty"`       // the state of the files in Paths and Names at that time
	// Checks are the tests and linters of a command. At its start they have no ends; the end of
	// the call may never be read.
	Checks  []checks.Check `json:"checks,omitempty"`
	Failed  bool           `json:"failed,omitempty"`
	Session string         `json:"session,omitempty"`
	Model   string         `json:"model,omitempty"`
	Turns   int            `json:"turns,omitempty"`
	CostUSD float64        `json:"cost_usd,omitempty"`
	Tokens  Tokens         `json:"tokens,omitzero"`
	Cause   Cause          `json:"cause,omitempty"` // of a failed result
	// NamesIn is the text from which Names were read, which shows whether they are secret. It
	// is never stored.
	NamesIn string `json:"-"`
	// Exit is how the shell command of a call ended, or empty if that is unknown. It is never
	// stored.
	Exit checks.End `json:"-"`
	// Dir is the folder in which the shell command began, or empty for the folder in which the
	// agent works. It is never stored.
	Dir string `json:"-"`
	// Late says that a tool's start was reported only after the call had ended, so the earlier
	// state of its files is unknown. It is never stored.
	Late bool `json:"-"`
	// Detail is the object of a tool call ("auth/session.go", the first line of a command), the
	// number of a retry, or why a call was denied. It is only displayed.
	Detail string `json:"detail,omitempty"`
}

// Tokens counts the tokens of a model's input and output.
type Tokens struct {
	Input  int64 `json:"input,omitempty"`  // all input, including cached tokens
	Cached int64 `json:"cached,omitempty"` // the part of Input that came from the provider's cache
	Output int64 `json:"output,omitempty"` // including reasoning
}

// Plus returns the sum.
func (t Tokens) Plus(u Tokens) Tokens {
	return Tokens{t.Input + u.Input, t.Cached + u.Cached, t.Output + u.Output}
}

// Less returns t minus u, with no count below 0.
func (t Tokens) Less(u Tokens) Tokens {
	return Tokens{max(0, t.Input-u.Input), max(0, t.Cached-u.Cached), max(0, t.Output-u.Output)}
}
