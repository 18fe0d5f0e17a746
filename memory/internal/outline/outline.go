package outline

import (
	"iter"
	"sort"
	"strings"
)

// Kind is the kind of a stretch of lines.
type Kind int

// The kinds of elements.
const (
	Text        Kind = iota // one line of ordinary text
	HeadingLine             // a heading, with the line that underlines it
	Code                    // a closed code fence, with the lines that open and close it
	Comment                 // an HTML comment of whole lines
	Table
	FrontMatter
)

// Element is the lines [From, To).
type Element struct {
	Kind     Kind
	From, To int
	Heading  Heading // of a HeadingLine
}

// HasWords reports whether the element has something to find: a word or a number, other than in a
// date heading.
func (e Element) HasWords(l Lines) bool {
	switch e.Kind {
	case HeadingLine:
		return HasWord(e.Heading.Text) && !e.Heading.isDate()
	case Comment, FrontMatter:
		return false
	case Text:
		return HasWord(Visible(l.Line(e.From)))
	}
	return HasWord(l.Src[l.Start[e.From]:l.Start[e.To]])
}

// Outline holds the elements of a text.
type Outline struct {
	list  []Element // in order, without ordinary text
	front front
}

// At returns the element that holds line i.
func (o *Outline) At(i int) Element {
	if k := o.index(i); k < len(o.list) && o.list[k].From <= i {
		return o.list[k]
	}
	return Element{From: i, To: i + 1}
}

// index returns the index of the first listed element that ends after line i.
func (o *Outline) index(i int) int {
	return sort.Search(len(o.list), func(k int) bool { return o.list[k].To > i })
}

// Elements yields the elements that begin on the lines [from, to). One must begin on from.
func (o *Outline) Elements(from, to int) iter.Seq[Element] {
	return func(yield func(Element) bool) {
		k := o.index(from)
		for i := from; i < to; {
			e := Element{From: i, To: i + 1}
			if k < len(o.list) && o.list[k].From <= i {
				e = o.list[k]
				k++
			}
			if !yield(e) {
				return
			}
			i = e.To
		}
	}
}

// outliner reads the lines of a text one after the other.
type outliner struct {
	Outline
	l         Lines
	from, to  int
	entry     bool // the text is an entry; it has no underlined headings
	fences    *Fences
	uncomment int // the first line with --> after the lines examined so far
}

// Of reads the lines [from, to) of hand-written text. first says that they begin a file, perhaps
// with front matter.
func Of(l Lines, from, to int, first bool) Outline {
	o := outliner{l: l, from: from, to: to, fences: FindFences(l, from, to), uncomment: from}
	if first {
		var end int
		if o.front, end = readFront(l, from, to); end > from {
			from = o.add(Element{Kind: FrontMatter, From: from, To: end})
		}
	}
	return o.readAll(from)
}

// OfEntry reads the lines of an entry.
func OfEntry(l Lines) Outline {
	o := outliner{l: l, to: l.Count(), entry: true, fences: FindFences(l, 0, l.Count())}
	return o.readAll(0)
}

func (o *outliner) readAll(i int) Outline {
	for i < o.to {
		i = o.read(i)
	}
	return o.Outline
}

func (o *outliner) add(e Element) int {
	o.list = append(o.list, e)
	return e.To
}

// read reads the element that begins on line i, and returns the line after it. A fence or a comment
// that is never closed hides nothing.
func (o *outliner) read(i int) int {
	line := o.l.Line(i)
	if line == "" {
		return i + 1
	}
	if f, ok := FenceOf(line, 3); ok {
		if j, ok := o.fences.After(f, i, o.to); ok {
			return o.add(Element{Kind: Code, From: i, To: j + 1})
		}
		return i + 1
	}
	if h, ok := headingOf(line); ok {
		return o.add(Element{Kind: HeadingLine, From: i, To: i + 1, Heading: h})
	}
	if strings.HasPrefix(strings.TrimLeft(line, " "), commentOpen) {
		return o.comment(i)
	}
	if h, ok := o.underlined(i); ok {
		return o.add(Element{Kind: HeadingLine, From: i, To: i + 2, Heading: h})
	}
	if end := o.table(i); end > i {
		return o.add(Element{Kind: Table, From: i, To: end})
	}
	return i + 1
}

