package api

import "fmt"

// Imported says what an import added, or would add, and what it left out.
type Imported struct {
	// Added are the entries, facts and texts that were added.
	Added []Added `json:"added"`
	// Standing counts those whose id memory held already.
	Standing int `json:"standing"`
	// Same counts the facts that memory held with another id.
	Same int `json:"same"`
	// Forgotten counts those that were forgotten before, or taken out by hand.
	Forgotten int `json:"forgotten"`
	// Problems are the places that could not be read.
	Problems []ImportProblem `json:"problems"`
	// DryRun says that nothing was changed.
	DryRun bool `json:"dry_run"`
}

// Added is an entry, a fact or a text that an import added.
type Added struct {
	// ID is its id; empty for a text.
	ID string `json:"id"`
	// Kind is that of the JSON Lines: fact, run, commit, note or block; or text.
	Kind string `json:"kind"`
	// File is where it stands, relative to the memory folder.
	File string `json:"file"`
	// Text is the fact, or the entry's title.
	Text string `json:"text"`
}

// ImportProblem is a place in an imported file that could not be read.
type ImportProblem struct {
	// File is the name of the file, relative to the folder that was given.
	File string `json:"file"`
	// Line is the line, counted from 1; 0 for the whole file.
	Line int `json:"line"`
	// What says what is wrong with it.
	What string `json:"what"`
}

func (p ImportProblem) String() string {
	if p.Line == 0 {
		return fmt.Sprintf("%s: %s", p.File, p.What)
	}
	return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.What)
}
