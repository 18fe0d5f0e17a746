package api

import (
	"agentflow/memory/retrieval"
)

// Recall is the block of memory that a run would put in front of a task.
type Recall struct {
	Block  string                 `json:"block"`            // as the agent gets it; empty when nothing is relevant
	Tokens int                    `json:"tokens"`           // of the block, estimated
	Facts  []RecalledFact         `json:"facts"`            // of MEMORY.md, in the order of the block
	Hits   []retrieval.Hit        `json:"hits"`             // the entries, in the order of the block
	Files  []retrieval.LikelyFile `json:"files"`            // those that the task will likely touch, in the order of the block
	Costs  *RecallCosts           `json:"costs,omitempty"`  // only with --explain
	Unused []UnusedHit            `json:"unused,omitempty"` // the best entries that are not in the block; only with --explain
	Read   []ReadFact             `json:"read,omitempty"`   // facts that are left out, as the agent reads them in a file of its own; only with --explain
}

// ReadFact is a fact that is left out, as the agent reads it in a file of its own.
type ReadFact struct {
	Fact RecalledFact `json:"fact"` // as of facts
	Why  string       `json:"why"`  // which file says it
}

// UnusedHit is an entry that a search for the task finds, and that is not in the
// block.
type UnusedHit struct {
	Hit retrieval.Hit `json:"hit"` // as search has it
	Why string        `json:"why"` // why it is not in the block
}

// RecalledFact is a fact that a block shows for every task: one that a person states, one of
// MEMORY.md, or one of the last days.
type RecalledFact struct {
	ID         string   `json:"id"`                  // empty for text that somebody wrote by hand
	Path       string   `json:"path"`                // relative to the .agentflow folder; "global:…" in the user's own memory
	Line       int      `json:"line"`                // the fact's first, from 1
	Namespace  string   `json:"namespace,omitempty"` // absent where the fact holds in the whole project
	Type       string   `json:"type,omitempty"`      // semantic, episodic or procedural; absent where nobody said
	Importance float64  `json:"importance"`          // 0 to 1; 0 where nobody said
	Tags       []string `json:"tags"`                // its tags
	Pinned     bool     `json:"pinned"`              // it comes before the others
	Standing   bool     `json:"standing"`            // a person states it; such facts come first
	Author     string   `json:"author,omitempty"`    // who shares it; absent for the user's own
	From       string   `json:"from,omitempty"`      // the memory of another program that it is in; absent for AgentFlow's own
	For        string   `json:"for,omitempty"`       // the pattern of files for which it is shown; absent for one that is shown for every task
	Day        string   `json:"day,omitempty"`       // 2026-11-21: when a fact of the last days was said; absent for those of MEMORY.md
	Text       string   `json:"text"`                // redacted
	Evidence   *float64 `json:"evidence,omitempty"`  // how much it shares with the task; only with --explain
	Chance     *float64 `json:"chance,omitempty"`    // that the task needs it, 0 to 1; only with --explain, of facts that people state
}

// RecallCosts says what the parts of a block cost, in tokens.
type RecallCosts struct {
	Facts []int `json:"facts"` // each fact, in their order
	Hits  []int `json:"hits"`  // each hit, in their order
	Frame int   `json:"frame"` // the words around them
}

// Judgement says that something was useless for a run that it was put in front
// of.
type Judgement struct {
	ID    string `json:"id"`    // the judgement's own
	Run   string `json:"run"`   // the run's id
	Hit   int    `json:"hit"`   // its number in the run, from 1
	Entry string `json:"entry"` // id of the useless entry or fact; the place of hand-written text
	Title string `json:"title"` // of the entry or fact
	Known bool   `json:"known"` // it had been noted before
}
