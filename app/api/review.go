package api

import "time"

// Review is what waits for a person to accept or drop it.
type Review struct {
	Proposals []Proposal `json:"proposals"` // corrections, repeated instructions and retirements first, then what agents stored; of each the newest first
	Total     int        `json:"total"`     // how many there are, also beyond the limit
}

// Proposal is a fact that somebody may state, or one that may be taken out.
type Proposal struct {
	ID       string      `json:"id"`                 // its id; for a fact that an agent stored, the id of that fact
	Kind     string      `json:"kind"`               // correction, repeated, agent or retirement
	Text     string      `json:"text"`               // the fact
	Sentence string      `json:"sentence,omitempty"` // what the person typed; only of corrections and repeated instructions
	Refused  string      `json:"refused,omitempty"`  // the action that they refused with it
	Reason   string      `json:"reason,omitempty"`   // why it is proposed, where no sentence says so
	Agent    string      `json:"agent,omitempty"`    // the agent that was corrected, or that stored the fact
	Session  string      `json:"session,omitempty"`  // the id of that agent's session
	Entry    string      `json:"entry,omitempty"`    // the id of the session's entry, or of the run's
	Turn     int         `json:"turn,omitempty"`     // which prompt of that entry it was, from 1
	Time     time.Time   `json:"time,omitzero"`      // when it was said
	Fact     string      `json:"fact,omitempty"`     // the id of the fact that accepting takes over or takes out
	Close    []CloseFact `json:"close,omitempty"`    // facts about the same thing, the closest first; at most three
}

// Reviewed is what became of one proposal.
type Reviewed struct {
	ID     string `json:"id"`               // the proposal's
	Done   string `json:"done"`             // accepted or dropped
	Fact   string `json:"fact,omitempty"`   // the id of the fact that is stated now, or was forgotten
	Struck string `json:"struck,omitempty"` // the id of the fact that it replaced
	Text   string `json:"text"`             // the fact
}
