package api

import "agentflow/internal/transfer"

// Imported says what an import added, or would add, and what it left out.
type Imported struct {
	Added     []Added         `json:"added"`     // the entries, facts and texts that were added
	Standing  int             `json:"standing"`  // counts those whose id memory held already
	Same      int             `json:"same"`      // counts the facts that memory held with another id
	Forgotten int             `json:"forgotten"` // counts those that were forgotten before, or taken out by hand
	Problems  []ImportProblem `json:"problems"`  // the places that could not be read
	DryRun    bool            `json:"dry_run"`   // nothing was changed
	Undo      string          `json:"undo"`      // the id with which 'agentflow memory undo' takes the import back; empty where it cannot, or nothing was changed
}

// Added is an entry, a fact or a text that an import added.
type Added = transfer.Added

// ImportProblem is a place in an imported file that could not be read.
type ImportProblem = transfer.Problem
