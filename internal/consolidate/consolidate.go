// Package consolidate keeps memory in order: it plans a change to the Markdown files, and makes
// none. A plan depends only on its input. A second plan over its result at the same time
// changes nothing, byte for byte.
//
// The rules use no model:
//
//   - A fact that an agent stored through a tool (memory.Fact.ByTool) never strikes a fact that
//     a person wrote, edited or pinned, that was imported, or that is in MEMORY.md: both are
//     reported. It adds only its id to a fact of another source. It moves to MEMORY.md only when
//     two or more runs said it. If the number of facts is limited, it is the first to go.
//   - Facts that say the same, apart from case, space, punctuation and articles, are merged. The
//     merged fact keeps the ids and the origins of all.
//   - Of two values of one key in one namespace the newer stays. The older is struck, with a
//     pointer to the newer. supersedes= has the same effect. No rule strikes a pinned fact: it
//     is reported.
//   - A fact that is important, or that several runs said, moves to MEMORY.md. A fact in
//     MEMORY.md that no longer holds, or was not said again for long, moves to archive/facts.md.
//     No number is changed for that: how long a fact stays depends on its importance and on when
//     it was last said.
//   - MEMORY.md stays within the size that agents load. The facts with the least time left move
//     out.
//   - Daily files of a certain age are folded into one file a month.
//   - If the user sets limits, old, unimportant or surplus facts are retired.
//
// A fact stays in MEMORY.md for 450 days after it was last said, times its importance: a year
// for 0.8. The time left also decides which facts move out first. An expired fact is not
// struck, because its date says that it no longer holds. Retention retires it like any other
// fact, and before those that still hold. Facts of a run or a branch age like all facts, and are
// never promoted.
//
// The entries of a month are ordered by day, and each day is as in its files. A daily file that
// is folded later follows the text that its day already has.
//
// A model can be asked about possible pairs (Batches). Its proposals are checked against the
// facts, and then planned as the rules are. A merge must keep every number, name, path,
// condition and negation, and may not add any. Facts that a person wrote or pinned are never
// merged or struck this way. The check compares words: it does not prove that a merged text
// means the same as its facts.
//
// Files of the folder notes are never changed. Text that a person wrote is kept byte for byte, and
// moves only with its daily file. So does a bullet without an id. Facts with the same id and
// different texts, and files that would not read the same after a change, are not changed,
// but reported.
package consolidate

import (
	"time"

	"agentflow/memory"
)

// Options are the limits and ages that the rules use.
type Options struct {
	FoldAfter         time.Duration // minimum age of daily files that are folded; 0: none are
	PromoteRuns       int           // a fact that so many runs said moves to MEMORY.md; 0: no fact does for this reason
	PromoteImportance float64       // a fact that is so important, 0 to 1, moves to MEMORY.md; 0: no fact does for this reason
	MaxFacts          int           // maximum number of facts in a namespace; 0: no limit
	MaxAge            time.Duration // maximum time since a fact was last said; 0: no limit
	MinImportance     float64       // minimum importance, 0 to 1; a fact without one has memory.PlainImportance
	MaxLines          int           // of MEMORY.md; 0: 200
	MaxBytes          int           // of MEMORY.md; 0: 25,000
}

// LoadedLines and LoadedBytes are the limits up to which agents load MEMORY.md.
const (
	LoadedLines = 200
	LoadedBytes = 25_000
)

// Input is the current memory, and how to put it in order.
type Input struct {
	Options
	Files map[string][]byte // contents by name relative to the memory folder
	Now   time.Time         // its location decides which day it is
	// Since excludes facts that were last said before, unless they concern one that was said
	// later. Folding, retention and the size of MEMORY.md always consider everything. Zero
	// means all facts.
	Since     time.Time
	Forgotten func(id string) bool // reports whether an id was forgotten: facts with such an id are not changed. nil: none was
	Merges    []Merge              // Merges and Strikes come from outside the rules, such as from a model, and were checked
	Strikes   []Strike
	Progress  func(files, of int) // called for each pass with the numbers of files read and to read; nil: not called
}

// Merge says that facts say the same in different words.
type Merge struct {
	IDs   []string // two or more; ids other than those of live facts of one namespace are skipped
	Texts []string // the text of each; a merge is skipped if one of them has changed. nil: any text
	Text  string   // the new text of the fact that stays; empty: it does not change
}

// Strike says that one of two facts replaced the other. It is skipped unless both hold in one
// namespace and their texts have not changed.
type Strike struct {
	Keep, Strike string    // ids
	Texts        [2]string // their texts, in this order
}

// Result is the result of a plan.
type Result struct {
	Edits    []memory.FileEdit // the files that change; those that gain facts or entries come first
	Forget   []string          // the ids that leave memory because of retention
	Actions  []Action
	Possible []Possible
	More     int // number of possible findings that are not listed

	revised map[string]bool // the files that rules changed, apart from folding
}

// Kind is the kind of an action.
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

// PossibleKind is a relation that facts may have.
type PossibleKind string

// The kinds of possible findings.
const (
	Contradiction PossibleKind = "contradiction"
	Duplicate     PossibleKind = "duplicate"
)
