package memory

import (
	"strings"
	"unicode/utf8"
)

// longWord is how many bytes without a blank are cut all the same.
const longWord = 256

// breaks are all places where the lines [from, to) may be cut, in order.
func (c *chunker) breaks(from, to int) []breakpoint {
	var list []breakpoint
	k := c.o.index(from)
	for i := from; i < to; {
		e := element{from: i, to: i + 1}
		if k < len(c.o.list) && c.o.list[k].from <= i {
			e = c.o.list[k]
			k++
		}
		if i > from {
			list = append(list, breakpoint{c.l.start[i], c.level(i, e)})
		}
		list = c.inside(list, e)
		i = e.to
	}
	return list
}

// level is how well a text may be cut before line i, where e begins.
func (c *chunker) level(i int, e element) int {
	if e.kind == elementHeading {
		return breakSection
	}
	if c.l.blank(i - 1) {
		return breakParagraph
	}
	line := c.l.at(i)
	if b, ok := bulletOf(line); ok && b.indent < 2 || numberedItem(line) {
		return breakItem
	}
	return breakLine
}

// inside adds the places within an element. A closed fence has none, and a
// table that fits neither; the head of a longer table stays with its first
// row.
func (c *chunker) inside(list []breakpoint, e element) []breakpoint {
	first := e.from
	switch e.kind {
	case elementFence:
		return list
	case elementTable:
		rows := c.l.src[c.l.start[e.from]:c.l.start[e.to]]
		if within(rows, c.max) == len(rows) {
			return list
		}
		first = min(e.from+2, e.to-1)
	}
	for i := e.from; i < e.to; i++ {
		if i > first {
			list = append(list, breakpoint{c.l.start[i], breakLine})
		}
		row := c.l.src[c.l.start[i]:c.l.start[i+1]]
		if e.kind == elementTable && within(row, c.max) == len(row) {
			continue
		}
		list = lineBreaks(list, c.l.at(i), c.l.start[i])
	}
	return list
}

// lineBreaks adds the ends of sentences, words and overlong words of a line
// that begins at offset.
func lineBreaks(list []breakpoint, line string, offset int) []breakpoint {
	last := 0
	ended := false // a Chinese or Japanese sentence has, but for what closes it
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

// endsSentence reports a text before a blank that ends a sentence, perhaps
// within quotation marks or brackets.
func endsSentence(s string) bool {
	for n := 0; n < 2 && s != "" && strings.IndexByte("\"')]*_", s[len(s)-1]) >= 0; n++ {
		s = s[:len(s)-1]
	}
	return s != "" && strings.IndexByte(".!?:;", s[len(s)-1]) >= 0
}

func endsWide(r rune) bool {
	return r == '。' || r == '！' || r == '？' || r == '；' || r == '．' || r == '｡'
}

// closesWide reports what belongs to the sentence before it.
func closesWide(r rune) bool {
	return r >= 0x2000 && (endsWide(r) || strings.ContainsRune("」』）】》〉”’…", r))
}
