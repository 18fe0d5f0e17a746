// Package consolidate keeps memory in order: it plans a change to the Markdown
// files, and makes none. A plan depends on nothing but its input, and a second
// plan over its result at the same time changes nothing, byte for byte.
//
// The rules, none of which asks a model:
//
//   - What an agent stored through a tool (memory.Fact.ByTool) strikes nothing that
//     a person wrote, edited or pinned, that was imported or that stands in
//     MEMORY.md: both are reported. It adds nothing but its id to a fact that comes from
//     elsewhere, moves to MEMORY.md only when two runs or more said it, and
//     makes room first where the number of facts is limited.
//   - Facts that say the same, word for word but for case, space, punctuation
//     and articles, become one. It keeps the ids of all, and where each came
//     from.
//   - Of two values of one key in one namespace the newer stands; the older is
//     struck, with a pointer. supersedes= does the same. A pinned fact is
//     not struck by rule but reported.
//   - A fact that is important, or that several runs said, moves to MEMORY.md. One
//     there that holds no longer, or was not said again for long, moves to
//     archive/facts.md. No number is ever changed for it: how long a fact
//     stays follows from its importance and from when it was last said.
//   - MEMORY.md is kept within what agents load of it. The facts with the least
//     time left make room.
//   - Daily files of a certain age are folded into a file a month.
//   - Where the user wants it, old, unimportant or surplus facts are retired.
//
// A fact stays in MEMORY.md for 450 days after it was last said, times its
// importance: a year for 0.8. The same time left says who makes room first. An
// expired fact is not struck: its date says that it holds no longer. Retention
// retires it as any other, before what still holds; facts of a run or a branch
// age like all, and are never promoted.
//
// Entries of a month stand by days, each day as its files held it; a daily file
// that comes late goes behind what its day has already.
//
// A model can be asked about pairs that are only possible (Batches). Its proposals
// are checked against the facts, and then planned as the rules are: a merge must
// keep, and may not add, any number, name, path, condition or negation, and
// nothing that a person wrote or pinned is merged or struck by it. That a
// merged text reads as its facts did is checked by its words, not understood.
//
// Text that a person wrote is kept byte for byte and is never moved, but with
// the daily file it stands in. So is a bullet without an id. Facts with the
// same id and different texts, and files that would not read the same after a
// change, are left alone and reported.
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
	Since     time.Time
	Forgotten func(id string) bool // which ids were forgotten: a fact with one is left as it stands. nil: none was
	Merges    []Merge              // Merges and Strikes were found beyond the rules, such as by a model, and are checked already
	Strikes   []Strike
	Progress  func(files, of int) // how many files were read of those that are looked at, each time anew; nil: nobody asks
}

// Merge says that facts say the same though their words differ.
type Merge struct {
	IDs   []string // two or more; those that are not live facts of one namespace are passed over
	Texts []string // the text of each; a merge of which one says something else by now is passed over. nil: any
	Text  string   // what the one that stays says from then on; empty: its own words
}

// Strike says that of two facts one replaced the other. It is passed over
// unless both hold in one namespace and say what they said.
type Strike struct {
	Keep, Strike string    // ids
	Texts        [2]string // their texts, in this order
}

// Result is what a plan came to.
type Result struct {
	Edits    []memory.FileEdit // the files that change; those that gain facts or entries come before those that lose them
	Forget   []string          // the ids that leave memory: retention takes them out
	Actions  []Action
	Possible []Possible
	More     int // how many possible ones there are beyond those listed

	revised map[string]bool // the files that rules changed, beside the folding
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
