package memory

import (
	"bytes"
	"unicode/utf8"
)

// force cuts something off buf, whose beginning has no end in sight, and
// returns its length. Fences that nothing closes within buf are taken for
// open where that gives whole entries or sections; else a piece is cut off.
func (s *chunkStream) force() int {
	at := s.at
	at.more, at.force = true, true
	p := newParser(s.whole(), at)
	if n := s.take(p, p.blocks()); n > 0 {
		return n
	}
	if p.opener > 0 && at.open == nil {
		return s.piece(p.l.start[p.opener], nil)
	}
	open := at.open
	if open == nil && p.opener == 0 {
		if f, ok := fenceOf(p.l.at(0), 3); ok {
			open = &openFence{fence: f}
		}
	}
	return s.piece(cutPlace(s.buf, s.undecided(p.l)), open)
}

// undecided is where the last lines of buf begin, of which only what follows
// tells whether an entry or a section begins with them.
func (s *chunkStream) undecided(whole lines) int {
	n := whole.count()
	for i := max(0, n-headingGap-1); i <= n; i++ {
		if at := whole.start[i]; at > len(s.buf)/2 {
			return at
		}
	}
	return len(s.buf)
}

// piece cuts off n bytes as if the file ended behind them. open is the fence
// they are in.
func (s *chunkStream) piece(n int, open *openFence) int {
	at := s.at
	at.open = open
	p := newParser(s.buf[:n:n], at)
	s.take(p, p.blocks())
	s.c.continues = true
	if last := p.doc.Blocks[len(p.doc.Blocks)-1]; last.Entry != nil {
		s.c.path = nil
		s.c.under([]handHeading{{2, last.Entry.heading()}})
	}
	if open != nil {
		s.at.open = &openFence{fence: open.fence, line: -1}
	}
	return n
}

// cutPlace is where to cut in the second half of src[:limit]: behind a
// paragraph, else a line, else a word, else a rune. A word comes with the
// blank before it, so that it begins no heading.
func cutPlace(src []byte, limit int) int {
	from := limit / 2
	half := src[from:limit]
	for _, end := range []string{"\n\n", "\n\r\n", "\n"} {
		if i := bytes.LastIndex(half, []byte(end)); i >= 0 {
			return from + i + len(end)
		}
	}
	for i := limit - 2; i > from; i-- {
		if src[i] == ' ' && (asciiWord(src[i+1]) || src[i+1] >= utf8.RuneSelf) {
			return i
		}
	}
	for i := limit - 1; i > max(0, limit-utf8.UTFMax); i-- {
		if utf8.RuneStart(src[i]) && src[i-1] != '\r' {
			return i
		}
	}
	return limit
}
