package markdown

import (
	"bytes"
	"slices"

	"agentflow/memory"
	"agentflow/memory/internal/outline"
)

// A note of version 2 that holds one fact is a bullet in the section Notes of its day:
//
//	- Deploys happen on Tuesdays. <!-- id=… type=semantic … note=… noted=… branch=main base=… -->
//
// note is the id of the note, and noted its time.

// noteKeys lists a note's keys in the comment of its fact.
var noteKeys = []string{"note", "noted", "branch", "worktree", "base", "pinned"}

// IsNote reports whether the block is a note of version 2.
func (b *Block) IsNote() bool {
	return b.Version == 2 && b.Entry.Kind == memory.KindNote && !bytes.Contains(b.Raw, []byte(commentOpen+entryMark))
}

// Own separates the entry from the blank line after it that belongs to the list of notes.
func (b *Block) Own() (own, blank []byte) {
	if !b.IsNote() {
		return b.Raw, nil
	}
	last := b.Facts[len(b.Facts)-1]
	end := last.at + len(last.Raw)
	return b.Raw[:end], b.Raw[end:]
}

// IsNote reports whether a text is a note as FormatV2 writes it.
func IsNote(text []byte) bool {
	if !bytes.HasPrefix(text, []byte("-")) || !bytes.Contains(text, []byte(" note=")) {
		return false
	}
	blocks := Parse(text).Blocks
	return len(blocks) == 1 && blocks[0].IsNote()
}

// HasNotes reports whether a file has notes of version 2.
func HasNotes(file []byte) bool {
	return bytes.Contains(file, []byte(" note=")) && slices.ContainsFunc(Parse(file).Blocks, func(b Block) bool { return b.IsNote() })
}

// EndsWithNote reports whether a file ends with a note.
func EndsWithNote(file []byte) bool {
	blocks := Parse(file).Blocks
	return len(blocks) > 0 && blocks[len(blocks)-1].IsNote()
}

// AddNote inserts the bullets of a note after the last note of a file. It reports false if the file
// has no notes.
func AddNote(file, bullets []byte) (text []byte, ok bool) {
	blocks := Parse(file).Blocks
	at := len(file)
	for _, b := range slices.Backward(blocks) {
		at -= len(b.Raw)
		if b.IsNote() {
			own, _ := b.Own()
			at += len(own)
			text = slices.Clone(file[:at])
			if !bytes.HasSuffix(text, []byte("\n")) {
				text = append(text, '\n')
			}
			return slices.Concat(text, bytes.TrimRight(bullets, "\r\n"), []byte("\n"), file[at:]), true
		}
	}
	return nil, false
}

// WithoutEmptyNotes returns a file without headings of notes that have no notes.
func WithoutEmptyNotes(file []byte) []byte {
	var text []byte
	blocks := Parse(file).Blocks
	for i, b := range blocks {
		raw := b.Raw
		if followed := i+1 < len(blocks) && blocks[i+1].IsNote(); b.Entry == nil && !followed {
			rest := bytes.TrimRight(raw, " \t\r\n")
			if above, ok := bytes.CutSuffix(rest, []byte(NotesHeading)); ok && (len(above) == 0 || above[len(above)-1] == '\n') {
				raw = above
			}
		}
		text = append(text, raw...)
	}
	return text
}

// noteAt returns the fields of a note in the comment of the fact on the lines [i, end).
func (p *parser) noteAt(i, end int, b outline.Bullet) (fields, bool) {
	if b.Indent != 0 {
		return nil, false
	}
	for ; i < end; i++ {
		if _, f, ok := trailingComment(p.l.Line(i)); ok {
			return f, f["note"] != ""
		}
	}
	return nil, false
}

// note adds the block of the note with the fact on the lines [i, end), and returns the line after
// it.
func (p *parser) note(i, end, limit int, f memory.Fact, meta fields) int {
	b := p.block(i, p.blankAfter(end-1, limit))
	b.Version, b.Facts = 2, []FactAt{p.factAt(i, f, i, end)}
	b.Entry = &memory.Entry{
		ID: meta.value("note"), Kind: memory.KindNote, Time: timeOf(meta.value("noted")), Pinned: isPinned(meta),
		Branch: meta.value("branch"), Worktree: meta.value("worktree"), Base: meta.value("base"), Facts: []memory.Fact{f},
	}
	if meta["noted"] == "" {
		b.Entry.Time = memory.FileTime(f.Created)
	}
	p.doc.Blocks = append(p.doc.Blocks, b)
	return b.EndLine
}
