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

// Note is one statement of hand-written text.
type Note struct {
	Fact    *memory.Fact // the fact, if the note has an id; Text and Struck are then the fact's
	Text    string       // as written, without the list marker
	Struck  bool         // the whole note is struck through
	Heading string       // the nearest heading that is neither the file's title nor a date
	Under   []string     // see memory.Fact
	Within  []string     // the part of Under that is not headings
	Leads   bool         // it only introduces the notes after it, which have it in Under
	Date    time.Time    // see outline.Reader.Date
	// Tags and Type come from its section, or from the front matter.
	Tags  []string
	Type  memory.FactType
	Paths []string // from the front matter
	// StartLine and EndLine are 1-based and inclusive.
	StartLine, EndLine int
	Raw                []byte // its lines as in the file
}

// Notes splits hand-written text into notes, in order: each list item with its
// nested text, each numbered list, paragraph, table and code fence. A numbered
// list, a table and a code fence include the paragraph that introduces them.
// Headings, comments and rules are left out. file is the name of the
// document's file.
func (d *Document) Notes(file string) []Note {
	text := outline.NewReader(file)
	var list []Note
	for i := range d.Blocks {
		if d.Blocks[i].Entry == nil {
			list = append(list, d.Blocks[i].notes(&text, i == 0)...)
		}
	}
	return list
}

// Notes returns the notes of one block of hand-written text. first means that it begins
// its file.
func (b *Block) Notes(first bool) []Note {
	text := outline.NewReader("")
	return b.notes(&text, first)
}

// notes is Notes with the reader of the blocks before it.
func (b *Block) notes(text *outline.Reader, first bool) []Note {
	r := noteReader{block: b, l: outline.Split(b.Raw)}
	var sections iter.Seq[outline.Section]
	r.o, sections = text.Read(r.l, first)
	for s := range sections {
		about := text.About(r.l, r.o, s)
		r.base = Note{Heading: text.Subject(), Under: headings(text.Under()), Date: text.Date(), Tags: about.Tags, Paths: text.Paths()}
		if len(about.Types) > 0 {
			r.base.Type = about.Types[0]
		}
		r.joins, r.leads = false, leads{}
		for i := s.From; i < s.To; {
			i = r.read(i, s.To)
		}
	}
	return r.list
}

// AsFact returns the note as a fact: its fact with an id, or else a fact without one that
// has the note's text.
func (n Note) AsFact() memory.Fact {
	if n.Fact != nil {
		return *n.Fact
	}
	return memory.Fact{Type: n.Type, Tags: n.Tags, Paths: n.Paths, Under: n.Under, Text: n.Text, Struck: n.Struck}
}

type noteReader struct {
	block *Block
	l     outline.Lines
	o     outline.Outline
	base  Note // of the section
	list  []Note
	joins bool // a numbered list, a table or code that comes next belongs to the last note
	leads leads
}

// read adds the note that begins on line i, if any, and returns the line after it.
func (r *noteReader) read(i, limit int) int {
	line := r.l.Line(i)
	e := r.o.At(i)
	b, bullet := outline.BulletOf(line)
	switch fact := r.fact(i); {
	case fact != nil:
		r.stored(fact, b.Indent)
		return fact.EndLine - r.block.StartLine + 1
	case e.Kind == outline.HeadingLine || e.Kind == outline.Comment || e.Kind == outline.FrontMatter:
		return i + 1
	case e.Kind != outline.Text:
		r.leads.ends()
		return r.add(i, min(e.To, limit), line, 0, r.leads.above(), r.joins)
	case outline.IsRule(line):
		r.leads.ends()
		return i + 1
	case r.l.Blank(i):
		return i + 1
	case outline.OnlyAbout(line):
		r.joins = false
		return i + 1
	case bullet:
		return r.item(i, limit, b)
	case outline.NumberedItem(line):
		return r.numbered(i, limit)
	case len(r.leads.items) > 0 && outline.Indent(line) > r.leads.items[0].indent: // it continues an item
		return r.add(i, r.paragraphEnd(i, limit), line, 0, r.leads.within(), false)
	}
	return r.plain(i, limit)
}

// stored adds a fact with an id as a note.
func (r *noteReader) stored(fact *FactAt, indent int) {
	n := r.base
	n.Fact, n.Text, n.Struck, n.StartLine, n.EndLine, n.Raw = &fact.Fact, fact.Text, fact.Struck, fact.StartLine, fact.EndLine, fact.Raw
	n.Within = r.leads.item(indent, fact.Text)
	n.Under = bounded(placed(fact.Fact, append(n.Under, n.Within...)))
	r.list, r.joins = append(r.list, n), false
}

