package store

import (
	"time"

	"agentflow/index/rank"
	"agentflow/memory"
	"agentflow/memory/digest"
)

// Failing keeps the first error of a transaction. After it nothing is asked any more:
// methods return nothing, and whoever began the transaction looks at Err at the end.
type Failing interface {
	Err() error
	Fail(err error) // nil is no failure
}

// View is what one transaction reads. One goroutine uses it at a time.
type View interface {
	Failing

	// WillSearch says that a search comes: a store may keep more in memory for it.
	WillSearch()
	// Edition changes with everything that is written, but for signatures of files.
	Edition() string
	// Chunks is how many documents there are.
	Chunks() int
	// Count fills in how many documents hold each stem, by its hash.
	Count(numbers map[uint32]int)
	// Match returns the documents that match best, with their scores (BM25, higher
	// is better), by id.
	Match(m Match) map[int64]float64
	// Holding returns the newest documents that hold a stem, newest first: n at most.
	Holding(stem string, n int) []int64
	// Load reads documents, in any order, with the cosines of their vectors and q
	// unless that is nil. An id that is not there is ErrDamaged.
	Load(ids []int64, q []float32) []*rank.Candidate
	// Text is what the store has of a document's text; ok is false when it is gone.
	Text(id int64) (t Text, ok bool)
	// Passing are those of some documents that pass a filter.
	Passing(ids []int64, f Filter) []int64
	// Entries returns the newest first parts of entries of a period that pass a
	// filter, and the newest hand-written text of it: n of each at most.
	Entries(p Period, f Filter, n int) []int64
	// Vectors says whose vectors there are.
	Vectors() Vectors
	// Nearest returns up to n documents that pass a filter, of those whose vectors
	// have the highest cosine with the unit vector q, best first (see Sort). A filter
	// costs no hits. It may be inexact: a vector's neighbour may be missed.
	Nearest(q []float32, n int, f Filter) []Neighbour
	// Namespaces are those of facts that do not hold in the whole project.
	Namespaces() []string
	// Brought says whether any file came with the repository and is not accepted.
	Brought() bool
	// History returns blocks (see files.Block) that hold at least so many of the
	// newest entries, the newest block first.
	History(entries int) [][]byte
	// Judgements are all that there are.
	Judgements(f func(Judgement))

	// Listed is what the index says of the files as a whole.
	Listed() Listed
	// Files are all files, without Keys.
	Files() map[string]Known
	// Keys are the keys of a file's documents, sorted.
	Keys(file int64) []int64
	// Digests gives f the coded digests of files; without ids, of all.
	Digests(ids []int64, f func(id int64, coded []byte) error)
	// Named are the files that hold something of one of these names.
	Named(names []digest.Name) []int64
	// Waiting are the next documents to be embedded: of those refused least often
	// the newest, at most as many as most says for how often they were refused.
	Waiting(most func(refused int) int) (list []Waiting, all int)
	// Totals counts what there is.
	Totals() Totals
}

// Match is a question by words.
type Match struct {
	Terms  []rank.Term // one of them is enough
	Filter Filter
	// FilesWeight is what a word among a document's files counts, where one in
	// its title or body counts 1.
	FilesWeight float64
	// Scored is how many documents are scored, the newest of those that match;
	// -1 means all. The filter is asked afterwards.
	Scored int
	Best   int // how many of the best are returned; -1 means all. Of equals the newest
	// Promising: without a filter, where two words or more lead to more than twice
	// as many documents as this, only those documents are scored that hold the most
	// of the query, by the sum of their terms' IDF: as many as this, and all that
	// hold as much as the last of them. 0: all are scored.
	Promising int
	Leads     int // to how many documents the terms lead, those of several terms counted so often
}

// Filter selects the documents to look at.
type Filter struct {
	memory.Filter
	Namespaced bool     // leave out facts of other namespaces than these
	Namespaces []string // the empty one always counts
	Own        bool     // leave out files that came with the repository
	Period     *Period  // in addition to Since and Until
	Commit     string   // only entries with a commit id that begins with it; empty: all
}

// None reports whether the filter lets everything pass.
func (f Filter) None() bool {
	return f.Filter.None() && !f.Namespaced && !f.Own && f.Period == nil && f.Commit == ""
}

// Period is from a time up to another, without that. The date of hand-written text is a
// day, stored as its midnight UTC, and begins when the day begins where the time is.
type Period struct {
	From, To time.Time
	Busy     bool // leave out runs in which nothing happened
}

// Neighbour is a document near a vector.
type Neighbour struct {
	ID     int64
	Cosine float64 // -1 to 1
	Date   int64   // Unix seconds; 0 when undated
	Key    int64   // of the document's contents
}

// Text is what a store has of a document's text: the text itself, or where it stands
// in its file.
type Text struct {
	Key      int64
	Ordinal  int
	File     string // its name
	At, Size int    // bytes of the file that are the text
	Text     *string
	Terms    []byte // its stems, packed
	Sum      uint32 // of text and terms
}

// Listed is what an index says of all files.
type Listed struct {
	Digest   []byte // of names and signatures; empty: not known
	Embedder string // key of whose the vectors are
	Writes   int64  // transactions that changed what the index holds
	Expires  *int64 // Unix seconds: when the first fact holds no longer
}

// Known is a file as the index has it.
type Known struct {
	ID      int64
	Sig     []byte  // of its listing; empty: look at the contents next time
	Hash    []byte  // SHA-256 of its contents; empty: look at them next time
	Expires *int64  // Unix seconds: when the first of its facts holds no longer; nil: never
	Digest  bool    // its digest is known
	Keys    []int64 // of its documents, sorted; only of files that are looked at
}

// Expired says whether a fact of the file has ceased to hold since it was indexed.
func (k Known) Expired(now time.Time) bool { return k.Expires != nil && *k.Expires <= now.Unix() }

// Vectors says whose vectors an index has.
type Vectors struct {
	Embedder   string // key of whose they are; "" before there was one
	Dimensions int    // 0 before the first vector
	Number     int64  // documents that have one
	Cached     int64  // vectors kept, of documents or not
}

// Totals counts what an index holds.
type Totals struct {
	Files, Included, Entries, Chunks, Pending int
}
