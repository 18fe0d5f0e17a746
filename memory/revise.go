package memory

import "strings"

// Fate is what becomes of a fact where it stands.
type Fate int

// The fates of a fact.
const (
	Stays   Fate = iota // byte for byte
	Changes             // its bullet says another fact from then on
	Goes                // its bullet is taken out
)

// Revise is the block's text after decide was asked about each of its facts,
// in order. Every byte outside of the bullets that change or go is kept; what
// changes keeps its indent, its line ending and the pairs of its comment that
// are none of ours. The block itself is not changed.
func (b *Block) Revise(decide func(i int) (Fate, Fact)) []byte {
	l := splitLines(b.Raw)
	var text []byte
	at := 0
	for i, old := range b.Facts {
		fate, f := decide(i)
		if fate == Stays {
			continue
		}
		from, to := l.start[old.StartLine-b.StartLine], l.start[old.EndLine-b.StartLine+1]
		text = append(text, b.Raw[at:from]...)
		if fate == Changes {
			text = append(text, rewritten(string(b.Raw[from:to]), f)...)
		}
		at = to
	}
	return append(text, b.Raw[at:]...)
}

// Bullets are the texts of the block's facts as they stand, in order.
func (b *Block) Bullets() [][]byte {
	l := splitLines(b.Raw)
	list := make([][]byte, len(b.Facts))
	for i, f := range b.Facts {
		list[i] = b.Raw[l.start[f.StartLine-b.StartLine]:l.start[f.EndLine-b.StartLine+1]]
	}
	return list
}

// MoveBullet is a fact's bullet in another place: one that says f, at the
// start of a line and with a newline at its end, with the pairs that people
// added to the comment of the old one.
func MoveBullet(old []byte, f Fact) []byte {
	text := strings.TrimRight(strings.TrimLeft(string(old), " \t"), "\r\n")
	return []byte(rewritten(strings.ReplaceAll(text, "\r\n", "\n")+"\n", f))
}
