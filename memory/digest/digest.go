// Package digest summarises a file of memory, so that questions about all of memory do not parse
// every file again: how many entries of each kind it has, which facts, and by which names its
// contents may be looked up.
package digest

import (
	"time"

	"agentflow/memory"
	"agentflow/memory/markdown"
)

// Digest summarises a file.
type Digest struct {
	Blocks int                 // entries and stretches of hand-written text
	Kinds  map[memory.Kind]int // number of entries of each kind
	Facts  []Fact              // those of the newest entry first; includes struck and expired ones

	entries string // encoded
}

// Entry holds the figures of an entry.
type Entry struct {
	Kind    memory.Kind
	Time    time.Time // in UTC
	Success bool      // for a run: it ended well
	CostUSD float64
}

// Fact is a fact without the text around it.
type Fact struct {
	memory.Fact
	Entry              *memory.Entry // the entry that holds it, with only ID, Kind, Time and Pinned; nil in hand-written text
	StartLine, EndLine int           // in the file, 1-based and inclusive
}

// Of returns the digest of a file with this name relative to the memory folder. The feedback file
// has no facts, because judgements are not about the project.
func Of(name string, doc *markdown.Document) *Digest {
	d := &Digest{Blocks: len(doc.Blocks), Kinds: map[memory.Kind]int{}}
	var entries []Entry
	for _, b := range doc.NewestFirst() {
		var within *memory.Entry
		if e := b.Entry; e != nil {
			d.Kinds[e.Kind]++
			entries = append(entries, entryOf(e))
			within = &memory.Entry{ID: e.ID, Kind: e.Kind, Time: e.Time, Pinned: e.Pinned}
		}
		if name == memory.FeedbackFile {
			continue
		}
		for _, at := range b.Facts {
			d.Facts = append(d.Facts, Fact{at.Fact, within, at.StartLine, at.EndLine})
		}
	}
	w := &writer{}
	list(w, &entries, func(e *Entry) { e.code(w) })
	d.entries = string(w.b)
	return d
}

// Entries returns the entries of the file, the newest first. It decodes them each time, because
// most callers do not need them.
func (d *Digest) Entries() []Entry {
	r := &reader{rest: d.entries}
	var entries []Entry
	list(r, &entries, func(e *Entry) { e.code(r) })
	return entries
}

func entryOf(e *memory.Entry) Entry {
	of := Entry{Kind: e.Kind, Time: e.Time.UTC()}
	if e.Result != nil {
		of.Success, of.CostUSD = e.Result.Success, e.Result.CostUSD
	}
	return of
}
