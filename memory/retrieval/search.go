// Package retrieval defines queries of memory and what they find: hits, likely files, and the state of
// the commits that a hit names. It is pure. Package index answers the queries.
package retrieval

import (
	"fmt"
	"slices"
	"time"

	"agentflow/memory"
)

// Query is a search of memory.
type Query struct {
	Text   string
	Limit  int // hits wanted; 0 means 5
	Filter Filter
	// Namespaces to search besides the project's: those of the current branch and of the resumed
	// run.
	Namespaces []string
	// Gate drops hits that share too little with the query. Recall sets it. A person's search need
	// not.
	Gate bool
	// Sure also drops hits that are too unlikely to be of use in a prompt. It needs Gate.
	Sure bool
	// Own leaves out files that came with the repository and were not accepted. Recall sets it.
	Own bool
	// Task says that the text is a task to be done: entries about the files that it will likely
	// touch are found too. Recall sets it.
	Task bool
	// Beside says that the text is about more than this memory, so missing words do not count
	// against it. The user's own memory is queried this way.
	Beside bool
	// Files is the maximum number of those files to return; 0 means none.
	Files int
	Now   time.Time // for decay by age
	// Stands reports whether a commit, or one made of it, still exists. It returns false only if
	// the commit is known to be gone. If Stands is nil, no hit is marked.
	Stands func(commit string) bool
	// Exists reports whether the work tree has a path now. Nil means unknown, and then every path
	// counts.
	Exists func(path string) bool
}

// Filter narrows a search. Zero values do not filter.
type Filter struct {
	Since, Until time.Time // entry time, Since inclusive, Until exclusive
	Kind         memory.Kind
	Types        []memory.FactType // the entry has a fact of one of these types
	Tags         []string          // the entry has a fact with each of these tags
	Category     string            // the entry has a fact of this category
	Path         string            // the entry changed this path, or one below it
	Namespace    string            // only facts of this namespace, which is searched too: see TeamNamespace
	Branch       string
	// MinImportance is the least importance, 0 to 1, as in Hit.Importance.
	MinImportance float64
}

// None reports whether the filter selects everything.
func (f Filter) None() bool {
	return f.Since.IsZero() && f.Until.IsZero() && len(f.Types)+len(f.Tags) == 0 && f.MinImportance <= 0 &&
		string(f.Kind)+f.Category+f.Path+f.Branch+f.Namespace == ""
}

// Check returns an error for a filter that no hit can pass. It names the field as requests in JSON do.
func (f Filter) Check() error {
	if f.Kind != "" && !slices.Contains(memory.Kinds, f.Kind) {
		return fmt.Errorf("kind: want run, session, commit or note, have %q", f.Kind)
	}
	for _, t := range f.Types {
		if !t.Known() {
			return fmt.Errorf("type: want semantic, episodic or procedural, have %q", t)
		}
	}
	return CheckShare("min_importance", f.MinImportance)
}

// CheckShare returns an error for a number that is not from 0 to 1. name is the field's.
func CheckShare(name string, x float64) error {
	if !(x >= 0 && x <= 1) { // NaN neither
		return fmt.Errorf("%s: want 0 to 1, have %v", name, x)
	}
	return nil
}

// Hit is one found entry, or one found piece of hand-written text.
type Hit struct {
	Path      string      `json:"path"`       // relative to the memory folder's root: "memory/2026-11-21.md"
	StartLine int         `json:"start_line"` // 1-based, inclusive
	EndLine   int         `json:"end_line"`   // inclusive
	Heading   string      `json:"heading"`    // title of the entry, or headings above the text
	Date      time.Time   `json:"date"`       // zero for undated text
	Commits   []string    `json:"commits"`    // full ids; of rewritten ones those that they are now
	Kind      memory.Kind `json:"kind"`       // empty for hand-written text
	// Score is the chance that the hit is of use, 0 to 1, by a logistic model of what
	// it shares with the query and of the files that it names. 1 where the query names
	// nothing but a date.
	Score float64 `json:"score"`
	// RankScore is what hits are put in order by: higher is better; comparable within
	// one search.
	RankScore  float64 `json:"rank_score"`
	Importance float64 `json:"importance"`            // the highest of its facts' importances, 0 to 1; 0.5 where none has one
	Text       string  `json:"text"`                  // the best chunk, as its file has it: see Chunk.Text; empty where the file has it no longer
	EntryID    string  `json:"id,omitempty"`          // of the entry, or of the fact it is; empty for other text
	Source     string  `json:"source,omitempty"`      // run out of whose entry the fact it is was moved
	Namespace  string  `json:"namespace,omitempty"`   // of the fact it is; empty for what holds in the whole project
	Gone       bool    `json:"not_in_head,omitempty"` // its commits are all gone
	Undone     bool    `json:"undone,omitempty"`      // the run was taken back
	ByTool     bool    `json:"by_tool,omitempty"`     // an agent stored it through a tool, and no person took it over
	Author     string  `json:"author,omitempty"`      // who shared it; empty: it is the user's own
	Repository string  `json:"repository,omitempty"`  // whose memory it is of, by its name on a team's server; empty: of the one that was asked
	Person     string  `json:"person,omitempty"`      // who stored it through a team's server, as that knows them; empty: nobody did
	// FromRepository says that its file came with the repository, and nobody
	// accepted that: it is no memory of the user's.
	FromRepository bool `json:"from_repository,omitempty"`

	// Missing are those of its files that the work tree does not hold.
	Missing []string `json:"-"`
	Origin  *Hit     `json:"-"`                 // the entry of Source, where the query found that too
	Explain *Explain `json:"explain,omitempty"` // with --explain
}

