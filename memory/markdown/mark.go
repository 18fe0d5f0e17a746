package markdown

import (
	"slices"
	"strings"
	"time"

	"agentflow/memory"
	"agentflow/memory/internal/outline"
)

// Pin marks the entry or fact with this full id as pinned, or removes the mark, wherever it is: for
// an entry pinned=1 in its comment, for a fact the tag "pinned" in the comment of its bullet. text
// is the file after that. Every byte outside those comments is kept. found reports whether any
// entry or fact has the id. If nothing needs to change, text equals the file.
func (d *Document) Pin(id string, pinned bool) (text []byte, found bool) {
	text = d.edited(func(b *Block) []byte {
		raw := b.replaced(func(f *FactAt) ([]byte, bool) {
			found = found || id != "" && f.ID == id
			return f.pin(pinned), id != "" && f.ID == id && f.Pinned() != pinned
		})
		if b.Entry == nil || id == "" || b.Entry.ID != id {
			return raw
		}
		if found = true; b.Entry.Pinned == pinned {
			return raw
		}
		if b.IsNote() {
			return b.replaced(func(f *FactAt) ([]byte, bool) { return pinPair(string(f.Raw), pinned, factComments), true })
		}
		return pinPair(string(raw), pinned, entryComment)
	})
	return text, found
}

// pinPair sets the mark in the comment of an entry, or in that of the fact of a note.
func pinPair(raw string, pinned bool, comment func(line string) (fields, bool)) []byte {
	value := ""
	if pinned {
		value = "1"
	}
	from, to := pairsOf(raw, comment)
	return []byte(raw[:from] + setPair(raw[from:to], "pinned", value) + raw[to:])
}

func (f *FactAt) pin(pinned bool) []byte {
	tags := slices.DeleteFunc(slices.Clone(f.Tags), func(t string) bool { return t == memory.PinnedTag })
	if pinned {
		tags = append(tags, memory.PinnedTag)
	}
	raw := string(f.Raw)
	from, to := factPairs(raw)
	after := factKeys[slices.Index(factKeys, "tags")+1:]
	return []byte(raw[:from] + setPair(raw[from:to], "tags", encodeList(tags), after...) + raw[to:])
}

// Undone marks the entry of a run as undone, wherever it is: its result gets another bullet, and
// every other byte stays. found reports whether there is such a run. If it is marked already, text
// equals the file.
func (d *Document) Undone(id string, at time.Time, revertedBy string) (text []byte, found bool) {
	r := memory.Result{Undone: at, RevertedBy: revertedBy}.Normal()
	text = d.edited(func(b *Block) []byte {
		if b.Entry == nil || b.Entry.ID != id || !b.Entry.Kind.ByAgent() {
			return b.Raw
		}
		if found = true; b.Entry.IsUndone() {
			return b.Raw
		}
		if b.Version == 2 {
			return b.withBullet(undoneLine2(r) + "\n")
		}
		return b.withResult(undoneLine(r))
	})
	return text, found
}

// withResult returns the entry with one more bullet after those of its result. If it has no result,
// it gets that section at its end.
func (b *Block) withResult(bullet string) []byte {
	l := outline.Split(b.Raw)
	at := -1
	for _, p := range Passages(l) {
		if p.kind == kindResult || p.kind == kindOther && p.Section == secResult {
			at = p.End
		}
	}
	if at >= 0 {
		return insert(l, at, bullet+"\n")
	}
	return insert(l, endLine(l), "\n"+sectionPrefix+secResult+"\n"+bullet+"\n\n")
}

// withBullet returns an entry of version 2 with one more bullet at its end.
func (b *Block) withBullet(bullet string) []byte {
	l := outline.Split(b.Raw)
	at, _ := commentOf(l)
	for at > 0 && l.Blank(at-1) {
		at--
	}
	list := Passages(l)
	if n := len(list); n == 0 || !list[n-1].isBullet() {
		bullet = "\n" + bullet
	}
	return insert(l, at, bullet)
}

// AddFacts adds facts after those of the entry with this full id, in the form that Format writes.
// found reports whether an entry has the id.
func (d *Document) AddFacts(id string, facts []memory.Fact) (text []byte, found bool) {
	text = d.edited(func(b *Block) []byte {
		if found || id == "" || b.Entry == nil || b.Entry.ID != id {
			return b.Raw
		}
		found = true
		return b.withFacts(facts)
	})
	return text, found
}

// withFacts returns the entry's text with facts after its last one, or in a new section at its end.
func (b *Block) withFacts(facts []memory.Fact) []byte {
	if len(facts) == 0 {
		return b.Raw
	}
	l := outline.Split(b.Raw)
	w := &formatter{}
	for _, f := range facts {
		switch {
		case b.Version == 2 && !b.IsNote():
			w.b.WriteString(formatMarked(f))
		case b.Version == 2 || len(b.Facts) > 0:
			w.b.WriteString(FormatFact(f))
		}
	}
	if n := len(b.Facts); n > 0 {
		return insert(l, b.Facts[n-1].EndLine-b.StartLine+1, w.b.String())
	}
	if b.Version == 2 {
		return b.withBullet(w.b.String())
	}
	at := endLine(l)
	if !strings.HasSuffix(l.Src[:l.Start[at]], "\n\n") {
		w.line("")
	}
	w.section(secMemories)
	w.facts(facts)
	return insert(l, at, w.b.String())
}

// endLine returns the line with the rule that ends an entry, or the one after the entry if it has
// none.
func endLine(l outline.Lines) int {
	last := l.Count() - 1
	for last > 0 && l.Blank(last) {
		last--
	}
	if outline.IsEnd(l.Line(last)) {
		return last
	}
	return l.Count()
}

// insert inserts text before a line, starting on a new line.
func insert(l outline.Lines, at int, text string) []byte {
	before, after := l.Src[:l.Start[at]], l.Src[l.Start[at]:]
	if !strings.HasSuffix(before, "\n") {
		before += "\n"
	}
	return []byte(before + text + after)
}
