package memory

import "strings"

// AddFacts puts facts behind those of the entry with this full id, as Format
// would have written them there. Every other byte is kept. found says whether
// an entry has the id. The document itself is not changed.
func (d *Document) AddFacts(id string, facts []Fact) (text []byte, found bool) {
	for i := range d.Blocks {
		b := &d.Blocks[i]
		if found || id == "" || b.Entry == nil || b.Entry.ID != id {
			text = append(text, b.Raw...)
			continue
		}
		text, found = append(text, b.withFacts(facts)...), true
	}
	return text, found
}

// withFacts is the entry's text with facts behind the last that it has, or in
// a section of their own at its end.
func (b *Block) withFacts(facts []Fact) string {
	if len(facts) == 0 {
		return string(b.Raw)
	}
	l := splitLines(b.Raw)
	w := &formatter{}
	at := l.count()
	if n := len(b.Facts); n > 0 {
		at = b.Facts[n-1].EndLine - b.StartLine + 1
		for _, f := range facts {
			w.b.WriteString(FormatFact(f))
		}
	} else {
		for i := range l.count() {
			if isEnd(l.at(i)) {
				at = i
			}
		}
		w.section(secMemories)
		w.facts(facts)
	}
	before, after := l.src[:l.start[at]], l.src[l.start[at]:]
	if !strings.HasSuffix(before, "\n") {
		before += "\n"
	}
	if len(b.Facts) == 0 && !strings.HasSuffix(before, "\n\n") {
		before += "\n"
	}
	return before + w.b.String() + after
}
