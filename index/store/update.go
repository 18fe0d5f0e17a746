package store

import (
	"agentflow/memory/chunk"
	"agentflow/memory/digest"
)

// Update is a write transaction. Finish writes the changes that it collects.
type Update interface {
	Failing

	// Writes returns how many earlier transactions changed the contents.
	Writes() int64
	// File returns a file as it is indexed, without Keys.
	File(name string) (k Known, ok bool)
	// NoteListing stores a new signature for unchanged contents.
	NoteListing(file int64, sig []byte)
	// Drop removes a file and its documents.
	Drop(name string)
	// Begin starts the update of a file, or of a new file if id is 0. It
	// returns the file's id and the places of its documents by their keys, in
	// order.
	Begin(id int64, f File) (file int64, held map[int64][]Place)
	// Add adds the document of a projected row.
	Add(file int64, r *Row)
	// Move records that a document is at another place in its file. The row
	// supplies the text if the file does not contain it verbatim.
	Move(p Place, r *Row)
	// Remove removes documents.
	Remove(ids []int64)
	// End completes a file.
	End(file int64, e FileEnd)
	// Judge replaces all judgements.
	Judge(list []Judgement)
	// Finish writes the collected changes. listing is the digest of all files,
	// or nil if it is unknown; if only vectors changed, the stored one stays.
	Finish(changed Changed, listing []byte) error

	// Complete stores the vector of a document and reports whether it did: the
	// document must still wait for the vector of the text with this hash.
	Complete(w Waiting) bool
	// Refuse records that one of several texts was refused.
	Refuse(list []Waiting)
}

// File is a file to be indexed.
type File struct {
	Name     string
	Sig      []byte
	Hash     []byte
	Size     int64
	Included bool   // not memory, but other Markdown of the repository
	Author   string // who shared it; empty means that it is the user's own
}

// FileEnd holds the data of a file that are known after all of it was read.
type FileEnd struct {
	Expires *int64 // Unix seconds: when the first of its facts expires; nil means never
	Entries int    // entries with an id, so not hand-written text
	Digest  []byte // summary of the contents: see package digest; nil if the file is not memory
	Names   []digest.Name
}

// Row is one document to be indexed. In a projected row, Title, Body and Files
// are stems separated by spaces.
type Row struct {
	chunk.Chunk
	Key       int64 // hash of everything except the place in the file
	Sum       uint32
	At        int       // offset of its text in the file; -1 if the file does not contain it verbatim
	Subject   string    // its title as written; empty until projected
	Terms     []byte    // sorted 32-bit little-endian hashes of stems; nil until projected
	Embedding Embedding // zero until projected
}

// Apart returns the text of a row if its file does not contain it verbatim, and
// nil otherwise.
func (r *Row) Apart() *string {
	if r.At < 0 {
		return &r.Text
	}
	return nil
}

// Touches reports whether a row is the first part of an entry with a date and
// touched files. The file model learns from those.
func (r *Row) Touches() bool {
	return r.EntryID != "" && r.Source == "" && r.Ordinal == 0 && !r.Date.IsZero() && len(r.Paths) > 0
}

// Place is the place of a document in its file.
type Place struct {
	ID                       int64
	Ordinal, Start, Stop, At int
}

// Embedding holds the text of a document's vector, and the vector if it was
// made before the document is written.
type Embedding struct {
	Text   string
	Hash   []byte // of Text
	Vector []byte // packed; empty if the text has none
	Made   bool
}

// Waiting is a document without a vector.
type Waiting struct {
	ID      int64
	Hash    []byte // of Text
	Text    string
	Refused int
	Cached  bool   // the vector of an equal text is stored by now
	Packed  []byte // its vector
}

// Judgement records that an entry was useless for a task.
type Judgement struct {
	Entry string // in the form of retrieval.Hit.Thing
	Terms []byte // terms of the task, packed
}

// Changed is the kind of change that a transaction made.
type Changed int

// The kinds of change.
const (
	Documents Changed = iota
	Listings          // only signatures of files: the edition stays the same
	VectorsOnly
)
