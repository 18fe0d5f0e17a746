package memory

import (
	"path"
	"slices"
	"strings"
	"time"
)

// Note is one thing that hand-written text says.
type Note struct {
	Fact    *Fact  // what it is when it has an id; Text and Struck are then its
	Text    string // as it stands, without the marker of its list
	Struck  bool   // it is struck through, whole
	Heading string // the nearest it stands under that is neither the file's title nor a date
	// Date is that of the nearest heading that has one, else of the front
	// matter, else of the file's name, at midnight UTC; zero for undated text.
	Date time.Time
	// Tags and Type are what its section, or the front matter, says of it.
	Tags []string
	Type FactType
	// StartLine and EndLine are 1-based and inclusive.
	StartLine, EndLine int
}

// Notes takes hand-written text apart, in order: each item of a list with all
// that is below it, each numbered list, paragraph, table and code fence; the
// latter three with the line before them that ends with a colon. Headings,
// comments and rules are left out. file is the name of the document's file.
func (d *Document) Notes(file string) []Note {
	c := chunker{file: file, begins: true}
	var list []Note
	for i := range d.Blocks {
		if c.block = &d.Blocks[i]; c.block.Entry == nil {
			c.l = splitLines(c.block.Raw)
			list = append(list, c.notes()...)
		}
		c.begins = false
	}
	return list
}

// notes are those of the current block.
func (c *chunker) notes() []Note {
	n := c.l.count()
	c.o = outlineOf(c.l, 0, n, textPlace{first: c.begins})
	if c.begins {
		c.front = c.o.front
	}
	c.path = nil
	var list []Note
	for _, s := range c.o.sections(c.l, 0, n) {
		c.under(s.headings)
		base := c.base(s)
		r := noteReader{c: c, base: Note{Heading: c.category(), Date: base.Date, Tags: base.Tags}}
		if r.base.Date.IsZero() {
			r.base.Date = slugDate(c.file)
		}
		if len(base.Types) > 0 {
			r.base.Type = base.Types[0]
		}
		for i := s.from; i < s.to; {
			i = r.read(i, s.to)
		}
		list = append(list, r.list...)
	}
	return list
}

// category is the nearest heading that says what the text is about.
func (c *chunker) category() string {
	for _, h := range slices.Backward(c.path) {
		if h.level > 1 && hasWord(h.text) && !h.isDate() {
			return h.text
		}
	}
	return ""
}

// slugDate is the day that the name of a file begins with.
func slugDate(file string) time.Time {
	name := path.Base(file)
	if len(name) <= len(time.DateOnly) || strings.IndexByte("-_. ", name[len(time.DateOnly)]) < 0 {
		return time.Time{}
	}
	t, err := time.Parse(time.DateOnly, name[:len(time.DateOnly)])
	if err != nil {
		return time.Time{}
	}
	return t
}

// noteReader takes the notes of one section.
type noteReader struct {
	c     *chunker
	base  Note
	list  []Note
	leads bool // the last note is a paragraph that ends with a colon
}

// read takes what begins on line i, and returns the line behind it.
func (r *noteReader) read(i, limit int) int {
	line := r.c.l.at(i)
	e, special := r.c.o.of(i)
	b, bullet := bulletOf(line)
	switch fact := r.fact(i); {
	case fact != nil:
		n := r.base
		n.Fact, n.Text, n.Struck, n.StartLine, n.EndLine = &fact.Fact, fact.Text, fact.Struck, fact.StartLine, fact.EndLine
		r.list, r.leads = append(r.list, n), false
		return fact.EndLine - r.c.block.StartLine + 1
	case special && (e.kind == elementHeading || e.kind == elementComment || e.kind == elementFront):
		return i + 1
	case special:
		return r.add(i, min(e.to, limit), line, 0, r.leads)
	case r.c.l.blank(i) || isRule(line):
		return i + 1
	case aboutSection(line):
		r.leads = false
		return i + 1
	case bullet:
		return r.add(i, r.itemEnd(i, limit, b.indent), b.text, b.indent+2, false)
	}
	return r.add(i, r.paragraphEnd(i, limit), line, 0, r.leads && numberedItem(line))
}

// fact is the one with an id that begins on line i, if any.
func (r *noteReader) fact(i int) *FactAt {
	facts := r.c.block.Facts
	k, ok := slices.BinarySearchFunc(facts, r.c.block.StartLine+i, func(f FactAt, line int) int { return f.StartLine - line })
	if !ok {
		return nil
	}
	return &facts[k]
}

// itemEnd is the end of the list item that begins on line i: behind the last
// line that is indented deeper, or goes on with the line above it.
func (r *noteReader) itemEnd(i, limit, indent int) int {
	end := i + 1
	for k := i + 1; k < limit; k++ {
		if r.c.l.blank(k) {
			continue
		}
		deeper := indentOf(r.c.l.at(k)) > indent
		if r.fact(k) != nil || !deeper && (k > end || r.begins(k)) {
			break
		}
		end = k + 1
	}
	return end
}

// paragraphEnd is the end of the paragraph, or the numbered list, that begins
// on line i.
func (r *noteReader) paragraphEnd(i, limit int) int {
	numbered := numberedItem(r.c.l.at(i))
	end := i + 1
	for k := i + 1; k < limit; k++ {
		if r.c.l.blank(k) {
			if !numbered {
				break
			}
			continue
		}
		line := r.c.l.at(k)
		goesOn := numbered && (numberedItem(line) || indentOf(line) >= 2)
		if r.fact(k) != nil || !goesOn && (k > end || r.begins(k)) {
			break
		}
		end = k + 1
	}
	return end
}

// begins reports a line that goes on with nothing above it.
func (r *noteReader) begins(i int) bool {
	line := r.c.l.at(i)
	_, special := r.c.o.of(i)
	_, bullet := bulletOf(line)
	return special || bullet || numberedItem(line) || isRule(line)
}

// add takes the lines [i, end), the first of which says first, as a note, or
// with joins as a part of the last one.
func (r *noteReader) add(i, end int, first string, indent int, joins bool) int {
	lines := []string{r.shown(i, first)}
	for k := i + 1; k < end; k++ {
		lines = append(lines, r.shown(k, outdent(r.c.l.at(k), indent)))
	}
	n := r.base
	n.Struck = struckText(lines)
	n.Text = strings.Trim(strings.Join(lines, "\n"), "\n")
	n.StartLine, n.EndLine = r.c.block.StartLine+i, r.c.block.StartLine+end-1
	r.leads = indent == 0 && strings.HasSuffix(n.Text, ":")
	switch last := len(r.list) - 1; {
	case joins:
		r.list[last].Text += "\n" + n.Text
		r.list[last].EndLine = n.EndLine
	case hasWord(n.Text):
		r.list = append(r.list, n)
	default:
		r.leads = false
	}
	return end
}

// shown is a line as people read it: of code, all of it.
func (r *noteReader) shown(i int, line string) string {
	if _, special := r.c.o.of(i); !special {
		line = visible(line)
	}
	return strings.TrimRight(line, " \t")
}

// isRule reports a line that is drawn between texts.
func isRule(line string) bool {
	line = strings.TrimSpace(line)
	return len(line) >= 3 && (strings.Trim(line, "- ") == "" || strings.Trim(line, "* ") == "" || strings.Trim(line, "_ ") == "")
}

// aboutSection reports a line that only says what base knows of its section.
func aboutSection(line string) bool {
	key, _, ok := metaLine(line)
	return ok && (key == "tag" || key == "tags" || key == "type")
}
