package store

import (
	"time"

	"agentflow/index/rank"
	"agentflow/memory/digest"
	"agentflow/memory/retrieval"
)

// Failing keeps the first error of a transaction. After an error, methods do
// nothing and return zero values; the code that began the transaction checks
// Err at the end.
type Failing interface {
	Err() error
	Fail(err error) // nil is ignored
}

// View is a read transaction. Only one goroutine may use it at a time.
type View interface {
	Failing

	// WillSearch announces a search. A store may enlarge its cache for it.
	WillSearch()
	// Edition changes with every write, except of signatures of files.
	Edition() string
	// Chunks returns the number of documents.
	Chunks() int
	// Count sets how many documents hold each stem, by its hash.
	Count(numbers map[uint32]int)
	// Match returns the documents that match best, with their scores (BM25,
	// higher is better), by id.
	Match(m Match) map[int64]float64
	// Holding returns the newest documents that hold a stem, newest first, at
	// most n.
	Holding(stem string, n int) []int64
	// Load reads documents, in any order, with the cosines of their vectors and
	// q unless that is nil. A missing id is ErrDamaged.
	Load(ids []int64, q []float32) []*rank.Candidate
	// Text returns the stored data of a document's text; ok is false if there
	// are none.
	Text(id int64) (t Text, ok bool)
	// Passing returns those of some documents that pass a filter.
	Passing(ids []int64, f Filter) []int64
	// Entries returns the newest first parts of entries of a period that pass a
	// filter, and the newest hand-written text of the period, at most n of
	// each.
	Entries(p Period, f Filter, n int) []int64
	// Vectors describes the stored vectors.
	Vectors() Vectors
	// Nearest returns up to n documents that pass a filter and have the highest
	// cosines with the unit vector q, best first (see FirstOf). A filter costs
	// no hits. The result may be inexact and miss a neighbour.
	Nearest(q []float32, n int, f Filter) []Neighbour
	// Namespaces returns the namespaces of facts that do not apply to the whole
	// project.
	Namespaces() []string
	// Brought reports whether a file came with the repository and is not
	// accepted.
	Brought() bool
	// History returns blocks (see files.Block) with at least this many of the
	// newest entries, newest block first.
	History(entries int) [][]byte
	// Judgements calls f with all judgements.
	Judgements(f func(Judgement))

	// Listed returns the state of the listing as a whole.
	Listed() Listed
	// Files returns all files by name, without Keys.
	Files() map[string]Known
	// Keys returns the keys of a file's documents, sorted.
	Keys(file int64) []int64
	// Digests calls f with the encoded digests of files, or of all files if ids
	// is nil.
	Digests(ids []int64, f func(id int64, coded []byte) error)
	// Named returns the files that hold an item with one of these names.
	Named(names []digest.Name) []int64
	// Waiting returns the next documents to embed, and the number of all that
	// wait: of those refused least often the newest, at most most(refused) of
	// them.
	Waiting(most func(refused int) int) (list []Waiting, all int)
	// Totals counts files, entries and documents.
	Totals() Totals
}

// Match is a query by words.
type Match struct {
	Terms  []rank.Term // a document needs one of them
	Filter Filter
	// FilesWeight is the weight of a word among a document's files, relative to
	// a word in its title or body.
	FilesWeight float64
	// Scored is how many documents are scored, newest first; -1 means all. The
	// filter applies afterwards.
	Scored int
	Best   int // how many of the best are returned, of equals the newest; -1 means all
	// Promising reduces the scoring of queries without a filter, if two or more
	// words lead to more than twice as many documents as this. Then only the
	// documents are scored that hold the most of the query, by the sum of their
	// terms' IDF: this many, and all that hold as much as the last of them. 0
	// means that all are scored.
	Promising int
	Leads     int // sum over the terms of the documents that hold each
}

// Filter selects the documents to search.
type Filter struct {
	retrieval.Filter
	Namespaced bool     // leave out facts of namespaces that are not in Namespaces
	Namespaces []string // the empty namespace always counts
	Own        bool     // leave out files that came with the repository
	Period     *Period  // in addition to Since and Until
	Commit     string   // only entries with a commit id that begins with it; empty means all
}

// None reports whether every document passes the filter.
func (f Filter) None() bool {
	return f.Filter.None() && !f.Namespaced && !f.Own && f.Period == nil && f.Commit == ""
}

// Period is the time from From until before To. The date of hand-written text
// is a day, stored as midnight UTC; the day is taken to begin at midnight in
// the time zone of the limits.
type Period struct {
	From, To time.Time
	Busy     bool // leave out runs in which nothing happened
}

// Neighbour is a document near a vector.
type Neighbour struct {
	ID     int64
	Cosine float64 // -1 to 1
	Date   int64   // Unix seconds; 0 if undated
	Key    int64   // hash of the document's contents
}

// Text holds the stored data of a document's text: the text itself, or its
// place in the file.
type Text struct {
	Key      int64
	Ordinal  int
	File     string // name of the file
	At, Size int    // offset and size of the text in the file, in bytes
	Text     *string
	Terms    []byte // its stems, packed
	Sum      uint32 // of text and terms
}

// Listed is the state of an index's listing.
type Listed struct {
	Digest   []byte // of names and signatures; empty if unknown
	Embedder string // key of the embedder of the vectors
	Writes   int64  // transactions that changed the contents
	Expires  *int64 // Unix seconds: when the first fact expires
}

// Known is a file as it is indexed.
type Known struct {
	ID      int64
	Sig     []byte  // of its listing; empty: compare the contents next time
	Hash    []byte  // SHA-256 of its contents; empty: read them next time
	Expires *int64  // Unix seconds: when the first of its facts expires; nil means never
	Digest  bool    // its digest is stored
	Keys    []int64 // of its documents, sorted; set only for files that are compared
}

// Expired reports whether a fact of the file has expired since it was indexed.
func (k Known) Expired(now time.Time) bool { return k.Expires != nil && *k.Expires <= now.Unix() }

// Vectors describes the vectors of an index.
type Vectors struct {
	Embedder   string // key of the embedder that made them; "" if there never was one
	Dimensions int    // 0 before the first vector
	Number     int64  // documents with a vector
	Cached     int64  // cached vectors, with or without a document
}

// Totals counts the contents of an index.
type Totals struct {
	Files, Included, Entries, Chunks, Pending int
}
