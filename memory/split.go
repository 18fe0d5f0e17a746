package memory

import (
	"sort"
	"strings"
)

// span is a range of bytes of a block.
type span struct{ from, to int }

// breakpoint is where a text may be cut, the better the lower its level.
type breakpoint struct{ at, level int }

const (
	breakSection = iota
	breakParagraph
	breakItem // before an item of a list that is in no other
	breakLine
	breakSentence
	breakWord
)

// lineOf is the line that holds the byte at offset.
func (l lines) lineOf(offset int) int {
	return sort.Search(l.count(), func(i int) bool { return l.start[i+1] > offset })
}

// trim takes blank lines and trailing blanks off both ends of a span, but
// keeps the first line's indentation.
func (l lines) trim(s span) span {
	text := strings.TrimRight(l.src[s.from:s.to], " \t\r\n")
	s.to = s.from + len(text)
	lead := len(text) - len(strings.TrimLeft(text, " \t\r\n"))
	s.from += strings.LastIndexByte(text[:lead], '\n') + 1
	return s
}

// spans cuts the lines [from, to) into pieces of at most c.max tokens.
func (c *chunker) spans(from, to int) []span {
	a, z := c.l.start[from], c.l.start[to]
	if within(c.l.src[a:z], c.max) == z-a {
		return []span{{a, z}}
	}
	breaks := c.breaks(from, to)
	var list []span
	for start := a; start < z; {
		fit := start + within(c.l.src[start:z], c.max)
		if fit == z {
			return append(list, span{start, z})
		}
		b := cut(breaks, start, fit, z)
		list = append(list, span{start, b.at})
		if b.at == z {
			break
		}
		start = c.overlapped(breaks, start, b)
	}
	return list
}

// within is how many bytes of s hold at most n tokens.
func within(s string, n int) int {
	// A rune is at most 1/1.5 of a token, so most texts need no count.
	if len(s) <= n {
		return len(s)
	}
	left := 12 * n // twelfths of a token
	for i, r := range s {
		cost := 3
		if isCJK(r) {
			cost = 8
		}
		if left -= cost; left < 0 {
			return i
		}
	}
	return len(s)
}

// cut chooses where a piece that begins at start ends: at the best
// breakpoint in its second half, else the last that fits, else the first
// that comes.
func cut(breaks []breakpoint, start, fit, end int) breakpoint {
	lo := sort.Search(len(breaks), func(i int) bool { return breaks[i].at > start })
	hi := sort.Search(len(breaks), func(i int) bool { return breaks[i].at > fit })
	if lo == hi {
		if hi < len(breaks) {
			return breaks[hi]
		}
		return breakpoint{end, breakSection}
	}
	best := breaks[hi-1]
	for i := hi - 1; i >= lo && breaks[i].at >= start+(fit-start)/2; i-- {
		if breaks[i].level < best.level {
			best = breaks[i]
		}
	}
	return best
}

// overlapped is where the piece after a cut begins: up to c.overlap tokens
// before it, at a sentence or better if there is one. Sections do not
// overlap.
func (c *chunker) overlapped(breaks []breakpoint, start int, b breakpoint) int {
	if c.overlap == 0 || b.level == breakSection {
		return b.at
	}
	best := b
	left := 12 * c.overlap
	i := sort.Search(len(breaks), func(i int) bool { return breaks[i].at >= b.at })
	at := b.at
	for i--; i >= 0; i-- {
		k := breaks[i]
		// Half of a piece at most is said twice, so that cutting goes on.
		if k.at <= start+(b.at-start)/2 {
			break
		}
		for _, r := range c.l.src[k.at:at] {
			if isCJK(r) {
				left -= 8
			} else {
				left -= 3
			}
		}
		if left < 0 {
			break
		}
		at = k.at
		if best == b || k.level <= max(best.level, breakSentence) {
			best = k
		}
		if k.level == breakSection {
			break
		}
	}
	return best.at
}
