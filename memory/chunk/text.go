package chunk

import (
	"slices"
	"sort"
	"strings"

	"agentflow/memory/internal/outline"
	"agentflow/memory/markdown"
)

// text adds the chunks of the current block's hand-written text. A chunk never
// mixes two sections. A section that holds only dates, such as the heading of a
// daily file, gets no chunk: every other chunk has that date, and a search
// would only find the heading instead of them.
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

// section adds the chunks of one section. All of them have the properties that
// its lines state. Only the chunks that hold a fact have the fact's properties.
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

// noteHead caches the head of the last note that aboveIn read, so that a long note is read
// once and not for each of its chunks.
type noteHead struct {
	note  int // its index among the notes
	lines int
	under []string
}

// aboveIn returns n.Above(line). at is the index of n among the notes of the block.
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

// under appends to a heading the other lines that apply to a line of hand-written text,
// such as "Avoid:" before a list. A chunk that begins within the list does not show them.
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

// base returns a chunk with the properties that all chunks of a section share.
func (c *chunker) base(s outline.Section) Chunk {
	about := c.reader.About(c.l, c.o, s)
	heading := strings.Join(c.reader.Path(), headingSep)
	return Chunk{
		Date: c.reader.Date(), Heading: heading, Title: heading,
		Tags: slices.Clip(about.Tags), Commits: about.Commits, Paths: about.Paths, Types: slices.Clip(about.Types), Branch: about.Branch,
	}
}

// body returns the text without headings, their underlines and HTML comments. A
// table that continues from the chunk before gets its header row again.
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
