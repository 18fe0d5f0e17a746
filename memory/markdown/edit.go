package markdown

import (
	"bytes"
	"slices"
	"strings"

	"agentflow/memory"
	"agentflow/memory/internal/outline"
)

// The functions in this file do not change the document. They return the edited text of the file,
// and keep every byte outside of the edit.

// Revision is what happens to a fact in its place.
type Revision int

// The revisions of a fact.
const (
	Stays   Revision = iota // it is kept, byte for byte
	Changes                 // its bullet gets another fact
	Goes                    // its bullet is removed
)

// Revise returns the block's text after calling decide for each of its facts, in order. A bullet
// that changes keeps its indent, its line ending and the pairs of its comment that are not ours.
func (b *Block) Revise(decide func(old *FactAt) (Revision, memory.Fact)) []byte {
	return b.replaced(func(old *FactAt) ([]byte, bool) {
		what, f := decide(old)
		if what == Changes {
			return []byte(rewritten(string(old.Raw), f)), true
		}
		return nil, what == Goes
	})
}

// Replace replaces the facts with this full id by f, wherever they are: see Revise. found reports
// whether any fact has the id.
func (d *Document) Replace(id string, f memory.Fact) (text []byte, found bool) {
	text = d.edited(func(b *Block) []byte {
		return b.Revise(func(old *FactAt) (Revision, memory.Fact) {
			if id == "" || old.ID != id {
				return Stays, f
			}
			found = true
			return Changes, f
		})
	})
	return text, found
}

// Remove removes the entry or fact with this full id, wherever it is: a whole entry, or a fact with
// its bullet and the bullet's further lines. If no entry or fact has the id, but a fact with it was
// merged into another, Remove removes that one. If the last fact of a note goes, the whole note
// goes. If nothing has the id, ok is false and rest is the whole file.
func (d *Document) Remove(id string) (rest, removed []byte, ok bool) {
	owned := d.Owns(id)
	goes := func(f FactAt) bool { return f.ID == id || !owned && f.Has(id) }
	rest = d.edited(func(b *Block) []byte {
		if b.Entry != nil && (b.Entry.ID == id && id != "" || b.only(goes)) {
			own, rest := b.Own()
			removed = append(removed, own...)
			return rest
		}
		return b.replaced(func(f *FactAt) ([]byte, bool) {
			if !goes(*f) {
				return nil, false
			}
			removed = append(removed, f.Raw...)
			return nil, true
		})
	})
	return rest, removed, len(removed) > 0
}

// RemoveAll removes the entries and facts whose ids gone selects. From facts that stay, it also
// removes the merged ids that gone selects. ok is false if nothing changes.
func (d *Document) RemoveAll(gone func(id string) bool) (rest []byte, ok bool) {
	goes := func(f FactAt) bool { return f.ID != "" && gone(f.ID) }
	notes := false
	rest = d.edited(func(b *Block) []byte {
		if e := b.Entry; e != nil && (e.ID != "" && gone(e.ID) || b.only(goes)) {
			ok, notes = true, notes || b.IsNote()
			_, rest := b.Own()
			return rest
		}
		return b.Revise(func(old *FactAt) (Revision, memory.Fact) {
			f := old.Fact
			merged := slices.DeleteFunc(slices.Clone(f.Merged), func(o memory.Origin) bool { return gone(o.ID) })
			switch {
			case goes(*old):
				ok = true
				return Goes, f
			case len(merged) < len(f.Merged):
				ok, f.Merged = true, merged
				return Changes, f
			}
			return Stays, f
		})
	})
	if notes {
		rest = WithoutEmptyNotes(rest)
	}
	return rest, ok
}

// only reports whether the block is a note in which all facts go.
func (b *Block) only(goes func(FactAt) bool) bool {
	return b.Entry.Kind == memory.KindNote && len(b.Facts) > 0 && !slices.ContainsFunc(b.Facts, func(f FactAt) bool { return !goes(f) })
}

// MoveBullet returns a fact's bullet for another place. The bullet holds f, begins at the start of
// a line and ends with a newline, and keeps the pairs that people added to the comment of the old
// one.
func MoveBullet(old []byte, f memory.Fact) []byte {
	text := strings.TrimRight(strings.TrimLeft(string(old), " \t"), "\r\n")
	text = strings.ReplaceAll(text, "\r\n", "\n") + "\n"
	return []byte(withPairs(FormatFact(f), foreignPairs(text, noteKeys...)))
}

// rewritten returns a bullet that holds f and keeps the indent, the line ending and the foreign
// pairs of old.
func rewritten(old string, f memory.Fact) string {
	bullet := withPairs(FormatFact(f), foreignPairs(old))
	if b, _ := outline.BulletOf(old); b.Text != unmarked(b.Text) {
		bullet = markFact(bullet)
	}
	if indent := old[:len(old)-len(strings.TrimLeft(old, " \t"))]; indent != "" {
		var b strings.Builder
		for line := range strings.Lines(bullet) {
			if strings.TrimSpace(line) != "" {
				b.WriteString(indent)
			}
			b.WriteString(line)
		}
		bullet = b.String()
	}
	if !strings.HasSuffix(old, "\n") {
		bullet = strings.TrimSuffix(bullet, "\n")
	}
	if first, _, _ := strings.Cut(old, "\n"); strings.HasSuffix(first, "\r") {
		bullet = strings.ReplaceAll(bullet, "\n", "\r\n")
	}
	return bullet
}

// foreignPairs returns the pairs of a bullet's comment that do not belong to a fact, unchanged,
// each with a blank after it, except those with the given keys.
func foreignPairs(bullet string, except ...string) string {
	from, to := factPairs(bullet)
	var b strings.Builder
	for pair := range strings.FieldsSeq(bullet[from:to]) {
		if key, _, _ := strings.Cut(pair, "="); !slices.Contains(factKeys, key) && !slices.Contains(except, key) {
			b.WriteString(pair + " ")
		}
	}
	return b.String()
}

// Without returns text with blank lines in place of the facts that drop selects, so that all other
// lines keep their place. text is a file of memory or a part of one, as in a hit.
func Without(text string, drop func(memory.Fact) bool) string {
	if !bytes.Contains([]byte(text), []byte(commentOpen)) {
		return text // every fact has a comment
	}
	return string(Parse([]byte(text)).edited(func(b *Block) []byte { return b.Blanked(drop) }))
}
