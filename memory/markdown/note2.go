package markdown

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"agentflow/memory"
	"agentflow/memory/internal/outline"
)

// A note of version 2 is a bullet for each of its facts, in the section Notes of its day:
//
//	- Deploys happen on Tuesdays. <!-- id=… type=semantic … note=… noted=… branch=main base=… -->
//
// note is the id of the note, and noted its time.

// NotesHeading is the heading of a day's notes.
const NotesHeading = headingPrefix + secNotes

// noteKeys are the keys of a note in the comment of its fact.
var noteKeys = []string{"note", "noted", "branch", "worktree", "base", "pinned"}

// isNote reports whether an entry can be written as bullets: it says nothing but facts.
func isNote(e memory.Entry) bool {
	if e.Kind != memory.KindNote || e.ID == "" || len(e.Facts) == 0 || slices.ContainsFunc(e.Facts, func(f memory.Fact) bool { return f.ID == "" }) {
		return false
	}
	bare := memory.Entry{ID: e.ID, Kind: e.Kind, Time: e.Time, Branch: e.Branch, Worktree: e.Worktree, Base: e.Base, Pinned: e.Pinned, Facts: e.Facts}
	return string(Format(bare)) == string(Format(e))
}

// isNote reports whether the block is a note of version 2.
func (b *Block) isNote() bool {
	return b.Version == 2 && b.Entry.Kind == memory.KindNote && !bytes.Contains(b.Raw, []byte(commentOpen+entryMark))
}

// own parts the entry from the blank line behind it that belongs to the list of notes.
func (b *Block) own() (own, blank []byte) {
	if !b.isNote() {
		return b.Raw, nil
	}
	last := b.Facts[len(b.Facts)-1]
	end := last.at + len(last.Raw)
	return b.Raw[:end], b.Raw[end:]
}

// AddNote puts the bullets of a note behind the last note of a file. It reports false if
// the file has no notes.
func AddNote(file, bullets []byte) (text []byte, ok bool) {
	blocks := Parse(file).Blocks
	at := len(file)
	for _, b := range slices.Backward(blocks) {
		at -= len(b.Raw)
		if b.isNote() {
			own, _ := b.own()
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

// WithoutEmptyNotes is a file without headings of notes that have no notes.
func WithoutEmptyNotes(file []byte) []byte {
	var text []byte
	blocks := Parse(file).Blocks
	for i, b := range blocks {
		raw := b.Raw
		if followed := i+1 < len(blocks) && blocks[i+1].isNote(); b.Entry == nil && !followed {
			rest := bytes.TrimRight(raw, " \t\r\n")
			if above, ok := bytes.CutSuffix(rest, []byte(NotesHeading)); ok && (len(above) == 0 || above[len(above)-1] == '\n') {
				raw = above
			}
		}
		text = append(text, raw...)
	}
	return text
}

func noteBullets(e memory.Entry) string {
	var b strings.Builder
	var w commentWriter
	w.value("note", e.ID)
	w.pair("noted", encodeValue(e.Time.Format(time.RFC3339), false))
	w.value("branch", e.Branch)
	w.value("worktree", e.Worktree)
	w.value("base", e.Base)
	if e.Pinned {
		w.pair("pinned", "1")
	}
	for _, f := range e.Facts {
		b.WriteString(withPairs(FormatFact(f), w.b.String()))
	}
	return b.String()
}

// withPairs puts more pairs at the end of a bullet's comment.
func withPairs(bullet, pairs string) string {
	first, rest, _ := strings.Cut(bullet, "\n")
	inside, ok := strings.CutSuffix(first, commentClose)
	if !ok || pairs == "" {
		return bullet
	}
	return inside + pairs + commentClose + "\n" + rest
}

// noteAt reads what the comment of the fact on the lines [i, end) says of its note.
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

// note adds the block of the note whose first fact is on the lines [i, end), and returns
// the line behind it.
func (p *parser) note(i, end, limit int, f memory.Fact, meta fields) int {
	b := Block{Version: 2, Entry: &memory.Entry{
		ID: meta.value("note"), Kind: memory.KindNote, Time: timeOf(meta.value("noted")), Pinned: isPinned(meta),
		Branch: meta.value("branch"), Worktree: meta.value("worktree"), Base: meta.value("base"),
	}}
	if b.Entry.Time.IsZero() && meta["noted"] == "" {
		b.Entry.Time = memory.FileTime(f.Created)
	}
	start := i
	for {
		b.Facts = append(b.Facts, p.factAt(start, f, i, end))
		b.Entry.Facts = append(b.Entry.Facts, f)
		if i = end; i == limit {
			break
		}
		mark, ok := outline.BulletOf(p.l.Line(i))
		if !ok {
			break
		}
		if f, end, ok = factAt(p.l, i, limit, mark, false); !ok || f.ID == "" {
			break
		}
		if next, ok := p.noteAt(i, end, mark); !ok || next.value("note") != b.Entry.ID {
			break
		}
	}
	lines := p.block(start, p.blankAfter(i-1, limit))
	b.Raw, b.StartLine, b.EndLine = lines.Raw, lines.StartLine, lines.EndLine
	p.doc.Blocks = append(p.doc.Blocks, b)
	return b.EndLine
}