// comment reads a comment that begins on line i and ends on a later one (CommonMark 0.31, section
// 4.6). If text follows its end, it counts as text.
func (o *outliner) comment(i int) int {
	if strings.Contains(o.l.Line(i), commentClose) {
		return i + 1
	}
	if o.uncomment <= i {
		for o.uncomment = i + 1; o.uncomment < o.to && !strings.Contains(o.l.Line(o.uncomment), commentClose); {
			o.uncomment++
		}
	}
	if o.uncomment >= o.to {
		return i + 1
	}
	_, rest, _ := strings.Cut(o.l.Line(o.uncomment), commentClose)
	if strings.Trim(rest, " \t") != "" {
		return i + 1
	}
	return o.add(Element{Kind: Comment, From: i, To: o.uncomment + 1})
}

// Heading is a heading of Markdown.
type Heading struct {
	Level int // 1 to 6
	Text  string
}

// headingOf reads an ATX heading (CommonMark 0.31, section 4.2).
func headingOf(line string) (Heading, bool) {
	line = strings.TrimPrefix(line, byteOrderMark)
	rest := strings.TrimLeft(line, "#")
	n := len(line) - len(rest)
	if n < 1 || n > 6 || rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return Heading{}, false
	}
	return Heading{n, strings.TrimSpace(strings.TrimRight(strings.TrimSpace(rest), "#"))}, true
}

// underlined reads a heading with a line below it (CommonMark 0.31, section 4.3). Only a single
// line can be one, because people draw --- under a paragraph or a list as a rule.
func (o *outliner) underlined(i int) (Heading, bool) {
	if o.entry || i+1 >= o.to {
		return Heading{}, false
	}
	level := underline(o.l.Line(i + 1))
	if level == 0 {
		return Heading{}, false
	}
	alone := i == o.from || o.l.Blank(i-1) || len(o.list) > 0 && o.list[len(o.list)-1].To == i
	line := strings.TrimPrefix(o.l.Line(i), byteOrderMark)
	_, bullet := BulletOf(line)
	if _, _, meta := metaLine(line); !alone || bullet || meta || line == "" || strings.IndexByte(" \t>|<=", line[0]) >= 0 || NumberedItem(line) || IsEnd(line) {
		return Heading{}, false
	}
	return Heading{level, strings.TrimSpace(line)}, true
}

// underline returns the level of the heading above the line, 0 for none.
func underline(line string) int {
	line = strings.TrimRight(line, " \t")
	switch {
	case len(line) < 3:
		return 0
	case strings.Trim(line, "=") == "":
		return 1
	case strings.Trim(line, "-") == "":
		return 2
	}
	return 0
}

// table returns the end of the table whose first row is line i, or i if there is none (GitHub
// Flavored Markdown, "Tables"). Each of its rows has a bar.
func (o *outliner) table(i int) int {
	if i+1 >= o.to || strings.IndexByte(o.l.Line(i), '|') < 0 || !DelimiterRow(o.l.Line(i+1)) {
		return i
	}
	end := i + 2
	for ; end < o.to; end++ {
		line := o.l.Line(end)
		_, heading := headingOf(line)
		if _, fenced := FenceOf(line, 3); heading || fenced || strings.IndexByte(line, '|') < 0 {
			break
		}
	}
	return end
}

// DelimiterRow reports whether a line is the one between the head of a table and its rows.
func DelimiterRow(line string) bool {
	return strings.Trim(line, "|-: \t") == "" && strings.IndexByte(line, '|') >= 0 && strings.IndexByte(line, '-') >= 0
}
