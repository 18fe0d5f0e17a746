package memory

import "strings"

// bullet is the first line of a list item.
type bullet struct {
	indent int    // blanks before the marker
	text   string // behind the marker
}

// bulletOf reads "- text", "* text" or "+ text"; Format writes the first.
func bulletOf(line string) (bullet, bool) {
	body := strings.TrimLeft(line, " \t")
	if body == "" || strings.IndexByte("-*+", body[0]) < 0 {
		return bullet{}, false
	}
	if len(body) > 1 && body[1] != ' ' && body[1] != '\t' {
		return bullet{}, false
	}
	return bullet{indentOf(line[:len(line)-len(body)]), strings.TrimLeft(body[1:], " \t")}, true
}

// factAt reads the bullet on line i as a fact, with its end. Its comment
// stands on its first line, or, where an editor has wrapped the text, on a
// later one. plain lets a bullet without a comment be a fact too.
func factAt(l lines, i, limit int, b bullet, plain bool) (Fact, int, bool) {
	text, f, ok := trailingComment(b.text)
	end := i + 1
	first := b.text
	if ok {
		first = text
	}
	var more []string
	for end < limit {
		k := l.nextText(end, limit)
		if k == limit || indentOf(l.at(k)) < b.indent+2 {
			break
		}
		line := l.at(k)
		t, g, has := trailingComment(line)
		if _, nested := bulletOf(line); nested && (has || !ok && !plain) {
			break
		}
		for ; end < k; end++ {
			more = append(more, "")
		}
		if has && !ok {
			f, ok, line = g, true, t
		}
		more = append(more, outdent(line, b.indent+2))
		end = k + 1
	}
	if !ok && !plain {
		return Fact{}, 0, false
	}
	text, struck := bulletText(append([]string{first}, more...))
	return factOf(f, text, struck), end, true
}

// bulletText puts the lines of a bullet together, without what strikes them
// through.
func bulletText(lines []string) (text string, struck bool) {
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " \t")
	}
	struck = struckText(lines)
	for i, line := range lines {
		lines[i] = unescape(line)
	}
	return strings.Join(lines, "\n"), struck
}

// textFacts finds the facts in the hand-written lines [from, to): bullets,
// nested ones too, with a comment that has an id.
func textFacts(l lines, from, to int) []FactAt {
	var facts []FactAt
	o := outlineOf(l, from, to, textPlace{first: from == 0})
	for i := from; i < to; {
		line := l.at(i)
		if e, ok := o.of(i); ok && e.kind == elementFence {
			i = e.to
			continue
		}
		if b, ok := bulletOf(line); ok {
			if f, end, ok := factAt(l, i, to, b, false); ok && f.ID != "" {
				facts = append(facts, FactAt{f, i + 1, end})
				i = end
				continue
			}
		}
		i++
	}
	return facts
}
