package consolidate

import (
	"time"

	"agentflow/memory"
)

// Options say how memory is kept.
type Options struct {
	FoldAfter         time.Duration // age of the daily files that are folded; 0: none are
	PromoteRuns       int           // said by so many runs, a fact goes to MEMORY.md; 0: none does for that
	PromoteImportance float64       // so important, a fact goes to MEMORY.md, 0 to 1; 0: none does for that
	MaxFacts          int           // facts kept in a namespace; 0: all
	MaxAge            time.Duration // since a fact was last said; 0: for ever
	MinImportance     float64       // 0 to 1; a fact without one has memory.PlainImportance
	MaxLines          int           // of MEMORY.md; 0: 200
	MaxBytes          int           // of MEMORY.md; 0: 25,000
}

// LoadedLines and LoadedBytes are what agents load of MEMORY.md.
const (
	LoadedLines = 200
	LoadedBytes = 25_000
)

// Input is memory as it stands, and how to put it in order.
type Input struct {
	Options
	Files map[string][]byte // contents by name relative to the memory folder
	Now   time.Time         // its location decides which day it is
	// Since leaves facts alone that were said before, unless they concern one
	// that was said later. Folding, retention and the size of MEMORY.md always
	// look at everything. Zero: all facts.
	Since time.Time
	// Forgotten says which ids were forgotten: a fact with one is left as it
	// stands. nil: none was.
	Forgotten func(id string) bool
	// Merges and Strikes were found beyond the rules, such as by a model, and
	// are checked already.
	Merges  []Merge
	Strikes []Strike
}

// Merge says that facts say the same though their words differ.
type Merge struct {
	IDs  []string // two or more; those that are not live facts of one namespace are passed over
	Said []string // the text of each; a merge of which one says something else by now is passed over. nil: any
	Text string   // what the one that stays says from then on; empty: its own words
}

// Strike says that of two facts one replaced the other. It is passed over
// unless both hold in one namespace and say what they said.
type Strike struct {
	Keep, Strike string    // ids
	Said         [2]string // their texts, in this order
}

// Result is what a plan came to.
type Result struct {
	// Edits are the files that change; those that gain facts or entries come
	// before those that lose them.
	Edits []memory.FileEdit
	// Forget are the ids that leave memory: retention takes them out.
	Forget   []string
	Actions  []Action
	Possible []Possible
	// More is how many possible ones there are beyond those listed.
	More int
}

// Kind says what an action does.
type Kind string

// The kinds of actions.
const (
	Merged   Kind = "merged"   // into a fact that says the same
	Doubled  Kind = "doubled"  // a second copy of an id, with the same text, went
	Struck   Kind = "struck"   // another fact took its place
	Promoted Kind = "promoted" // to MEMORY.md
	Lowered  Kind = "lowered"  // out of MEMORY.md: it holds no longer, or was not said for long
	Demoted  Kind = "demoted"  // out of MEMORY.md: there was no room
	Folded   Kind = "folded"   // a daily file, into its month
	Retired  Kind = "retired"  // out of memory
	Left     Kind = "left"     // not done, and why
)

// Action is one thing that a plan does.
type Action struct {
	Kind   Kind   `json:"kind"`   // merged, doubled, struck, promoted, lowered, demoted, folded, retired or left
	ID     string `json:"id"`     // of the fact, or of an entry; empty for a file
	Into   string `json:"into"`   // id of the fact that stands in its place; empty where none does
	File   string `json:"file"`   // where it stood, relative to the memory folder
	To     string `json:"to"`     // the file it stands in then; empty where it stays or goes
	Text   string `json:"text"`   // the fact's, on one line
	Reason string `json:"reason"` // why it is done
}

// Possible is a pair or group that a person may want to look at; no rule acts on
// it.
type Possible struct {
	Kind   PossibleKind `json:"kind"`   // duplicate or contradiction
	IDs    []string     `json:"ids"`    // the facts'
	Texts  []string     `json:"texts"`  // of the facts with these ids, each on one line
	Reason string       `json:"reason"` // why they may be one
}

// PossibleKind says what facts may be to each other.
type PossibleKind string

// The kinds of possible findings.
const (
	Contradiction PossibleKind = "contradiction"
	Duplicate     PossibleKind = "duplicate"
)
