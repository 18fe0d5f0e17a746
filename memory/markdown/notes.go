package markdown

import (
	"iter"
	"slices"
	"strings"
	"time"
	"unicode"

	"agentflow/memory"
	"agentflow/memory/internal/outline"
)

// Note is one thing that hand-written text says.
type Note struct {
	Fact    *memory.Fact // what it is when it has an id; Text and Struck are then its
	Text    string       // as it stands, without the marker of its list
	Struck  bool         // it is struck through, whole
	Heading string       // the nearest it stands under that is neither the file's title nor a date
	Date    time.Time    // see outline.Reader.Date
	// Tags and Type are what its section, or the front matter, says of it.
	Tags []string
	Type memory.FactType
	// StartLine and EndLine are 1-based and inclusive.
	StartLine, EndLine int
	Raw                []byte // its lines as they stand
}

// Notes takes hand-written text apart, in order: each item of a list with all
// that is below it, each numbered list, paragraph, table and code fence; the
// latter three with the line before them that ends with a colon. Headings,
// comments and rules are left out. file is the name of the document's file.
func (d *Document) Notes(file string) []Note {
	text := outline.NewReader(file)
	var list []Note
	for i := range d.Blocks {
		b := &d.Blocks[i]
		if b.Entry != nil {
			continue
		}
		r := noteReader{block: b, l: outline.Split(b.Raw)}
		var sections iter.Seq[outline.Section]
		r.o, sections = text.Read(r.l, i == 0)
		for s := range sections {
			about := text.About(r.l, r.o, s)
			r.base = Note{Heading: text.Subject(), Date: text.Date(), Tags: about.Tags}
			if len(about.Types) > 0 {
				r.base.Type = about.Types[0]
			}
			r.leads = false
			for i := s.From; i < s.To; {
				i = r.read(i, s.To)
			}
		}
		list = append(list, r.list...)
	}
	return list
}

type noteReader struct {
	block *Block
	l     outline.Lines
	o     outline.Outline
	base  Note // of the section
	list  []Note
	leads bool // the last note is a paragraph that ends with a colon
}

// read takes what begins on line i, and returns the line behind it.
func (r *noteReader) read(i, limit int) int {
	line := r.l.Line(i)
	e := r.o.At(i)
	b, bullet := outline.BulletOf(line)
	switch fact := r.fact(i); {
	case fact != nil:
		n := r.base
		n.Fact, n.Text, n.Struck, n.StartLine, n.EndLine, n.Raw = &fact.Fact, fact.Text, fact.Struck, fact.StartLine, fact.EndLine, fact.Raw
		r.list, r.leads = append(r.list, n), false
		return fact.EndLine - r.block.StartLine + 1
	case e.Kind == outline.HeadingLine || e.Kind == outline.Comment || e.Kind == outline.FrontMatter:
		return i + 1
	case e.Kind != outline.Text:
		return r.add(i, min(e.To, limit), line, 0, r.leads)
	case r.l.Blank(i) || outline.IsRule(line):
		return i + 1
	case outline.OnlyAbout(line):
		r.leads = false
		return i + 1
	case bullet:
		return r.add(i, r.itemEnd(i, limit, b.Indent), b.Text, b.Indent+2, false)
	}
	return r.add(i, r.paragraphEnd(i, limit), line, 0, r.leads && outline.NumberedItem(line))
}

// fact is the one with an id that begins on line i, if any.
func (r *noteReader) fact(i int) *FactAt {
	facts := r.block.Facts
	k, ok := slices.BinarySearchFunc(facts, r.block.StartLine+i, func(f FactAt, line int) int { return f.StartLine - line })
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
		if r.l.Blank(k) {
			continue
		}
		deeper := outline.Indent(r.l.Line(k)) > indent
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
	numbered := outline.NumberedItem(r.l.Line(i))
	end := i + 1
	for k := i + 1; k < limit; k++ {
		if r.l.Blank(k) {
			if !numbered {
				break
			}
			continue
		}
		line := r.l.Line(k)
		goesOn := numbered && (outline.NumberedItem(line) || outline.Indent(line) >= 2)
		if r.fact(k) != nil || !goesOn && (k > end || r.begins(k)) {
			break
		}
		end = k + 1
	}
	return end
}

// begins reports a line that goes on with nothing above it.
func (r *noteReader) begins(i int) bool {
	line := r.l.Line(i)
	_, bullet := outline.BulletOf(line)
	return r.o.At(i).Kind != outline.Text || bullet || outline.NumberedItem(line) || outline.IsRule(line)
}

// add takes the lines [i, end), the first of which says first, as a note, or
// with joins as a part of the last one.
func (r *noteReader) add(i, end int, first string, indent int, joins bool) int {
	lines := []string{r.shown(i, first)}
	for k := i + 1; k < end; k++ {
		lines = append(lines, r.shown(k, outline.Outdent(r.l.Line(k), indent)))
	}
	n := r.base
	n.Struck = struckText(lines)
	n.Text = strings.Trim(strings.Join(lines, "\n"), "\n")
	n.StartLine, n.EndLine = r.block.StartLine+i, r.block.StartLine+end-1
	n.Raw = r.block.Raw[r.l.Start[i]:r.l.Start[end]]
	r.leads = indent == 0 && strings.HasSuffix(n.Text, ":")
	switch last := len(r.list) - 1; {
	case joins:
		r.list[last].Text += "\n" + n.Text
		r.list[last].EndLine = n.EndLine
		r.list[last].Raw = r.block.Raw[r.l.Start[r.list[last].StartLine-r.block.StartLine]:r.l.Start[end]]
	case outline.HasWord(n.Text):
		r.list = append(r.list, n)
	default:
		r.leads = false
	}
	return end
}

// shown is a line as people read it: of code, all of it.
func (r *noteReader) shown(i int, line string) string {
	if r.o.At(i).Kind == outline.Text {
		line = outline.Visible(line)
	}
	return strings.TrimRight(line, " \t")
}

// StandsAlone says whether a note says something by itself, so that it can be
// a fact: a sentence or an item of a list, of two words or more. Code and
// tables do not, nor does a line that only leads to the next one.
func StandsAlone(text string) bool {
	text = strings.TrimSpace(text)
	if LeadsOn(text) {
		return false
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if _, fence := outline.FenceOf(line, 0); fence || strings.HasPrefix(line, "|") {
			return false
		}
	}
	words := 0
	for _, w := range strings.Fields(text) {
		if strings.ContainsFunc(w, unicode.IsLetter) {
			words++
		}
	}
	return words > 1
}

// LeadsOn says whether a text only leads to the next one: "Key points:".
func LeadsOn(text string) bool {
	text = strings.TrimRight(text, " \t\n*_")
	return strings.HasSuffix(text, ":") || strings.HasSuffix(text, "：")
}
