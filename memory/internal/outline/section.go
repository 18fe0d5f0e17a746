package outline

import (
	"iter"
	"path"
	"slices"
	"strings"
	"time"
)

// Section is a stretch of lines with the headings it begins with. Headings without text between
// them belong to one section.
type Section struct {
	From, To int
	Headings []Heading
	Words    bool // there is something to find: a word or number, other than in a date heading
}

// sections cuts a text of n lines, without the front matter.
func (o *Outline) sections(l Lines, n int) []Section {
	from := 0
	if first := o.At(0); first.Kind == FrontMatter {
		from = first.To
	}
	cur := Section{From: from}
	var list []Section
	bare := true // nothing but headings so far
	for e := range o.Elements(from, n) {
		if e.Kind == HeadingLine {
			if !bare {
				cur.To = e.From
				list = append(list, cur)
				cur, bare = Section{From: e.From}, true
			}
			cur.Headings = append(cur.Headings, e.Heading)
		} else if e.Kind != Comment && !l.Blank(e.From) {
			bare = false
		}
		cur.Words = cur.Words || e.HasWords(l)
	}
	cur.To = n
	return append(list, cur)
}

// Reader reads the hand-written text of one file, block by block, and tracks the headings above
// each section.
type Reader struct {
	name  string    // of the file, without folder and extension
	named time.Time // the day in that name
	front front
	path  []pathHeading
}

// pathHeading is a heading above a text, with its date.
type pathHeading struct {
	Heading
	day   time.Time
	dated bool
}

// NewReader returns a Reader for a file of this name. The name may date its text.
func NewReader(file string) Reader {
	day, _ := dateInName(file)
	base := path.Base(file)
	return Reader{name: strings.TrimSuffix(base, path.Ext(base)), named: day}
}

// Read returns the outline of the next block, and its sections in order. first says that the block
// begins the file.
func (r *Reader) Read(l Lines, first bool) (Outline, iter.Seq[Section]) {
	o := Of(l, 0, l.Count(), first)
	if first {
		r.front = o.front
	}
	return o, func(yield func(Section) bool) {
		r.path = nil
		if r.front.title != "" {
			r.under(Heading{1, r.front.title})
		}
		for _, s := range o.sections(l, l.Count()) {
			r.under(s.Headings...)
			if !yield(s) {
				return
			}
		}
	}
}

// under moves to the place in the text below these headings.
func (r *Reader) under(headings ...Heading) {
	for _, h := range headings {
		for len(r.path) > 0 && r.path[len(r.path)-1].Level >= h.Level {
			r.path = r.path[:len(r.path)-1]
		}
		day, dated := dateIn(h.Text)
		r.path = append(r.path, pathHeading{h, day, dated})
	}
}

// Path returns the texts of the headings above the current section.
func (r *Reader) Path() []string {
	names := make([]string, len(r.path))
	for i, h := range r.path {
		names[i] = h.Text
	}
	return names
}

// Subject returns the nearest heading that says what the current section is about. The file's title
// and dates do not count.
func (r *Reader) Subject() string {
	for _, h := range slices.Backward(r.path) {
		if h.Level > 1 && HasWord(h.Text) && !h.isDate() {
			return h.Text
		}
	}
	return ""
}

// Date returns the date of the nearest heading that has one, else of the front matter, else of the
// file's name, at midnight UTC. It is zero for undated text.
func (r *Reader) Date() time.Time {
	for _, h := range slices.Backward(r.path) {
		if h.dated {
			return h.day
		}
	}
	if !r.front.date.IsZero() {
		return r.front.date
	}
	return r.named
}

// About returns the properties that the lines of a section state, and the tags of the front matter.
// l may have blank lines in place of some.
func (r *Reader) About(l Lines, o Outline, s Section) About {
	a := About{Tags: slices.Clone(r.front.tags)}
	for e := range o.Elements(s.From, s.To) {
		if e.Kind != Text && e.Kind != Table {
			continue
		}
		for i := e.From; i < e.To; i++ {
			a.line(Visible(l.Line(i)))
		}
	}
	return a
}
