package memory

// Heading is a heading of hand-written text.
type Heading struct {
	Level int // 1 to 6
	Text  string
	Line  int // 1-based, in the file
}

// Headings are those of a block of hand-written text, in order; first says
// that the block begins its file. What stands in a code fence is none.
func (b *Block) Headings(first bool) []Heading {
	if b.Entry != nil {
		return nil
	}
	l := splitLines(b.Raw)
	var list []Heading
	o := outlineOf(l, 0, l.count(), textPlace{first: first})
	for _, e := range o.list {
		if e.kind == elementHeading {
			list = append(list, Heading{e.heading.level, e.heading.text, b.StartLine + e.from})
		}
	}
	return list
}
