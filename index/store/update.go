package store

import (
	"agentflow/memory/chunk"
	"agentflow/memory/digest"
)

// Update is one transaction that writes. What it gathers is written by Finish.
type Update interface {
	Failing

	// Writes is how many transactions changed what the index holds, before this.
	Writes() int64
	// File is a file as the index has it, without Keys.
	File(name string) (k Known, ok bool)
	// NoteListing notes a new signature of unchanged contents.
	NoteListing(file int64, sig []byte)
	// Drop removes a file and its documents.
	Drop(name string)
	// Begin takes up a file, a new one when id is 0: returned are its id and the
	// places of its documents, by their keys, in order.
	Begin(id int64, f File) (file int64, held map[int64][]Place)
	// Add adds a document of a projected row.
	Add(file int64, r *Row)
	// Move notes that a document stands elsewhere in its file. text is nil when it
	// stands there as it is.
	Move(p Place, r *Row)
	// Remove removes documents.
	Remove(ids []int64)
	// End completes a file.
	End(file int64, e FileEnd)
	// Judge replaces all judgements.
	Judge(list []Judgement)
	// Finish writes what was gathered, of what changed. listing is the digest of all
	// files, nil when that is not known; where vectors alone changed it stays.
	Finish(changed Changed, listing []byte) error

	// Complete gives a document that still waits for it its vector, which is made of
	// the hash's text, and says whether it did.
	Complete(w Waiting) bool
	// Refuse notes that one of several texts was refused.
	Refuse(list []Waiting)
}

// File is a file that is taken up.
type File struct {
	Name     string
	Sig      []byte
	Hash     []byte
	Size     int64
	Included bool   // no memory of ours, but other Markdown of the repository
	Author   string // who shared it; empty: the user's own
}

// FileEnd is what is known of a file when all of it was read.
type FileEnd struct {
	Expires *int64 // Unix seconds: when the first of its facts holds no longer; nil: never
	Entries int    // with an id; hand-written text has none
	Digest  []byte // what it holds in brief: see package digest; nil: it is no memory
	Names   []digest.Name
}

// Row is one document on its way into the index. Projected, its Title, Body and Files
// are stems with blanks between.
type Row struct {
	chunk.Chunk
	Key       int64 // of all but the place in the file
	Sum       uint32
	At        int       // byte of the file that its text begins at; -1: it does not stand there so
	Subject   string    // its title as it stands; empty until projected
	Terms     []byte    // sorted 32-bit little-endian hashes of stems; nil until projected
	Embedding Embedding // zero until projected
}

// Apart is the text of a row that does not stand in its file so; else nil.
func (r *Row) Apart() *string {
	if r.At < 0 {
		return &r.Text
	}
	return nil
}

// Touches says whether a row is the beginning of an entry that says which files it
// touched, and when: the file model learns from those.
func (r *Row) Touches() bool {
	return r.EntryID != "" && r.Source == "" && r.Ordinal == 0 && !r.Date.IsZero() && len(r.Paths) > 0
}

// Place is where a document stands in its file.
type Place struct {
	ID                       int64
	Ordinal, Start, Stop, At int
}

// Embedding is what a document's vector is made of, and the vector when it was made
// before the document is written.
type Embedding struct {
	Text   string
	Hash   []byte // of Text
	Vector []byte // packed; empty when the text has none
	Made   bool
}

// Waiting is a document without a vector.
type Waiting struct {
	ID      int64
	Hash    []byte // of Text
	Text    string
	Refused int
	Cached  bool   // its vector is there by now, of the same text elsewhere
	Packed  []byte // its vector
}

// Judgement says that an entry was useless for a task.
type Judgement struct {
	Entry string // as memory.Hit.Thing names it
	Terms []byte // of the task, packed
}

// Changed says what a transaction changed.
type Changed int

// What a transaction changed.
const (
	Documents Changed = iota
	Listings          // signatures of files alone: no edition begins
	VectorsOnly
)
