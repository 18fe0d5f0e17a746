package consolidate

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"agentflow/memory"
	"agentflow/memory/markdown"
)

// Sections of MEMORY.md for facts without a category.
var typeSections = map[memory.FactType]string{
	memory.Semantic: "Facts", memory.Episodic: "Experience", memory.Procedural: "Procedures",
}

const maxSection = 60

// sectionOf returns the heading in MEMORY.md for a fact: its category if that can be a heading,
// otherwise its type.
func sectionOf(f memory.Fact) string {
	name := strings.Join(strings.Fields(f.Category), " ")
	plain := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(" -_&", r) }
	r, n := utf8.DecodeRuneInString(name)
	if !unicode.IsLetter(r) || strings.ContainsFunc(name, func(r rune) bool { return !plain(r) }) || utf8.RuneCountInString(name) > maxSection {
		return cmp.Or(typeSections[f.Type], typeSections[memory.Semantic])
	}
	return string(unicode.ToUpper(r)) + name[n:]
}

// memoryText returns MEMORY.md with the facts that move to it, each at the end of its section.
func (p *plan) memoryText() []byte {
	text := p.begun(memory.LastingFile)
	order, sections := grouped(p.moving(memory.LastingFile), func(f *fact) string { return sectionOf(f.Fact) })
	for _, name := range order {
		var bullets []byte
		for _, f := range sections[name] {
			bullets = append(bullets, f.bullet()...)
		}
		text = insert(text, name, bullets)
	}
	return text
}

// factsText returns archive/facts.md with the facts that move to it.
func (p *plan) factsText() []byte {
	text := p.begun(memory.FadedFile)
	doc := markdown.Parse(text)
	last := doc.Blocks[len(doc.Blocks)-1]
	if len(last.Facts) == 0 || last.Facts[len(last.Facts)-1].EndLine != last.EndLine {
		text = blankLine(text)
	} else {
		text = fullLine(text)
	}
	for _, f := range p.moving(memory.FadedFile) {
		text = append(text, f.bullet()...)
	}
	return text
}

// begun returns the revised file. An empty file gets its title.
func (p *plan) begun(name string) []byte {
	text := p.revised(name)
	if len(bytes.TrimSpace(text)) == 0 {
		text = append(text, "# "+memory.FileTitle(name)+"\n"...)
	}
	return text
}

// moving returns the facts that move to a file, those with the most time left first.
func (p *plan) moving(to string) []*fact {
	list := slices.DeleteFunc(slices.Clone(p.facts), func(f *fact) bool { return f.to != to })
	slices.SortFunc(list, p.ranking.compare)
	return list
}

// insert adds bullets at the end of the section with this name, or of a new section at the end
// of the text. It changes no other byte.
func insert(text []byte, name string, bullets []byte) []byte {
	doc := markdown.Parse(text)
	offset := 0
	for i := range doc.Blocks {
		b := &doc.Blocks[i]
		if line, tight, ok := sectionEnd(b, name, i == 0); ok {
			at := offset + lineOffset(b.Raw, line-b.StartLine+1)
			head := fullLine(slices.Clone(text[:at]))
			if !tight {
				head = append(head, '\n')
			}
			rest := text[at:]
			head = append(head, bullets...)
			if next, _, _ := bytes.Cut(rest, []byte{'\n'}); len(bytes.TrimSpace(next)) > 0 {
				head = append(head, '\n')
			}
			return append(head, rest...)
		}
		offset += len(b.Raw)
	}
	text = fullLine(slices.Clone(text))
	text = blankLine(append(text, markdown.Opening(text, memory.FileTitle(memory.LastingFile), true)...))
	text = append(text, "## "+name+"\n\n"...)
	return append(text, bullets...)
}

// sectionEnd returns the last line that is not blank of the section with this name. tight means
// that the line belongs to a fact, so a bullet may follow at once.
func sectionEnd(b *markdown.Block, name string, first bool) (line int, tight, ok bool) {
	headings := b.Headings(first)
	within := "" // the title above
	k := slices.IndexFunc(headings, func(h markdown.Heading) bool {
		if h.Level == 1 {
			within = h.Text
		}
		return h.Level == 2 && strings.EqualFold(h.Text, name) && markdown.Plain(within)
	})
	if k < 0 {
		return 0, false, false
	}
	end := b.EndLine
	for _, h := range headings[k+1:] {
		if h.Level <= 2 {
			end = h.Line - 1
			break
		}
	}
	lines := bytes.SplitAfter(b.Raw, []byte{'\n'})
	for end > headings[k].Line && len(bytes.TrimSpace(lines[end-b.StartLine])) == 0 {
		end--
	}
	tight = slices.ContainsFunc(b.Facts, func(f markdown.FactAt) bool { return f.EndLine == end })
	return end, tight, true
}
