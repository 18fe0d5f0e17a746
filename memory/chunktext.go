package memory

import (
	"path"
	"slices"
	"strings"
	"time"
	"unicode"
)

// text adds the chunks of the current block's hand-written text: a section
// under its headings is never mixed with the next. One that is nothing but
// dates, such as the heading of a daily file, is none: its day is known of
// every other chunk, and it would only be found instead of them.
func (c *chunker) text() {
	n := c.l.count()
	c.o = outlineOf(c.whole, 0, n, textPlace{first: c.begins})
	if c.begins {
		c.front = c.o.front
	}
	c.path = nil
	if c.front.title != "" {
		c.under([]handHeading{{1, c.front.title}})
	}
	for _, s := range c.o.sections(c.whole, 0, n) {
		c.under(s.headings)
		if c.says(s) {
			c.section(s)
		}
		if end := c.block.StartLine + s.to; len(c.apart) > 0 && c.apart[0].StartLine < end {
			c.texts = c.own(c.base(s), c.texts, end)
		}
	}
}

// under goes to the place in the text that the headings lead to.
func (c *chunker) under(headings []handHeading) {
	for _, h := range headings {
		for len(c.path) > 0 && c.path[len(c.path)-1].level >= h.level {
			c.path = c.path[:len(c.path)-1]
		}
		day, dated := dateIn(h.text)
		c.path = append(c.path, pathHeading{h, day, dated})
	}
}

// pathHeading is a heading that a text stands under, with its date.
type pathHeading struct {
	handHeading
	day   time.Time
	dated bool
}

// section adds the chunks of one section. What its lines say of it, all of
// them know; facts are known where they stand.
func (c *chunker) section(s section) {
	base := c.base(s)
	facts := c.facts
	for _, sp := range c.spans(s.from, s.to) {
		k := base
		k.Ordinal = c.texts
		first := c.block.StartLine + c.l.lineOf(sp.from)
		last := c.block.StartLine + c.l.lineOf(sp.to-1)
		for len(facts) > 0 && facts[0].EndLine < first {
			facts = facts[1:]
		}
		end := 0
		for end < len(facts) && facts[end].StartLine <= last {
			end++
		}
		k.know(facts[:end], c.file)
		k.Body = c.handBody(sp)
		if c.add(k, sp) {
			c.texts++
		}
	}
}

// base is what all chunks of a section have in common.
func (c *chunker) base(s section) Chunk {
	m := handMeta{tags: slices.Clone(c.front.tags)}
	for i := s.from; i < s.to; {
		e, ok := c.o.of(i)
		if !ok {
			m.line(visible(c.l.at(i)))
			i++
			continue
		}
		if e.kind == elementTable {
			for ; i < e.to; i++ {
				m.line(visible(c.l.at(i)))
			}
		}
		i = e.to
	}
	names := make([]string, len(c.path))
	for i, h := range c.path {
		names[i] = h.text
	}
	heading := strings.Join(names, headingSep)
	return Chunk{
		Date: c.dateOf(), Heading: heading, Title: heading,
		Tags: slices.Clip(m.tags), Commits: m.commits, Paths: m.paths, Types: slices.Clip(m.types), Branch: m.branch,
	}
}

// handBody is the text without headings, without HTML comments, and without
// what draws them. A table that goes on from the chunk before is headed again.
func (c *chunker) handBody(s span) string {
	var parts []string
	first, last := c.l.lineOf(s.from), c.l.lineOf(s.to-1)
	k := c.o.index(first)
	for i := first; i <= last; i++ {
		for k < len(c.o.list) && c.o.list[k].to <= i {
			k++
		}
		line := strings.TrimSuffix(c.l.src[max(s.from, c.l.start[i]):min(s.to, c.l.start[i+1])], "\n")
		line = strings.TrimRight(line, " \t\r")
		if k < len(c.o.list) && c.o.list[k].from <= i {
			switch e := c.o.list[k]; e.kind {
			case elementHeading, elementComment, elementFront:
				continue
			case elementFence:
				parts = append(parts, line)
				continue
			case elementTable:
				if i == first && i > e.from+1 {
					parts = append(parts, c.l.at(e.from))
				}
			}
		}
		if text, _, ok := trailingComment(line); ok {
			line = text
		}
		parts = append(parts, strings.TrimRight(visible(line), " \t"))
	}
	return strings.Trim(strings.Join(parts, "\n"), "\n")
}

// section is a stretch of lines with the headings it begins with; headings
// with nothing between them belong together.
type section struct {
	from, to int
	headings []handHeading
	words    bool // something to find: a word or number that is no date heading
}

// sections cuts the lines [from, to), front matter left out.
func (o *outline) sections(l lines, from, to int) []section {
	k := 0
	if len(o.list) > 0 && o.list[0].kind == elementFront {
		k, from = 1, o.list[0].to
	}
	cur := section{from: from}
	var list []section
	bare := true // nothing but headings so far
	for i := from; i < to; {
		e := element{from: i, to: i + 1, kind: elementText}
		if k < len(o.list) && o.list[k].from == i {
			e = o.list[k]
			k++
		}
		if e.kind == elementHeading {
			if !bare {
				cur.to = i
				list = append(list, cur)
				cur, bare = section{from: i}, true
			}
			cur.headings = append(cur.headings, e.heading)
		} else if e.kind != elementComment && !l.blank(i) {
			bare = false
		}
		cur.words = cur.words || e.words(l)
		i = e.to
	}
	cur.to = to
	return append(list, cur)
}

// words reports whether the element has something to find.
func (e element) words(l lines) bool {
	switch e.kind {
	case elementHeading:
		return hasWord(e.heading.text) && !e.heading.isDate()
	case elementComment, elementFront:
		return false
	case elementText:
		return hasWord(visible(l.at(e.from)))
	}
	return hasWord(l.src[l.start[e.from]:l.start[e.to]])
}

// dateOf is the date of hand-written text: that of the nearest heading that
// has one, else that of the front matter, else the one that the file's name is
// or begins with, at midnight UTC.
func (c *chunker) dateOf() time.Time {
	for i := len(c.path) - 1; i >= 0; i-- {
		if c.path[i].dated {
			return c.path[i].day
		}
	}
	if !c.front.date.IsZero() {
		return c.front.date
	}
	if t, err := time.Parse(time.DateOnly, strings.TrimSuffix(path.Base(c.file), ".md")); err == nil {
		return t
	}
	return slugDate(c.file)
}

func hasWord(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) })
}
