package api

import "agentflow/internal/consolidate"

// Consolidation says what consolidation did, or would do.
type Consolidation struct {
	DryRun       bool                `json:"dry_run"`       // nothing was changed
	Changed      bool                `json:"changed"`       // false when there was nothing to do
	Actions      []ConsolidateAction `json:"actions"`       // what was done, or would be, in order
	Forgotten    []string            `json:"forgotten"`     // the ids that leave memory
	Possible     []Possible          `json:"possible"`      // the facts that may say the same or contradict each other; they are left alone
	MorePossible int                 `json:"more_possible"` // counts those beyond the ones listed
	Proposed     int                 `json:"proposed"`      // how many facts were put on the list of 'agentflow review' to be taken out, which a person decides
	Refused      []string            `json:"refused"`       // what a model proposed that must not be done
	CostUSD      float64             `json:"cost_usd"`      // what asking the model cost, in US dollars
	Diff         string              `json:"diff"`          // the change in the unified format. Files are relative to the memory folder; days that are only folded into their month are left out
	Undo         string              `json:"undo"`          // the id with which 'agentflow memory undo' takes the change back; empty where it cannot, or nothing was changed
}

// ConsolidateAction is one thing that consolidation does.
type ConsolidateAction = consolidate.Action

// Possible is a pair or a group of facts that a person may want to look at.
type Possible = consolidate.Possible
