package memory

import (
	"bytes"
	"slices"
)

// Document is a parsed Markdown file of memory.
type Document struct{ Blocks []Block }

// Block is an entry of ours, or a stretch of text that a person wrote. The
// blocks of a document follow each other without a gap.
type Block struct {
	Entry *Entry // nil for hand-written text
	Raw   []byte // as it stands in the file
	// StartLine and EndLine are 1-based and inclusive.
	StartLine, EndLine int
	// Facts of the block: an entry's memories; in hand-written text the
	// bullets that carry a comment with an id.
	Facts []FactAt
}

// FactAt is a fact with its lines in the file, 1-based and inclusive.
type FactAt struct {
	Fact
	StartLine, EndLine int
}

// Bytes is the file, byte for byte as it was parsed.
func (d *Document) Bytes() []byte {
	raw := make([][]byte, len(d.Blocks))
	for i, b := range d.Blocks {
		raw[i] = b.Raw
	}
	return bytes.Join(raw, nil)
}

// Entries are the document's entries in the order they stand.
func (d *Document) Entries() []*Entry {
	var list []*Entry
	for _, b := range d.Blocks {
		if b.Entry != nil {
			list = append(list, b.Entry)
		}
	}
	return list
}

// IDs are the ids of all entries and facts, in the order they stand, each
// fact's followed by those of the facts that were merged into it.
func (d *Document) IDs() []string {
	var ids []string
	for _, b := range d.Blocks {
		if b.Entry != nil && b.Entry.ID != "" {
			ids = append(ids, b.Entry.ID)
		}
		for _, f := range b.Facts {
			ids = append(ids, f.IDs()...)
		}
	}
	return ids
}

// Owns says whether an entry or a fact has this id as its own, rather than as
// that of a fact that was merged into it.
func (d *Document) Owns(id string) bool {
	return slices.ContainsFunc(d.Blocks, func(b Block) bool {
		return b.Entry != nil && b.Entry.ID == id || slices.ContainsFunc(b.Facts, func(f FactAt) bool { return f.ID == id })
	})
}

// Remove takes out what has this full id, wherever it stands: an entry whole,
// or a fact with its bullet and that bullet's further lines; where nothing has
// it as its own, the fact into which that one was merged. A note goes whole
// with the last of its facts. rest is the file without it, removed what was
// taken out; ok is false, and rest the whole file, when nothing has the id.
// The document itself is not changed.
func (d *Document) Remove(id string) (rest, removed []byte, ok bool) {
	own := d.Owns(id)
	goes := func(f FactAt) bool { return f.ID == id || !own && f.Has(id) }
	for _, b := range d.Blocks {
		kept, cut := b.Raw, []byte(nil)
		switch {
		case b.Entry != nil && (b.Entry.ID == id && id != "" || b.only(goes)):
			kept, cut = nil, b.Raw
		case slices.ContainsFunc(b.Facts, goes):
			kept, cut = b.without(goes)
		}
		rest, removed = append(rest, kept...), append(removed, cut...)
		ok = ok || len(cut) > 0
	}
	return rest, removed, ok
}

// RemoveAll takes out the entries and facts whose own ids gone names; facts that
// stay and had taken in one of them no longer say so. ok is false when nothing
// changes.
func (d *Document) RemoveAll(gone func(id string) bool) (rest []byte, ok bool) {
	goes := func(f FactAt) bool { return f.ID != "" && gone(f.ID) }
	for _, b := range d.Blocks {
		if e := b.Entry; e != nil && (e.ID != "" && gone(e.ID) || b.only(goes)) {
			ok = true
			continue
		}
		rest = append(rest, b.Revise(func(i int) (Fate, Fact) {
			f := b.Facts[i]
			merged := slices.DeleteFunc(slices.Clone(f.Merged), func(o Origin) bool { return gone(o.ID) })
			switch {
			case goes(f):
				ok = true
				return Goes, f.Fact
			case len(merged) < len(f.Merged):
				ok, f.Merged = true, merged
				return Changes, f.Fact
			}
			return Stays, f.Fact
		})...)
	}
	return rest, ok
}

// only reports whether the block is a note that says nothing but facts that go.
func (b *Block) only(goes func(FactAt) bool) bool {
	return b.Entry.Kind == KindNote && len(b.Facts) > 0 && !slices.ContainsFunc(b.Facts, func(f FactAt) bool { return !goes(f) })
}

// Liner gives the bytes of some of the block's lines, numbered as in its file
// and inclusive.
func (b *Block) Liner() func(from, to int) []byte {
	l := splitLines(b.Raw)
	return func(from, to int) []byte { return b.Raw[l.start[from-b.StartLine]:l.start[to-b.StartLine+1]] }
}

// without splits the block's lines into those of the facts that go and all
// others.
func (b *Block) without(goes func(FactAt) bool) (kept, gone []byte) {
	l := splitLines(b.Raw)
	at := 0
	for _, f := range b.Facts {
		if !goes(f) {
			continue
		}
		from, to := l.start[f.StartLine-b.StartLine], l.start[f.EndLine-b.StartLine+1]
		kept = append(kept, b.Raw[at:from]...)
		gone = append(gone, b.Raw[from:to]...)
		at = to
	}
	return append(kept, b.Raw[at:]...), gone
}
