package memory

import (
	"slices"
	"strings"
)

// Parse reads a Markdown file of memory. It never fails: what is no entry of
// ours is text that somebody wrote. It takes time linear in len(src), which
// it does not keep.
//
// An entry begins with the heading above a line <!-- agentflow v=… -->, both
// at the start of their lines, and ends with a line ---, before the next
// heading of level one or two, or with the file. An entry that is quoted
// inside a closed code fence is text; a fence that somebody forgot to close
// hides no entry.
func Parse(src []byte) *Document {
	p := newParser(slices.Clone(src), part{first: true})
	p.blocks()
	return &p.doc
}

type parser struct {
	part
	l      lines
	raw    []byte
	fences *closers
	heads  []head
	ends   []int // lines that are ---
	doc    Document
	// opener is the line of the last block's text that leaves a fence or a
	// comment open, -1 for none; goesOn says that more of that text follows.
	opener int
	goesOn bool
}

// newParser keeps raw.
func newParser(raw []byte, at part) *parser {
	p := &parser{part: at, opener: -1, l: splitLines(raw), raw: raw}
	p.fences = findFences(p.l, 0, p.l.count())
	p.findHeads()
	return p
}

// head is where an entry begins: its first line and that of its comment.
type head struct{ start, comment int }

// headingGap is how many blank lines may part an entry's heading from its
// comment.
const headingGap = 3

func (p *parser) findHeads() {
	last := -1
	for i := range p.l.count() {
		line := p.l.at(i)
		if isEnd(line) {
			p.ends = append(p.ends, i)
			continue
		}
		if _, ok := entryComment(line); !ok {
			continue
		}
		start := i
		above := i - 1
		for above > last && i-above <= headingGap && p.l.blank(above) {
			above--
		}
		if above > last && isHeading(p.l.at(above), above == 0 && p.first) {
			start = above
		}
		p.heads = append(p.heads, head{start, i})
		last = i
	}
}

func isEnd(line string) bool { return strings.TrimRight(line, " \t") == entryEnd }

// isHeading reports an entry's heading; an editor may have put a byte order
// mark before the first line of a file.
func isHeading(line string, first bool) bool {
	if first {
		line = strings.TrimPrefix(line, "\uFEFF")
	}
	return strings.HasPrefix(line, headingPrefix)
}

// blocks cuts the part into entries and what stands between them, as far as
// it decides that, and returns the line behind what it has cut.
func (p *parser) blocks() (end int) {
	n := p.l.count()
	text, next := 0, 0
	i, ok := p.resume()
	for ok && i < n {
		for next < len(p.heads) && p.heads[next].start < i {
			next++
		}
		limit := n
		if next < len(p.heads) {
			limit = p.heads[next].start
		}
		if i == limit {
			p.text(text, i)
			end, sure := p.entryEnd(next)
			if !sure {
				return i
			}
			p.entry(next, end)
			i, text = end, end
			continue
		}
		i, ok = p.skip(i, limit, next)
	}
	if p.more {
		i = p.cut(text, i)
		p.goesOn = i > text
	}
	p.text(text, i)
	return i
}

// skip steps over a line of text, or over the whole fence it opens. ok is
// false when that depends on what follows.
func (p *parser) skip(i, limit, next int) (behind int, ok bool) {
	f, fenced := fenceOf(p.l.at(i), 3)
	if !fenced {
		return i + 1, true
	}
	if j, ok := p.fences.after(f, i, limit); ok {
		return j + 1, true
	}
	if next == len(p.heads) {
		return i + 1, p.sure()
	}
	if p.l.nextText(i+1, limit) == limit {
		// The fence holds nothing before an entry: a quotation, if the
		// entry ends inside it.
		j, ok := p.fences.after(f, i, p.l.count())
		k, _ := slices.BinarySearch(p.ends, p.heads[next].comment)
		if ok && k < len(p.ends) && p.ends[k] < j {
			return j + 1, true
		}
		if !ok {
			return i + 1, p.sure()
		}
	}
	return i + 1, true
}

// entryEnd is the line behind the entry with heads[k]. ok is false when that
// depends on what follows.
func (p *parser) entryEnd(k int) (end int, ok bool) {
	limit, known := p.l.count(), !p.more
	if k+1 < len(p.heads) {
		limit, known = p.heads[k+1].start, true
	}
	for i := p.heads[k].comment + 1; i < limit; i++ {
		line := p.l.at(i)
		if f, ok := fenceOf(line, 3); ok {
			if j, ok := p.fences.after(f, i, limit); ok {
				i = j
			} else if !known && !p.sure() {
				return 0, false
			}
			continue
		}
		if strings.HasPrefix(line, "# ") || strings.HasPrefix(line, headingPrefix) {
			return i, true
		}
		if isEnd(line) {
			if i+1 < limit && p.l.blank(i+1) {
				return i + 2, true
			}
			return i + 1, known || i+1 < limit
		}
	}
	return limit, known
}

// entry adds the block of the entry with heads[k], which ends before line
// end.
func (p *parser) entry(k, end int) {
	h := p.heads[k]
	b := p.block(h.start, end)
	items := readItems(p.l, h, end)
	heading := ""
	if h.start < h.comment {
		heading = strings.TrimPrefix(p.l.at(h.start), "\uFEFF")
	}
	f, _ := entryComment(p.l.at(h.comment))
	b.Entry = entryOf(heading, f, items)
	for _, it := range items {
		if it.kind == itemFact {
			b.Facts = append(b.Facts, FactAt{it.fact, p.line + it.start + 1, p.line + it.end})
		}
	}
	p.doc.Blocks = append(p.doc.Blocks, b)
}

// text adds the block of the hand-written lines [from, to).
func (p *parser) text(from, to int) {
	if from == to {
		return
	}
	b := p.block(from, to)
	b.Facts = textFacts(p.l, from, to, p.place(from))
	for i := range b.Facts {
		b.Facts[i].StartLine += p.line
		b.Facts[i].EndLine += p.line
	}
	p.doc.Blocks = append(p.doc.Blocks, b)
}

func (p *parser) block(from, to int) Block {
	a, z := p.l.start[from], p.l.start[to]
	return Block{Raw: p.raw[a:z:z], StartLine: p.line + from + 1, EndLine: p.line + to}
}
