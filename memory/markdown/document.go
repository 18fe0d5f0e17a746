package markdown

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"agentflow/memory"
	"agentflow/memory/internal/outline"
)

// Document is a parsed Markdown file of memory.
type Document struct{ Blocks []Block }

// Block is an entry of ours, or a stretch of hand-written text. The blocks of a document follow
// each other without a gap.
type Block struct {
	Entry *memory.Entry // nil for hand-written text
	Raw   []byte        // as in the file
	// StartLine and EndLine are 1-based and inclusive.
	StartLine, EndLine int
	// Facts of the block: those of an entry or, in hand-written text, the bullets with a comment
	// that has an id.
	Facts []FactAt

	// Version is the version of an entry's layout: 1 or 2. It is 0 for hand-written text.
	Version int
}

// FactAt is a fact with its place in a file.
type FactAt struct {
	memory.Fact
	StartLine, EndLine int    // in the file, 1-based and inclusive
	Raw                []byte // its bullet as in the file
	at                 int    // where Raw begins in the block
}

// LastLine returns the last line of the block that is not blank: the end of the lines that readers
// are shown.
func (b *Block) LastLine() int {
	trailing := b.Raw[len(bytes.TrimRight(b.Raw, " \t\r\n")):]
	blank := bytes.Count(trailing, []byte("\n"))
	if blank > 0 {
		blank-- // it ends the last line
	}
	return max(b.StartLine, b.EndLine-blank)
}

// Formatted returns the entry as it is written in its version.
func (b *Block) Formatted() []byte {
	if b.Version == 2 {
		return FormatV2(*b.Entry)
	}
	return Format(*b.Entry)
}

// V1 returns the block in version 1. Text that a person added to an entry is moved to its end.
func (b *Block) V1() []byte {
	if b.Version != 2 {
		return b.Raw
	}
	text := Format(*b.Entry)
	if b.Entry.Extra == "" {
		return text
	}
	end := bytes.LastIndex(text, []byte(entryEnd+"\n"))
	extra := "  " + strings.ReplaceAll(b.Entry.Extra, "\n", "\n  ") + "\n\n"
	return slices.Concat(text[:end], []byte(extra), text[end:])
}

// Bytes returns the file, byte for byte as it was parsed.
func (d *Document) Bytes() []byte { return d.edited(func(b *Block) []byte { return b.Raw }) }

// edited returns the file with the text of edit in place of each block.
func (d *Document) edited(edit func(b *Block) []byte) []byte {
	var text []byte
	for i := range d.Blocks {
		text = append(text, edit(&d.Blocks[i])...)
	}
	return text
}

// Entries returns the document's entries in order.
func (d *Document) Entries() []*memory.Entry {
	var list []*memory.Entry
	for _, b := range d.Blocks {
		if b.Entry != nil {
			list = append(list, b.Entry)
		}
	}
	return list
}

// Facts returns the document's facts in order.
func (d *Document) Facts() []FactAt {
	var list []FactAt
	for _, b := range d.Blocks {
		list = append(list, b.Facts...)
	}
	return list
}

// IDs returns the ids of all entries and facts in order. The id of a fact is followed by those of
// the facts that were merged into it.
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

// Owns reports whether an entry or a fact has this id. The id of a fact that was merged into
// another does not count.
func (d *Document) Owns(id string) bool {
	return slices.ContainsFunc(d.Blocks, func(b Block) bool {
		return b.Entry != nil && b.Entry.ID == id || slices.ContainsFunc(b.Facts, func(f FactAt) bool { return f.ID == id })
	})
}

// Pinned reports whether all entries and facts with this id are pinned. It returns false if there
// are none.
func (d *Document) Pinned(id string) bool {
	found := false
	for _, b := range d.Blocks {
		if b.Entry != nil && b.Entry.ID == id {
			if found = true; !b.Entry.Pinned {
				return false
			}
		}
		for _, f := range b.Facts {
			if f.ID == id {
				if found = true; !f.Pinned() {
					return false
				}
			}
		}
	}
	return found
}

// Heading is a heading of hand-written text.
type Heading struct {
	outline.Heading
	Line int // 1-based, in the file
}

// Headings returns the headings of a block of hand-written text, in order. first says that the
// block begins its file. A line in a code fence is not a heading.
func (b *Block) Headings(first bool) []Heading {
	if b.Entry != nil {
		return nil
	}
	l := outline.Split(b.Raw)
	o := outline.Of(l, 0, l.Count(), first)
	var list []Heading
	for e := range o.Elements(0, l.Count()) {
		if e.Kind == outline.HeadingLine {
			list = append(list, Heading{e.Heading, b.StartLine + e.From})
		}
	}
	return list
}

// Blanked returns the block's text with blank lines in place of the facts that drop selects.
func (b *Block) Blanked(drop func(memory.Fact) bool) []byte {
	return b.replaced(func(f *FactAt) ([]byte, bool) {
		return bytes.Repeat([]byte{'\n'}, bytes.Count(f.Raw, []byte{'\n'})), drop(f.Fact)
	})
}

// replaced returns the block's text with the bullets that edit changed.
func (b *Block) replaced(edit func(f *FactAt) (text []byte, changed bool)) []byte {
	var text []byte
	at := 0
	for i := range b.Facts {
		f := &b.Facts[i]
		if bullet, changed := edit(f); changed {
			text = append(append(text, b.Raw[at:f.at]...), bullet...)
			at = f.at + len(f.Raw)
		}
	}
	if at == 0 {
		return b.Raw
	}
	return append(text, b.Raw[at:]...)
}

// NewestFirst returns the blocks in the reverse of their order in the file. It sorts entries by
// their time and id, because an entry that was written late, after a crash, comes after newer ones
// in the file. Hand-written blocks, which have neither, come last. Of the entries of one second,
// commits come first. They stay in the order of the file, which is that of their history, because
// their ids are computed from hashes and have no order.
func (d *Document) NewestFirst() []Block {
	blocks := slices.Clone(d.Blocks)
	slices.Reverse(blocks)
	slices.SortStableFunc(blocks, func(a, b Block) int {
		switch {
		case a.Entry != nil && b.Entry != nil:
			return cmp.Or(b.Entry.Time.Compare(a.Entry.Time), laterID(b.Entry, a.Entry))
		case a.Entry != nil:
			return -1
		case b.Entry != nil:
			return 1
		}
		return 0
	})
	return blocks
}

// laterID compares the ids of two entries of one second.
func laterID(a, b *memory.Entry) int {
	switch ofA, ofB := a.Kind == memory.KindCommit, b.Kind == memory.KindCommit; {
	case ofA && ofB:
		return 0
	case ofA:
		return 1
	case ofB:
		return -1
	}
	return strings.Compare(a.ID, b.ID)
}
