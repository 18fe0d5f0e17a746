package api

import "time"

// Preview is what the next session in a repository would be given.
type Preview struct {
	Start  SessionStart `json:"start"`            // what it begins with
	Prompt *Recall      `json:"prompt,omitempty"` // what its first prompt adds; absent without a task
}

// SessionStart is what a session begins with.
type SessionStart struct {
	Text   string         `json:"text"`   // as the agent gets it
	Tokens int            `json:"tokens"` // of the text, estimated
	Facts  []RecalledFact `json:"facts"`  // in the order of the text
	Work   []RecentWork   `json:"work"`   // of today and yesterday, in the order of the text
	Read   []ReadFact     `json:"read"`   // facts that are left out, as the agent reads them in a file of its own
	More   []RecalledFact `json:"more"`   // facts that do not fit in the budget, the best first, without those that the prompt adds
}

// RecentWork is a run, a session or a commit that was recorded lately.
type RecentWork struct {
	ID     string    `json:"id"`               // the end of it, as show takes it
	Time   time.Time `json:"time"`             // when it began
	Title  string    `json:"title"`            // its heading
	Failed string    `json:"failed,omitempty"` // why it failed; absent where it did not
	Denied string    `json:"denied,omitempty"` // what was not permitted; absent where nothing was
	Files  int       `json:"files"`            // how many files it changed
}
