package executor

import (
	"time"

	"agentflow/gitwatch/calls"
)

// EventKind says what an Event tells.
type EventKind string

// The kinds of events. Those of an agent are normalised, so that nothing but
// its decoder knows its tools and its protocol; the last four are our own and
// only reach Deps.Sink.
const (
	EventSession     EventKind = "session"      // Session and Model became known
	EventSaid        EventKind = "said"         // Text by the main agent; More: the message goes on
	EventQuoted      EventKind = "quoted"       // Text was given to the agent, and asks to remember facts
	EventToolStarted EventKind = "tool_started" // Tool, Call, Paths it will touch, Writes, Reads, Names, Git, Background, Seen
	EventToolEnded   EventKind = "tool_ended"   // Call; Failed, Names, Wrote, Seen
	EventUsage       EventKind = "usage"        // Model, Turns so far
	EventDenied      EventKind = "denied"       // Text names the action; Writes
	EventResult      EventKind = "result"       // Text is the final or the failure text; Failed; Cause
	EventRetry       EventKind = "retry"        // the agent asks its API again; Text says why, Detail which try it is
	EventActivity    EventKind = "activity"     // anything else: the agent is alive

	EventPhase    EventKind = "phase"    // Text is a Phase… constant
	EventDegraded EventKind = "degraded" // Text says what does not work
	EventSaved    EventKind = "saved"    // Text is a fact that was recorded
	EventRemark   EventKind = "remark"   // Text is one of the entry's remarks
)

// The phases that EventPhase announces, in order; PhaseVerify only when there
// is something to verify.
const (
	PhaseRecall = "recall"
	PhaseBegin  = "begin"
	PhaseAgent  = "agent"
	PhaseVerify = "verify"
	PhaseFinish = "finish"
	PhaseDone   = "done"
)

// Event is one thing an agent did, or one step of the run. The JSON form is a
// line of events.jsonl.
type Event struct {
	Kind   EventKind `json:"kind"`
	Time   time.Time `json:"time,omitzero"` // where the agent tells it, its own
	Text   string    `json:"text,omitempty"`
	More   bool      `json:"more,omitempty"`
	Tool   string    `json:"tool,omitempty"`
	Call   string    `json:"call,omitempty"`   // pairs a tool's start and end
	Paths  []string  `json:"paths,omitempty"`  // as the agent named them; never redacted
	Writes bool      `json:"writes,omitempty"` // the tool is one that writes files
	Reads  bool      `json:"reads,omitempty"`  // the tool changes no file itself
	// Names are the words that a tool's command names as written or, at its
	// end, what it printed.
	Names      []string      `json:"names,omitempty"`
	Git        bool          `json:"git,omitempty"`        // the command runs git
	Background bool          `json:"background,omitempty"` // the command leaves a process running
	Wrote      []calls.Write `json:"wrote,omitempty"`      // what the tool says of the files in Paths, at its end
	Seen       []calls.Sight `json:"seen,omitempty"`       // how the files in Paths and Names stood then
	Failed     bool          `json:"failed,omitempty"`
	Session    string        `json:"session,omitempty"`
	Model      string        `json:"model,omitempty"`
	Turns      int           `json:"turns,omitempty"`
	CostUSD    float64       `json:"cost_usd,omitempty"`
	Cause      Cause         `json:"cause,omitempty"` // of a failed result
	// NamesIn is the text that Names were read from, which says whether they are
	// secret. It is never stored.
	NamesIn string `json:"-"`
	// Detail says what a tool call is about ("auth/session.go", a command), or
	// which try of how many a retry is.
	// It is for progress only: shown, never stored.
	Detail string `json:"-"`
}
