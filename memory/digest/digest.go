// Package digest says in brief what a file of memory holds, so that what is asked of
// all memory needs no file parsed again: how many entries of which kind there are,
// which facts, and by which names something of the file may be asked for.
package digest

import (
	"time"

	"agentflow/memory"
	"agentflow/memory/markdown"
)

// Digest is what a file holds.
type Digest struct {
	Blocks int                 // entries and stretches of text that a person wrote
	Kinds  map[memory.Kind]int // how many entries of each there are
	Facts  []Fact              // those of the newest entry first; struck and expired ones too

	entries string // coded
}

// Entry is what is counted of an entry.
type Entry struct {
	Kind    memory.Kind
	Time    time.Time // in UTC
	Success bool      // of a run: it ended well
	CostUSD float64
}

// Fact is a fact without the text around it.
type Fact struct {
	memory.Fact
	Entry              *memory.Entry // that it stands in, with ID, Kind, Time and Pinned alone; nil in hand-written text
	StartLine, EndLine int           // in the file, 1-based and inclusive
}

// Of is the digest of a file with this name relative to the memory folder.
// Judgements of what was shown say nothing of the project: the feedback file has
// no facts.
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

// Entries are those of the file, the newest first. They are decoded each time: most
// who ask for digests do not ask for them.
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
