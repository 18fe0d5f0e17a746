package chunk

import (
	"slices"
	"sort"
	"strings"

	"agentflow/memory/internal/outline"
	"agentflow/memory/markdown"
)

// text adds the chunks of the current block's hand-written text: a section
// under its headings is never mixed with the next. A section of nothing but
// dates, such as the heading of a daily file, is in no chunk: its day is known
// of every other chunk, and it would only be found instead of them.
func (c *chunker) text() {
	var sections func(func(outline.Section) bool)
	c.o, sections = c.reader.Read(c.whole, c.first)
	for s := range sections {
		if c.says(s) {
			c.section(s)
		}
		if end := c.block.StartLine + s.To; len(c.apart) > 0 && c.apart[0].StartLine < end {
			c.texts = c.addApart(c.base(s), c.texts, end)
		}
	}
}

// section adds the chunks of one section. All of them know what its lines say
// of it; facts are known where they stand.
func (c *chunker) section(s outline.Section) {
	base := c.base(s)
	facts := c.facts
	for _, sp := range c.spans(s.From, s.To) {
		k := base
		k.Ordinal = c.texts
		first := c.block.StartLine + lineOf(c.l, sp.from)
		last := c.block.StartLine + lineOf(c.l, sp.to-1)
		for len(facts) > 0 && facts[0].EndLine < first {
			facts = facts[1:]
		}
		end := 0
		for end < len(facts) && facts[end].StartLine <= last {
			end++
		}
		k.takeFacts(facts[:end], c.file)
		k.Body = c.body(sp)
		if sp.from > c.l.Start[s.From] {
			k.Heading = c.under(k.Heading, first)
		}
		if c.add(k, sp) {
			c.texts++
		}
	}
}

// noteHead is the head of the note of a block that was asked for last: a long note is read
// once, and not for each of its chunks.
type noteHead struct {
	note  int // its place among the notes
	lines int
	under []string
}

// aboveIn returns what a line of a note stands under, as markdown.Note.Above does.
func (c *chunker) aboveIn(n markdown.Note, at, line int) []string {
	if line <= n.StartLine {
		return n.Within
	}
	if c.head.note != at {
		c.head.note = at
		c.head.lines, c.head.under = n.Head()
	}
	if line < n.StartLine+c.head.lines {
		return n.Within
	}
	return c.head.under
}

// under is a heading with what else a line of hand-written text stands under, such as
// "Avoid:" before a list: a piece that begins within the list does not show it.
func (c *chunker) under(heading string, line int) string {
	if c.block.Entry != nil {
		return heading
	}
	notes := c.notes()
	at := sort.Search(len(notes), func(i int) bool { return notes[i].EndLine >= line })
	if at == len(notes) || notes[at].StartLine > line {
		return heading
	}
	for _, above := range c.aboveIn(notes[at], at, line) {
		heading = strings.TrimPrefix(heading+headingSep+above, headingSep)
	}
	return heading
}

// base is what all chunks of a section have in common.
func (c *chunker) base(s outline.Section) Chunk {
	about := c.reader.About(c.l, c.o, s)
	heading := strings.Join(c.reader.Path(), headingSep)
	return Chunk{
		Date: c.reader.Date(), Heading: heading, Title: heading,
		Tags: slices.Clip(about.Tags), Commits: about.Commits, Paths: about.Paths, Types: slices.Clip(about.Types), Branch: about.Branch,
	}
}

// body is the text without headings and the lines that underline them, and
// without HTML comments. A table that goes on from the chunk before is headed again.
func (c *chunker) body(s span) string {
	var parts []string
	first, last := lineOf(c.l, s.from), lineOf(c.l, s.to-1)
	for i := first; i <= last; i++ {
		line := strings.TrimSuffix(c.l.Src[max(s.from, c.l.Start[i]):min(s.to, c.l.Start[i+1])], "\n")
		line = strings.TrimRight(line, " \t\r")
		switch e := c.o.At(i); e.Kind {
		case outline.HeadingLine, outline.Comment, outline.FrontMatter:
			continue
		case outline.Code:
			parts = append(parts, line)
			continue
		case outline.Table:
			if i == first && i > e.From+1 {
				parts = append(parts, c.l.Line(e.From))
			}
		}
		parts = append(parts, strings.TrimRight(outline.Visible(markdown.WithoutComment(line)), " \t"))
	}
	return strings.Trim(strings.Join(parts, "\n"), "\n")
}
