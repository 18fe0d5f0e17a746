package markdown

import (
	"slices"
	"strings"

	"agentflow/memory"
	"agentflow/memory/internal/outline"
)

// Parse reads a Markdown file of memory. It never fails: text that is not an entry of ours is
// hand-written text. It takes time linear in len(src), and does not keep src.
//
// An entry of version 1 begins with the heading above a line <!-- agentflow v=1 … -->, both at the
// start of their lines. It ends with a line ---, before the next heading of level one or two, or
// with the file. An entry of version 2 ends with its line <!-- agentflow v=2 … -->. A bullet with
// the comment of a note is a note, wherever it is. An entry that is quoted inside a closed code
// fence is text. A fence that was never closed hides no entry.
func Parse(src []byte) *Document {
	raw := slices.Clone(src)
	p := &parser{l: outline.Split(raw), raw: raw}
	p.fences = outline.FindFences(p.l, 0, p.l.Count())
	p.findHeads()
	p.blocks()
	p.doc.placeFacts()
	return &p.doc
}

// placeFacts sets Under of the facts in hand-written text.
func (d *Document) placeFacts() {
	for i := range d.Blocks {
		b := &d.Blocks[i]
		if b.Entry != nil || len(b.Facts) == 0 {
			continue
		}
		for _, n := range b.Notes(i == 0) {
			if n.Fact != nil {
				n.Fact.Under = n.Under
			}
		}
	}
}

type parser struct {
	l      outline.Lines
	raw    []byte
	fences *outline.Fences
	heads  []head
	ends   []int // lines that are ---
	doc    Document
}

func (p *parser) blocks() {
	n := p.l.Count()
	text, next := 0, 0
	for i := 0; i < n; {
		for next < len(p.heads) && p.heads[next].start < i {
			next++
		}
		limit := n
		if next < len(p.heads) {
			limit = p.heads[next].start
		}
		if i == limit {
			p.text(text, i)
			i = p.entryEnd(next)
			p.entry(next, i)
			text = i
			continue
		}
		i = p.skip(i, limit, next)
	}
	p.text(text, n)
}

// skip steps over a line of text, or over the whole fence that it opens.
func (p *parser) skip(i, limit, next int) int {
	f, fenced := outline.FenceOf(p.l.Line(i), 3)
	if !fenced {
		return i + 1
	}
	if j, ok := p.fences.After(f, i, limit); ok {
		return j + 1
	}
	if next < len(p.heads) && p.l.NextText(i+1, limit) == limit {
		// No text follows before the next entry. The fence is a quotation if that entry ends inside
		// it.
		j, ok := p.fences.After(f, i, p.l.Count())
		if ok && p.endsBefore(next, j) {
			return j + 1
		}
	}
	return i + 1
}

// entryEnd returns the line after the entry with heads[k].
func (p *parser) entryEnd(k int) int {
	limit := p.l.Count()
	if h := p.heads[k]; h.v2 {
		return p.blankAfter(h.comment, limit)
	}
	if k+1 < len(p.heads) {
		limit = p.heads[k+1].start
	}
	for i := p.heads[k].comment + 1; i < limit; i++ {
		line := p.l.Line(i)
		if f, ok := outline.FenceOf(line, 3); ok {
			if j, ok := p.fences.After(f, i, limit); ok {
				i = j
			}
			continue
		}
		if strings.HasPrefix(line, "# ") || strings.HasPrefix(line, headingPrefix) {
			return i
		}
		if outline.IsEnd(line) {
			return p.blankAfter(i, limit)
		}
	}
	return limit
}

// blankAfter returns the line after line i and one blank line.
func (p *parser) blankAfter(i, limit int) int {
	if i+1 < limit && p.l.Blank(i+1) {
		return i + 2
	}
	return i + 1
}

// entry adds the block of the entry with heads[k], which ends before line end.
func (p *parser) entry(k, end int) {
	h := p.heads[k]
	b := p.block(h.start, end)
	b.Version = 1
	f, _ := entryComment(p.l.Line(h.comment))
	heading, first := "", h.start
	if h.start < h.comment {
		heading, first = strings.TrimPrefix(p.l.Line(h.start), "\uFEFF"), h.start+1
	}
	var list []Passage
	if h.v2 {
		list = readPassages2(p.l, first, h.comment, f)
		b.Entry, b.Version = entryOf2(heading, f, list), 2
	} else {
		list = readPassages(p.l, h.comment, end, f)
		b.Entry = entryOf(heading, f, list)
	}
	placePassages(list)
	for _, it := range list {
		if it.kind == kindFact {
			b.Facts = append(b.Facts, p.factAt(h.start, *it.fact, it.Start, it.End))
		}
	}
	p.doc.Blocks = append(p.doc.Blocks, b)
}

// text adds the blocks of the hand-written lines [from, to) and of the notes in them. The facts are
// the bullets, including nested ones, with a comment that has an id.
func (p *parser) text(from, to int) {
	if from == to {
		return
	}
	var facts []FactAt
	o := outline.Of(p.l, from, to, from == 0)
	flush := func(end int) {
		if end > from {
			b := p.block(from, end)
			b.Facts, facts = facts, nil
			p.doc.Blocks = append(p.doc.Blocks, b)
		}
	}
	for i := from; i < to; {
		if e := o.At(i); e.Kind == outline.Code {
			i = e.To
			continue
		}
		mark, bullet := outline.BulletOf(p.l.Line(i))
		if !bullet {
			i++
			continue
		}
		f, end, ok := factAt(p.l, i, to, mark, false)
		if !ok || f.ID == "" {
			i++
			continue
		}
		if meta, ok := p.noteAt(i, end, mark); ok {
			flush(i)
			i = p.note(i, end, to, f, meta)
			from = i
			continue
		}
		facts = append(facts, p.factAt(from, f, i, end))
		i = end
	}
	flush(to)
}

func (p *parser) block(from, to int) Block {
	a, z := p.l.Start[from], p.l.Start[to]
	return Block{Raw: p.raw[a:z:z], StartLine: from + 1, EndLine: to}
}

// factAt returns a fact on the lines [from, to) of the block that begins on line block.
func (p *parser) factAt(block int, f memory.Fact, from, to int) FactAt {
	a, z := p.l.Start[from], p.l.Start[to]
	return FactAt{f, from + 1, to, p.raw[a:z:z], a - p.l.Start[block]}
}