// Explain holds the parts of a score.
type Explain struct {
	BM25       float64  `json:"bm25"`              // the keyword score itself, 0 or more; comparable within one search
	Keyword    float64  `json:"keyword"`           // share of the best keyword score
	Vector     float64  `json:"vector"`            // share of the best vector score
	Decay      float64  `json:"decay"`             // factor for its age
	Importance float64  `json:"importance"`        // factor for its importance
	Judgement  float64  `json:"judgement"`         // 1, or less when it was useless for a task like the query
	Likely     float64  `json:"likely"`            // chance of the likeliest file that it names, 0 to 1
	Known      float64  `json:"known"`             // chance that memory holds what the query is about, 0 to 1: what the gate goes by
	Chance     float64  `json:"chance"`            // that the hit is of use for a task, 0 to 1: what a prompt goes by
	Files      float64  `json:"files"`             // what its paths added: others found name them too, or recent work touched them
	Evidence   float64  `json:"evidence"`          // how much the words tell that it shares with the query
	Mass       float64  `json:"idf_mass"`          // share of the query's idf mass the hit holds
	Title      float64  `json:"title"`             // share of its title that the task holds, by the words' rarity, 0 to 1; only of commits for a prompt
	Terms      []string `json:"terms"`             // the query terms it matched
	Named      []string `json:"named"`             // paths and identifiers the query names
	Commits    []Link   `json:"commits,omitempty"` // those that were rewritten or are gone
}

// LikelyFile is a file that a task will likely touch.
type LikelyFile struct {
	Path string `json:"path"` // relative to the work tree's root, '/' separated
	// Role is what the file is for: source, test, document, log (a change log), tool (a tool
	// writes it) or other, such as settings.
	Role string `json:"role"`
	// Chance is the share that the file has in what the task will touch, 0 to 1,
	// as the file model estimates it.
	Chance float64 `json:"chance"`
	Sure   bool    `json:"sure"` // sure enough to be shown in a prompt
	// Why is what tells most for it, in few words: "defines Expired".
	Why   string             `json:"why"`
	Score float64            `json:"score"`           // comparable within one task
	Parts map[string]float64 `json:"parts,omitempty"` // of the score, by feature, with --explain
}

// Thing returns a name for the subject of a hit that lasts as long as memory holds it. For an
// entry, and for the facts that were moved out of it, it is the entry's id. For other hand-written
// text it is the file and heading, because lines move, or the file and line if there is no heading.
func (h *Hit) Thing() string {
	switch {
	case h.Source != "":
		return h.Source
	case h.EntryID != "":
		return h.EntryID
	case h.Heading == "":
		return fmt.Sprintf("%s:%d", h.Path, h.StartLine)
	}
	return h.Path + "#" + h.Heading
}

// LinkState is the state of a commit that an entry names. Amending, rebasing and squashing replace
// a commit by another. The entry keeps the original id.
type LinkState string

// The states of a commit.
const (
	LinkReachable LinkState = "here"      // it is reachable from HEAD or a branch
	LinkRewritten LinkState = "rewritten" // it lives on as another commit
	LinkGone      LinkState = "gone"      // it is not reachable from any reference, nor is a commit made of it
	LinkUnknown   LinkState = "unknown"   // its state could not be read, as in a shallow clone
)

// Link is a commit of an entry and what became of it.
type Link struct {
	ID    string    `json:"id"`            // full, as the entry has it
	State LinkState `json:"state"`         // here, rewritten, gone or unknown
	Now   string    `json:"now,omitempty"` // full id of the commit it lives on as, when it was rewritten
}
