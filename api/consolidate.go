package api

// Consolidation says what consolidation did, or would do.
type Consolidation struct {
	// DryRun says that nothing was changed.
	DryRun bool `json:"dry_run"`
	// Changed is false when there was nothing to do.
	Changed bool `json:"changed"`
	// Actions are what was done, or would be, in order.
	Actions []ConsolidateAction `json:"actions"`
	// Forgotten are the ids that leave memory.
	Forgotten []string `json:"forgotten"`
	// Possible are the facts that may say the same or contradict each other. They are left alone.
	Possible []Possible `json:"possible"`
	// MorePossible counts those beyond the ones listed.
	MorePossible int `json:"more_possible"`
	// Refused says what a model proposed that must not be done.
	Refused []string `json:"refused"`
	// CostUSD is what asking the model cost, in US dollars.
	CostUSD float64 `json:"cost_usd"`
	// Diff is the change in the unified format. Files are relative to the
	// memory folder; days that are only folded into their month are left out.
	Diff string `json:"diff"`
}

// ConsolidateAction is one thing that consolidation does.
type ConsolidateAction struct {
	// Kind is merged, doubled, struck, promoted, lowered, demoted, folded, retired or left.
	Kind string `json:"kind"`
	// ID is that of the fact or the entry; empty for a file.
	ID string `json:"id"`
	// Into is the id of the fact that stands in its place; empty where none does.
	Into string `json:"into"`
	// File is where it stood, relative to the memory folder.
	File string `json:"file"`
	// To is the file it stands in then; empty when it stays or goes.
	To string `json:"to"`
	// Text is the fact on one line.
	Text string `json:"text"`
	// Reason says why.
	Reason string `json:"reason"`
}

// Possible is a pair or a group of facts that a person may want to look at.
type Possible struct {
	// Kind is duplicate or contradiction.
	Kind string `json:"kind"`
	// IDs are the facts'.
	IDs []string `json:"ids"`
	// Texts are those of the facts with these ids, each on one line.
	Texts []string `json:"texts"`
	// Reason says why they may be one.
	Reason string `json:"reason"`
}
