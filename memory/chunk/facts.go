package chunk

import (
	"slices"
	"strings"
	"time"

	"agentflow/memory"
	"agentflow/memory/internal/outline"
	"agentflow/memory/markdown"

	"github.com/google/uuid"
)

// sortFacts sorts the facts of the current block. Facts of the whole project stay in its text.
// Facts of another namespace, and facts moved out of an entry, get separate chunks. Facts that no
// longer hold are in no chunk.
func (c *chunker) sortFacts() {
	c.whole, c.facts, c.apart = outline.Split(c.block.Raw), c.block.Facts, nil
	c.l = c.whole
	goes := func(f markdown.FactAt) bool { return !c.stays(f.Fact) }
	if !slices.ContainsFunc(c.facts, goes) {
		return
	}
	for _, f := range c.block.Facts {
		if goes(f) && f.Live(c.now) {
			c.apart = append(c.apart, f)
		}
	}
	c.facts = slices.DeleteFunc(slices.Clone(c.facts), goes)
	c.l = outline.Split(c.block.Blanked(func(f memory.Fact) bool { return !c.stays(f) }))
}

func (c *chunker) stays(f memory.Fact) bool { return f.Counts(nil) && f.Live(c.now) && !c.moved(f) }

// moved reports whether a fact of the current block holds in the whole project
// and was moved out of a run's entry.
func (c *chunker) moved(f memory.Fact) bool {
	return c.block.Entry == nil && f.ID != "" && f.Counts(nil) && uuid.Validate(f.Source) == nil
}

// says reports whether a section has text to find. If facts were taken out of
// it, the text must be below its headings.
func (c *chunker) says(s outline.Section) bool {
	if len(c.facts) == len(c.block.Facts) {
		return s.Words && !c.onlyNotesHeading(s)
	}
	blanked, words := false, false
	for e := range c.o.Elements(s.From, s.To) {
		words = words || e.Kind != outline.HeadingLine && e.HasWords(c.l)
		for i := e.From; i < e.To; i++ {
			blanked = blanked || c.whole.Line(i) != c.l.Line(i)
		}
	}
	return words || s.Words && !blanked
}

// onlyNotesHeading reports whether a section is the heading of a day's notes. The notes are
// separate blocks.
func (c *chunker) onlyNotesHeading(s outline.Section) bool {
	for e := range c.o.Elements(s.From, s.To) {
		if e.Kind != outline.HeadingLine && e.HasWords(c.l) {
			return false
		}
	}
	n := len(s.Headings)
	return n > 0 && s.Headings[n-1].Level == 2 && "## "+s.Headings[n-1].Text == markdown.NotesHeading
}

// addApart adds the separate chunks of the block's facts that begin on a line before end, counted
// as in the file. Each chunk takes the properties of the surrounding text from like. addApart
// returns the next ordinal.
func (c *chunker) addApart(like Chunk, ordinal, end int) int {
	for len(c.apart) > 0 && c.apart[0].StartLine < end {
		f := c.apart[0]
		c.apart = c.apart[1:]
		k := like
		k.Ordinal, k.Namespace = ordinal, memory.NamespaceOf(f.Namespace)
		k.Heading = c.under(k.Heading, f.StartLine)
		if k.Namespace != memory.ProjectNamespace {
			k.Heading = strings.TrimPrefix(k.Heading+headingSep+k.Namespace, headingSep)
			k.Title = ""
		}
		if c.moved(f.Fact) {
			k.EntryID, k.Source = f.ID, f.Source
		}
		k.Body, k.Files, k.Paths = f.Text, "", nil
		k.Types, k.Tags, k.Categories, k.Importance, k.Expires = nil, nil, nil, 0, time.Time{}
		k.takeFacts([]markdown.FactAt{f}, c.file)
		k.ByTool, k.Person = f.ByTool() && !k.Pinned, f.Person
		k.Text = strings.TrimRight(string(f.Raw), " \t\r\n")
		k.StartLine, k.EndLine = f.StartLine, f.StartLine+strings.Count(k.Text, "\n")
		c.out = append(c.out, k)
		ordinal++
	}
	return ordinal
}
