package memory

import (
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

// Counts says whether the fact holds for one who asks in these namespaces;
// the project's is one of them in any case.
func (f Fact) Counts(namespaces []string) bool {
	return f.inProject() || slices.Contains(namespaces, f.Namespace)
}

// inProject says whether the fact holds everywhere in its repository.
func (f Fact) inProject() bool { return NamespaceOf(f.Namespace) == ProjectNamespace }

// Without is text with the lines of the facts that drop names read as blank,
// so that all others keep their place. text is a file of memory or a piece of
// one, as a hit has it.
func Without(text string, drop func(Fact) bool) string {
	if !strings.Contains(text, commentOpen) {
		return text // a fact has one
	}
	var b strings.Builder
	for _, block := range Parse([]byte(text)).Blocks {
		b.WriteString(blanked(block, splitLines(block.Raw), drop))
	}
	return b.String()
}

// blanked is the block without the lines of some of its facts; their ends are
// left.
func blanked(b Block, l lines, drop func(Fact) bool) string {
	var text strings.Builder
	at := 0
	for _, f := range b.Facts {
		if !drop(f.Fact) {
			continue
		}
		first, behind := f.StartLine-b.StartLine, f.EndLine-b.StartLine+1
		text.WriteString(l.src[at:l.start[first]])
		text.WriteString(strings.Repeat("\n", strings.Count(l.src[l.start[first]:l.start[behind]], "\n")))
		at = l.start[behind]
	}
	if at == 0 {
		return l.src
	}
	text.WriteString(l.src[at:])
	return text.String()
}

// sift takes the facts of the current block apart: those that hold in the
// whole project stay in its text, those of another namespace or out of another
// entry get chunks of their own, and what holds no longer is in none.
func (c *chunker) sift() {
	c.whole, c.facts, c.apart = splitLines(c.block.Raw), c.block.Facts, nil
	c.l = c.whole
	stays := func(f Fact) bool { return f.inProject() && f.Live(c.now) && !c.moved(f) }
	if !slices.ContainsFunc(c.facts, func(f FactAt) bool { return !stays(f.Fact) }) {
		return
	}
	c.facts = nil
	for _, f := range c.block.Facts {
		switch {
		case stays(f.Fact):
			c.facts = append(c.facts, f)
		case f.Live(c.now):
			c.apart = append(c.apart, ownFact{f, c.l.src[c.l.start[f.StartLine-c.block.StartLine]:c.l.start[f.EndLine-c.block.StartLine+1]]})
		}
	}
	c.l = splitLines([]byte(blanked(*c.block, c.l, func(f Fact) bool { return !stays(f) })))
}

// moved says whether a fact of the current block, one of the whole project,
// once stood in a run's entry.
func (c *chunker) moved(f Fact) bool {
	return c.block.Entry == nil && f.ID != "" && f.inProject() && uuid.Validate(f.Source) == nil
}

// says reports whether a section says anything: whether it has something to
// find or, where facts of it were taken out, something under its headings.
func (c *chunker) says(s section) bool {
	if len(c.facts) == len(c.block.Facts) {
		return s.words
	}
	sifted, words := false, false
	for i := s.from; i < s.to; {
		e := element{from: i, to: i + 1}
		if known, ok := c.o.of(i); ok {
			e = known
		}
		words = words || e.kind != elementHeading && e.words(c.l)
		for ; i < e.to; i++ {
			sifted = sifted || c.whole.at(i) != c.l.at(i)
		}
	}
	return words || s.words && !sifted
}

// ownFact is a fact that is a chunk of its own, with its bullet.
type ownFact struct {
	FactAt
	raw string
}

// own adds the chunks of the block's facts that stand apart, as far as they
// begin on a line before end, counted as in the file. like is what they have
// of the text around them; the ordinal behind the last is returned.
func (c *chunker) own(like Chunk, ordinal, end int) int {
	for len(c.apart) > 0 && c.apart[0].StartLine < end {
		f := c.apart[0]
		c.apart = c.apart[1:]
		k := like
		k.Ordinal, k.Namespace = ordinal, NamespaceOf(f.Namespace)
		if k.Namespace != ProjectNamespace {
			k.Heading = strings.TrimPrefix(k.Heading+headingSep+k.Namespace, headingSep)
			k.Title = ""
		}
		if c.moved(f.Fact) {
			k.EntryID, k.Source = f.ID, f.Source
		}
		k.Body, k.Files, k.Paths = f.Text, "", nil
		k.Types, k.Tags, k.Importance, k.Expires = nil, nil, 0, time.Time{}
		k.know([]FactAt{f.FactAt}, c.file)
		k.Text = strings.TrimRight(f.raw, " \t\r\n")
		k.StartLine, k.EndLine = f.StartLine, f.StartLine+strings.Count(k.Text, "\n")
		c.out = append(c.out, k)
		ordinal++
	}
	return ordinal
}
