package memory

import "strings"

// elementKind says what a stretch of lines is that is no ordinary text.
type elementKind int

const (
	elementText elementKind = iota // one line of ordinary text; an outline leaves it out
	elementHeading
	elementFence   // a closed code fence, with the lines that open and close it
	elementComment // an HTML comment of whole lines
	elementTable
	elementFront // front matter
)

// element is the lines [from, to).
type element struct {
	kind     elementKind
	from, to int
	heading  handHeading
}

// outline lists the elements of a text in order. All who ask whether a line
// is a heading or code ask the outline, so that they agree.
type outline struct {
	list  []element
	front front
}

// of is the element that holds line i.
func (o *outline) of(i int) (element, bool) {
	k := o.index(i)
	if k == len(o.list) || o.list[k].from > i {
		return element{}, false
	}
	return o.list[k], true
}

// index is that of the first element that ends behind line i.
func (o *outline) index(i int) int {
	lo, hi := 0, len(o.list)
	for lo < hi {
		if mid := (lo + hi) / 2; o.list[mid].to > i {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}

// textPlace says what a text is a part of.
type textPlace struct {
	first bool // it begins a file, perhaps with front matter
	entry bool // it is an entry, where --- under a line is the end
}

// outliner reads the lines of a text one after the other.
type outliner struct {
	l         lines
	from, to  int
	entry     bool
	fences    *closers
	uncomment int // the first line with --> behind those asked for so far
	outline
}

// outlineOf reads the lines [from, to), in time linear in their length.
func outlineOf(l lines, from, to int, at textPlace) outline {
	o := outliner{l: l, from: from, to: to, entry: at.entry, fences: findFences(l, from, to), uncomment: from}
	i := from
	if at.first {
		i = o.frontMatter()
	}
	for i < to {
		i = o.read(i)
	}
	return o.outline
}

func (o *outliner) add(e element) int {
	o.list = append(o.list, e)
	return e.to
}

// read takes what begins on line i, and returns the line behind it. A fence or
// a comment that nobody closes hides nothing.
func (o *outliner) read(i int) int {
	line := o.l.at(i)
	if line == "" {
		return i + 1
	}
	if f, ok := fenceOf(line, 3); ok {
		if j, ok := o.fences.after(f, i, o.to); ok {
			return o.add(element{kind: elementFence, from: i, to: j + 1})
		}
		return i + 1
	}
	if h, ok := headingOf(line); ok {
		return o.add(element{kind: elementHeading, from: i, to: i + 1, heading: h})
	}
	if strings.HasPrefix(strings.TrimLeft(line, " "), "<!--") {
		return o.comment(i)
	}
	if h, ok := o.setext(i); ok {
		return o.add(element{kind: elementHeading, from: i, to: i + 2, heading: h})
	}
	if end := o.table(i); end > i {
		return o.add(element{kind: elementTable, from: i, to: end})
	}
	return i + 1
}

// comment takes a comment that begins on line i and ends with a later one
// (CommonMark 0.31, section 4.6). Text behind its end makes it text.
func (o *outliner) comment(i int) int {
	if strings.Contains(o.l.at(i), commentClose) {
		return i + 1
	}
	if o.uncomment <= i {
		for o.uncomment = i + 1; o.uncomment < o.to; o.uncomment++ {
			if strings.Contains(o.l.at(o.uncomment), commentClose) {
				break
			}
		}
	}
	if o.uncomment >= o.to {
		return i + 1
	}
	_, rest, _ := strings.Cut(o.l.at(o.uncomment), commentClose)
	if strings.Trim(rest, " \t") != "" {
		return i + 1
	}
	return o.add(element{kind: elementComment, from: i, to: o.uncomment + 1})
}

// frontMatter takes the front matter a file begins with.
func (o *outliner) frontMatter() int {
	f, end := readFront(o.l, o.from, o.to)
	if end > o.from {
		o.front = f
		o.add(element{kind: elementFront, from: o.from, to: end})
	}
	return end
}
