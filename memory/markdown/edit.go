package markdown

import (
	"slices"
	"strings"

	"agentflow/memory"
	"agentflow/memory/internal/outline"
)

// Every function here leaves the document as it is and returns the text of the
// file with the edit made. Every byte that the edit does not concern is kept.

// Revision is what becomes of a fact where it stands.
type Revision int

// The revisions of a fact.
const (
	Stays   Revision = iota // byte for byte
	Changes                 // its bullet says another fact from then on
	Goes                    // its bullet is taken out
)

// Revise is the block's text after decide was asked about each of its facts,
// in order. A bullet that changes keeps its indent, its line ending and the
// pairs of its comment that are none of ours.
func (b *Block) Revise(decide func(old *FactAt) (Revision, memory.Fact)) []byte {
	return b.replaced(func(old *FactAt) ([]byte, bool) {
		what, f := decide(old)
		if what == Changes {
			return []byte(rewritten(string(old.Raw), f)), true
		}
		return nil, what == Goes
	})
}

// Replace writes f in place of the facts with this full id, wherever they
// stand: see Revise. found says whether any fact has the id.
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

// Remove takes out the entry or fact with this full id, wherever it stands: an
// entry whole, a fact with its bullet and that bullet's further lines. Where
// nothing has the id as its own, the fact goes into which that one was merged. A
// note goes whole with the last of its facts. ok is false, and rest the whole file, when
// nothing has the id.
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

// RemoveAll takes out the entries and facts whose own ids gone names; facts that
// stay and had taken in one of them no longer say so. ok is false when nothing
// changes.
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

// only reports whether the block is a note that says nothing but facts that go.
func (b *Block) only(goes func(FactAt) bool) bool {
	return b.Entry.Kind == memory.KindNote && len(b.Facts) > 0 && !slices.ContainsFunc(b.Facts, func(f FactAt) bool { return !goes(f) })
}

// MoveBullet is a fact's bullet in another place: one that says f, at the
// start of a line and with a newline at its end, with the pairs that people
// added to the comment of the old one.
func MoveBullet(old []byte, f memory.Fact) []byte {
	text := strings.TrimRight(strings.TrimLeft(string(old), " \t"), "\r\n")
	text = strings.ReplaceAll(text, "\r\n", "\n") + "\n"
	return []byte(withPairs(FormatFact(f), foreignPairs(text, noteKeys...)))
}

// rewritten is a bullet that says f and keeps what people added to old: its
// indent, its line ending and the foreign pairs of its comment.
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

// foreignPairs are the pairs of a bullet's comment that are none of a fact's,
// as they stand, each with a blank after it, except the given ones.
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
