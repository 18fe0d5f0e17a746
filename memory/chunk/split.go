package chunk

import (
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"agentflow/memory"
	"agentflow/memory/internal/outline"
	"agentflow/memory/markdown"
)

// breakpoint is a place where a text may be cut. A lower level is better.
type breakpoint struct{ at, level int }

const (
	breakSection = iota
	breakParagraph
	breakItem // before an item of a list that is not nested in another
	breakLine
	breakSentence
	breakWord
)

// spans cuts the lines [from, to) into pieces of at most c.max tokens.
func (c *chunker) spans(from, to int) []span {
	a, z := c.l.Start[from], c.l.Start[to]
	if within(c.l.Src[a:z], c.max) == z-a {
		return []span{{a, z}}
	}
	breaks := c.breaks(from, to)
	var list []span
	for start := a; start < z; {
		fit := start + within(c.l.Src[start:z], c.max)
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

// within returns how many bytes of s hold at most n tokens.
func within(s string, n int) int {
	// A rune is at most 1/1.5 of a token, so most texts need no count.
	if len(s) <= n {
		return len(s)
	}
	left := 12 * n // twelfths of a token
	for i, r := range s {
		if left -= memory.TokenTwelfths(r); left < 0 {
			return i
		}
	}
	return len(s)
}

// cut chooses where a piece that begins at start ends: at the best breakpoint in its second half,
// else at the last that fits, else at the first one after that.
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

// overlapped returns where the piece after a cut begins: up to c.overlap tokens before the cut, at
// the end of a sentence or better if possible. Sections do not overlap.
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
		// At most half of a piece is repeated, so that each cut makes progress.
		if k.at <= start+(b.at-start)/2 {
			break
		}
		for _, r := range c.l.Src[k.at:at] {
			left -= memory.TokenTwelfths(r)
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

// longWord is the number of bytes without a blank from which a word may be cut.
const longWord = 256

// breaks returns all places where the lines [from, to) may be cut, in order.
func (c *chunker) breaks(from, to int) []breakpoint {
	var list []breakpoint
	for e := range c.o.Elements(from, to) {
		if c.isComment(e) { // a piece that begins in it would show data for programs
			for len(list) > 0 && strings.TrimSpace(c.l.Src[list[len(list)-1].at:c.l.Start[e.From]]) == "" {
				list = list[:len(list)-1]
			}
			continue
		}
		if e.From > from {
			list = append(list, breakpoint{c.l.Start[e.From], c.level(e)})
		}
		list = c.inside(list, e)
	}
	return list
}

// isComment reports whether an element is the comment of the entry.
func (c *chunker) isComment(e outline.Element) bool {
	_, _, is := markdown.ReadableLine(c.l.Line(e.From))
	return is && c.block.Entry != nil
}

// level returns how good a cut before an element is.
func (c *chunker) level(e outline.Element) int {
	if e.Kind == outline.HeadingLine {
		return breakSection
	}
	if c.l.Blank(e.From - 1) {
		return breakParagraph
	}
	line := c.l.Line(e.From)
	if b, ok := outline.BulletOf(line); ok && b.Indent < 2 || outline.NumberedItem(line) {
		return breakItem
	}
	return breakLine
}

// inside adds the breakpoints within an element. A closed fence has none, nor has a table that
// fits. The head of a longer table stays with its first row.
func (c *chunker) inside(list []breakpoint, e outline.Element) []breakpoint {
	first := e.From
	switch e.Kind {
	case outline.Code:
		return list
	case outline.Table:
		rows := c.l.Src[c.l.Start[e.From]:c.l.Start[e.To]]
		if within(rows, c.max) == len(rows) {
			return list
		}
		first = min(e.From+2, e.To-1)
	}
	for i := e.From; i < e.To; i++ {
		if i > first {
			list = append(list, breakpoint{c.l.Start[i], breakLine})
		}
		row := c.l.Src[c.l.Start[i]:c.l.Start[i+1]]
		if e.Kind == outline.Table && within(row, c.max) == len(row) {
			continue
		}
		list = lineBreaks(list, c.l.Line(i), c.l.Start[i])
	}
	return list
}

// lineBreaks adds the ends of sentences, words and parts of overlong words in a line that begins at
// offset.
func lineBreaks(list []breakpoint, line string, offset int) []breakpoint {
	list = slices.Grow(list, strings.Count(line, " ")) // copied once for a line of a megabyte
	last := 0
	ended := false // a Chinese or Japanese sentence has ended, except for closing marks
	var before rune
	for i, r := range line {
		switch {
		case before == ' ' && r != ' ' && i > 1:
			level := breakWord
			if endsSentence(line[:i-1]) {
				level = breakSentence
			}
			list = append(list, breakpoint{offset + i, level})
			last, ended = i, false
		case ended && !closesWide(r):
			list = append(list, breakpoint{offset + i, breakSentence})
			last, ended = i, false
		case i-last >= longWord && utf8.RuneStart(line[i]) && before != '\\':
			list = append(list, breakpoint{offset + i, breakWord})
			last = i
		}
		ended = ended || r >= 0x2000 && endsWide(r)
		before = r
	}
	return list
}

// endsSentence reports whether a text before a blank ends a sentence, perhaps within quotation
// marks or brackets.
func endsSentence(s string) bool {
	for n := 0; n < 2 && s != "" && strings.IndexByte("\"')]*_", s[len(s)-1]) >= 0; n++ {
		s = s[:len(s)-1]
	}
	return s != "" && strings.IndexByte(".!?:;", s[len(s)-1]) >= 0
}

func endsWide(r rune) bool {
	return r == '。' || r == '！' || r == '？' || r == '；' || r == '．' || r == '｡'
}

// closesWide reports whether a character belongs to the sentence before it.
func closesWide(r rune) bool {
	return r >= 0x2000 && (endsWide(r) || strings.ContainsRune("」』）】》〉”’…", r))
}
