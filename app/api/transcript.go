package api

import (
	"time"

	"agentflow/memory"
)

// Transcript is what was said and done in a run, or in the turns of a session
// that an entry covers. Secrets are taken out.
type Transcript struct {
	ID        string           `json:"id"`         // the entry's
	Kind      memory.Kind      `json:"kind"`       // run or session
	Agent     string           `json:"agent"`      // its name
	SessionID string           `json:"session_id"` // the agent's session
	From      string           `json:"from"`       // the agent's own file of the session, absolute; empty: the folder of the run
	LeftOut   int              `json:"left_out"`   // how many items before the first are left out
	Items     []TranscriptItem `json:"items"`      // the oldest first
}

// TranscriptItem is one thing that was said or done.
type TranscriptItem struct {
	Kind       string    `json:"kind"`                  // prompt, message, tool, denied, error or left
	Time       time.Time `json:"time"`                  // when it began; the zero time where nobody knows
	Text       string    `json:"text,omitempty"`        // of all but tool: the user's words, the agent's, the call that was not permitted, why the agent did not go on, or what it left running
	Tool       string    `json:"tool,omitempty"`        // of tool: its name, as the agent has it
	Object     string    `json:"object,omitempty"`      // of tool: the file, the first line of the command, or the words to search for; absent where nobody knows
	DurationMS int64     `json:"duration_ms,omitempty"` // of tool: how long it took, in milliseconds; absent where nobody knows
	Failed     bool      `json:"failed,omitempty"`      // of tool: it failed
	Denied     bool      `json:"denied,omitempty"`      // of tool: it was not permitted
}
