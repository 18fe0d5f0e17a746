package memory

// part says which part of a file a parser has.
type part struct {
	line  int        // how many lines stand before it
	first bool       // it begins the file
	open  *openFence // it begins inside a fence
	more  bool       // more follows, and could decide what the part alone does not
	force bool       // what more follows closes no fence
}

// sure reports that what the part does not close stays open.
func (p *parser) sure() bool { return !p.more || p.force }

// resume is the line behind the fence that the part begins in. ok is false
// when that depends on what follows.
func (p *parser) resume() (i int, ok bool) {
	if p.open == nil {
		return 0, true
	}
	limit := p.l.count()
	if len(p.heads) > 0 {
		limit = p.heads[0].start
	}
	if j, ok := p.fences.after(p.open.fence, p.open.line, limit); ok {
		return j + 1, true
	}
	return limit, len(p.heads) > 0 || !p.more
}

// cut is where the text that begins on line from and goes on behind the part
// is cut: before the last section that begins above line to, and above all
// that the part leaves open. It is from where there is no such place. A line
// that begins a section parts nothing: what stands above it is no heading of
// an entry below.
func (p *parser) cut(from, to int) int {
	if from == to {
		return from
	}
	o := outlineOf(p.l, from, to, p.place(from))
	p.opener = o.opener
	sections := o.sections(p.l, from, to)
	for i := len(sections) - 1; i > 0; i-- {
		if at := sections[i].from; o.opener < 0 || at <= o.opener {
			return at
		}
	}
	return from
}

// place is where a text that begins on line from stands.
func (p *parser) place(from int) textPlace {
	if from > 0 {
		return textPlace{}
	}
	return textPlace{first: p.first, open: p.open}
}