// item adds an item of a list, with its nested text, as a note.
func (r *noteReader) item(i, limit int, b outline.Bullet) int {
	end := r.itemEnd(i, limit, b.Indent)
	text := r.text(i, end, b.Text, b.Indent+2)
	n := len(r.list)
	r.add(i, end, b.Text, b.Indent+2, r.leads.item(b.Indent, text), false)
	if len(r.list) > n {
		r.list[n].Leads = LeadsOn(text)
	}
	return end
}

// numbered adds a numbered list as a note.
func (r *noteReader) numbered(i, limit int) int {
	end := r.paragraphEnd(i, limit)
	lead := r.leads.lead
	if r.joins {
		r.leads.lead = "" // it is in the text
	}
	under := r.leads.above()
	r.leads.lead = lead
	last := end - 1
	for last > i && !outline.NumberedItem(r.l.Line(last)) {
		last--
	}
	_, item, _ := strings.Cut(r.l.Line(last), " ")
	r.leads.items = []openItem{{text: item}} // facts may be nested in it
	return r.add(i, end, r.l.Line(i), 0, under, r.joins)
}

// plain adds a paragraph as a note.
func (r *noteReader) plain(i, limit int) int {
	end := r.paragraphEnd(i, limit)
	text := r.text(i, end, r.l.Line(i), 0)
	if !r.leads.onlyNext {
		r.leads.lead = "" // it was for the list above
	}
	if isLabel(text) {
		r.leads.label = ""
	}
	under := r.leads.above()
	leadsOn := r.paragraph(text, i, end, limit)
	n := len(r.list)
	r.add(i, end, r.l.Line(i), 0, under, false)
	if r.joins = leadsOn && len(r.list) > n; r.joins {
		r.list[n].Leads = true
	}
	return end
}

// fact returns the fact with an id that begins on line i, or nil.
func (r *noteReader) fact(i int) *FactAt {
	facts := r.block.Facts
	k, ok := slices.BinarySearchFunc(facts, r.block.StartLine+i, func(f FactAt, line int) int { return f.StartLine - line })
	if !ok {
		return nil
	}
	return &facts[k]
}

// itemEnd returns the end of the list item that begins on line i: the line after
// the last one that is indented deeper or continues the line above it.
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

// paragraphEnd returns the end of the paragraph, or the numbered list, that
// begins on line i.
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

// begins reports whether line i does not continue the line above it.
func (r *noteReader) begins(i int) bool {
	line := r.l.Line(i)
	_, bullet := outline.BulletOf(line)
	return r.o.At(i).Kind != outline.Text || bullet || outline.NumberedItem(line) || outline.IsRule(line)
}

// lines returns the lines [i, end) as people read them, with first as the first line.
func (r *noteReader) lines(i, end int, first string, indent int) []string {
	lines := []string{r.shown(i, first)}
	for k := i + 1; k < end; k++ {
		lines = append(lines, r.shown(k, outline.Outdent(r.l.Line(k), indent)))
	}
	return lines
}

func (r *noteReader) text(i, end int, first string, indent int) string {
	return strings.Trim(strings.Join(r.lines(i, end, first, indent), "\n"), "\n")
}

// add appends a note for the lines [i, end), with first as its first line. Its
// Under is that of the section, followed by under. With joins the lines extend
// the last note instead. add returns end.
func (r *noteReader) add(i, end int, first string, indent int, under []string, joins bool) int {
	lines := r.lines(i, end, first, indent)
	n := r.base
	n.Under, n.Within = bounded(append(n.Under, under...)), under
	n.Struck = struckText(lines)
	n.Text = strings.Trim(strings.Join(lines, "\n"), "\n")
	n.StartLine, n.EndLine = r.block.StartLine+i, r.block.StartLine+end-1
	n.Raw = r.block.Raw[r.l.Start[i]:r.l.Start[end]]
	r.joins = false
	switch last := len(r.list) - 1; {
	case joins:
		r.list[last].Text += "\n" + n.Text
		r.list[last].EndLine, r.list[last].Leads = n.EndLine, false
		r.list[last].Raw = r.block.Raw[r.l.Start[r.list[last].StartLine-r.block.StartLine]:r.l.Start[end]]
	case outline.HasWord(n.Text):
		r.list = append(r.list, n)
	}
	return end
}

// shown returns a line as people read it: a line of code is complete.
func (r *noteReader) shown(i int, line string) string {
	if r.o.At(i).Kind == outline.Text {
		line = outline.Visible(line)
	}
	return strings.TrimRight(line, " \t")
}

// StandsAlone reports whether a note makes sense by itself, so that it can be a fact: a sentence or
// an item of a list, of two words or more. Code and tables do not, nor does a line that only
// introduces the next one.
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

// LeadsOn reports whether a text only introduces the next one: "Key points:".
func LeadsOn(text string) bool {
	text = strings.TrimRight(text, " \t\n*_")
	return strings.HasSuffix(text, ":") || strings.HasSuffix(text, "：")
}
