package memory

import (
	"path"
	"strings"
	"time"
	"unicode"
)

// text adds the chunks of the current block's hand-written text: a section
// under its headings is never mixed with the next. One that is nothing but
// dates, such as the heading of a daily file, is none: its day is known of
// every other chunk, and it would only be found instead of them.
func (c *chunker) text() {
	var path []handHeading
	n := c.l.count()
	for _, s := range c.sections() {
		for _, h := range s.headings {
			for len(path) > 0 && path[len(path)-1].level >= h.level {
				path = path[:len(path)-1]
			}
			path = append(path, h)
		}
		if !s.words {
			continue
		}
		base := Chunk{Date: c.dateOf(path)}
		names := make([]string, len(path))
		for i, h := range path {
			names[i] = h.text
		}
		base.Heading = strings.Join(names, headingSep)
		base.Title = base.Heading
		facts := c.block.Facts
		for _, sp := range c.spans(s.from, min(s.to, n)) {
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
}

// handBody is the text without heading marks and without our comments.
func (c *chunker) handBody(s span) string {
	var parts []string
	for line := range strings.SplitSeq(c.l.src[s.from:s.to], "\n") {
		line = strings.TrimRight(line, " \t\r")
		if text, _, ok := trailingComment(line); ok {
			line = text
		}
		if _, ok := headingOf(line); ok {
			continue
		}
		parts = append(parts, line)
	}
	return strings.Trim(strings.Join(parts, "\n"), "\n")
}

type handHeading struct {
	level int
	text  string
}

// headingOf reads an ATX heading (CommonMark 0.31, section 4.2).
func headingOf(line string) (handHeading, bool) {
	line = strings.TrimPrefix(line, "\uFEFF")
	rest := strings.TrimLeft(line, "#")
	n := len(line) - len(rest)
	if n < 1 || n > 6 || rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return handHeading{}, false
	}
	return handHeading{n, strings.TrimSpace(strings.TrimRight(strings.TrimSpace(rest), "#"))}, true
}

// section is a stretch of lines with the headings it begins with; headings
// with nothing between them belong together.
type section struct {
	from, to int
	headings []handHeading
	words    bool // something to find: a word or number that is no date heading
}

func (c *chunker) sections() []section {
	n := c.l.count()
	fences := findFences(c.l, 0, n)
	cur := section{}
	var list []section
	bare := true // nothing but headings so far
	for i := 0; i < n; i++ {
		line := c.l.at(i)
		if f, ok := fenceOf(line, 3); ok {
			bare = false
			end := i
			if j, ok := fences.after(f, i, n); ok {
				end = j
			}
			cur.words = cur.words || hasWord(c.l.src[c.l.start[i]:c.l.start[end+1]])
			i = end
			continue
		}
		h, ok := headingOf(line)
		switch {
		case ok && !bare:
			cur.to = i
			list = append(list, cur)
			cur, bare = section{from: i, headings: []handHeading{h}}, true
		case ok:
			cur.headings = append(cur.headings, h)
		case !c.l.blank(i):
			bare = false
		}
		if !cur.words {
			cur.words = hasWord(line) && !(ok && h.isDate())
		}
	}
	cur.to = n
	return append(list, cur)
}

// dateOf is the date of hand-written text: that of the nearest heading that
// has one, else that of a daily file's name, at midnight UTC.
func (c *chunker) dateOf(headings []handHeading) time.Time {
	for i := len(headings) - 1; i >= 0; i-- {
		if t, ok := dateIn(headings[i].text); ok {
			return t
		}
	}
	if t, err := time.Parse(time.DateOnly, strings.TrimSuffix(path.Base(c.file), ".md")); err == nil {
		return t
	}
	return time.Time{}
}

// isDate reports a heading that says a day, with a time perhaps, and nothing
// else.
func (h handHeading) isDate() bool {
	for _, w := range strings.Fields(h.text) {
		if _, err := time.Parse(time.DateOnly, w); err == nil {
			continue
		}
		if _, err := time.Parse("15:04", w); err != nil && hasWord(w) {
			return false
		}
	}
	_, dated := dateIn(h.text)
	return dated
}

func hasWord(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) })
}

// dateIn finds the first YYYY-MM-DD word of a heading.
func dateIn(s string) (time.Time, bool) {
	for _, w := range strings.FieldsFunc(s, func(r rune) bool { return r != '-' && (r < '0' || r > '9') }) {
		if len(w) != len(time.DateOnly) {
			continue
		}
		if t, err := time.Parse(time.DateOnly, w); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}
