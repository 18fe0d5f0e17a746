package memory

import "strings"

// itemKind says what a stretch of an entry's lines is.
type itemKind int

const (
	itemOther   itemKind = iota // labels, headings and what is derived
	itemTask                    // value: the task
	itemSubject                 // value: a commit's subject; label: its short id
	itemChange                  // value: one change line
	itemUnread                  // value: why a change list could not be read
	itemResult                  // value: a bullet of the result
	itemNote                    // value: a remark
	itemSummary                 // value: the summary
	itemError                   // value: an error
	itemDenied                  // value: a denial
	itemFact                    // fact
	itemExtra                   // value: the lines as they stand
)

// item is one stretch of an entry's lines, [start, end), counted from 0 in
// the file.
type item struct {
	kind       itemKind
	section    string
	start, end int
	label      string
	value      string
	fact       Fact
}

// itemReader walks the lines of one entry.
type itemReader struct {
	l       lines
	end     int
	fences  *closers
	section string
	items   []item
}

// readItems reads the lines behind an entry's comment.
func readItems(l lines, h head, end int) []item {
	r := itemReader{l: l, end: end, fences: findFences(l, h.comment+1, end)}
	for i := h.comment + 1; i < end; {
		i = r.read(i)
	}
	return r.items
}

func (r *itemReader) add(kind itemKind, start, end int, label, value string) int {
	r.items = append(r.items, item{kind: kind, section: r.section, start: start, end: end, label: label, value: value})
	return end
}

// read takes what begins on line i, and returns the line behind it.
func (r *itemReader) read(i int) int {
	line := r.l.at(i)
	switch {
	case r.l.blank(i) || isEnd(line):
		return i + 1
	case strings.HasPrefix(line, "### "):
		return r.heading(i)
	case r.section == secSummary:
		return r.summary(i)
	}
	if f, ok := fenceOf(line, 3); ok {
		if j, ok := r.fences.after(f, i, r.end); ok {
			return r.add(itemExtra, i, j+1, "", r.rawLines(i, j+1))
		}
	}
	if b, ok := bulletOf(line); ok && b.indent == 0 {
		return r.bullet(i, b)
	}
	trimmed := strings.TrimRight(line, " \t")
	if r.section == secHead {
		if strings.HasPrefix(line, labelCommit) {
			return r.add(itemOther, i, i+1, "", "")
		}
		if rest, ok := strings.CutPrefix(trimmed, labelTask); ok {
			return r.labelled(itemTask, i, rest)
		}
	}
	if changeSection(r.section) {
		if rest, ok := strings.CutPrefix(trimmed, labelUnread); ok {
			return r.labelled(itemUnread, i, rest)
		}
	}
	if trimmed == none && (changeSection(r.section) || r.section == secErrors) {
		return r.add(itemOther, i, i+1, "", "")
	}
	return r.add(itemExtra, i, i+1, "", line)
}

func changeSection(s string) bool {
	return s == secChanges || s == secUncommitted || s == secMeanwhile
}

// heading begins a section; one that is not ours is text of a person.
func (r *itemReader) heading(i int) int {
	name := strings.TrimSpace(r.l.at(i)[len("### "):])
	switch name {
	case secCommits, secChanges, secUncommitted, secMeanwhile, secResult, secNotes, secSummary, secErrors, secMemories:
		r.section = name
		return r.add(itemOther, i, i+1, "", "")
	}
	r.section = name
	return r.add(itemExtra, i, i+1, "", r.l.at(i))
}

// summary takes all lines up to the next section: a person who edits one
// need not know about indentation.
func (r *itemReader) summary(i int) int {
	end := i
	last := i
	for end < r.end {
		line := r.l.at(end)
		if strings.HasPrefix(line, "### ") || isEnd(line) {
			break
		}
		if f, ok := fenceOf(line, 3); ok {
			if j, ok := r.fences.after(f, end, r.end); ok {
				end = j
			}
		}
		if !r.l.blank(end) {
			last = end
		}
		end++
	}
	return r.add(itemSummary, i, last+1, "", r.value(r.l.at(i), i, last+1, 2))
}

// labelled takes a value that begins with rest on line i.
func (r *itemReader) labelled(kind itemKind, i int, rest string) int {
	end := r.continued(i, 2)
	return r.add(kind, i, end, "", r.value(strings.TrimLeft(rest, " "), i, end, 2))
}

// continued is the end of what begins on line i: behind the last line that is
// indented by at least indent, empty lines between not counting.
func (r *itemReader) continued(i, indent int) int {
	return continued(r.l, i, r.end, indent)
}

func continued(l lines, i, limit, indent int) int {
	end := i + 1
	for end < limit {
		k := l.nextText(end, limit)
		if k == limit || indentOf(l.at(k)) < indent {
			break
		}
		end = k + 1
	}
	return end
}

// value joins first and the lines after i, unescaped.
func (r *itemReader) value(first string, i, end, indent int) string {
	return valueOf(r.l, first, i, end, indent)
}

func valueOf(l lines, first string, i, end, indent int) string {
	var b strings.Builder
	b.WriteString(unescape(strings.TrimRight(first, " \t")))
	for k := i + 1; k < end; k++ {
		b.WriteByte('\n')
		b.WriteString(unescape(strings.TrimRight(outdent(l.at(k), indent), " \t")))
	}
	return b.String()
}

func (r *itemReader) rawLines(from, to int) string {
	list := make([]string, 0, to-from)
	for i := from; i < to; i++ {
		list = append(list, r.l.at(i))
	}
	return strings.Join(list, "\n")
}

// bullet takes a bullet at the start of a line, with its further lines.
func (r *itemReader) bullet(i int, b bullet) int {
	if f, end, ok := factAt(r.l, i, r.end, b, r.section == secMemories || r.section == secHead); ok {
		r.items = append(r.items, item{kind: itemFact, section: r.section, start: i, end: end, fact: f})
		return end
	}
	if changeSection(r.section) {
		return r.add(itemChange, i, i+1, "", b.text)
	}
	end := r.continued(i, 2)
	text := strings.TrimRight(b.text, " \t")
	take := func(kind itemKind, label, rest string) int {
		return r.add(kind, i, end, label, r.value(strings.TrimLeft(rest, " "), i, end, 2))
	}
	switch r.section {
	case secCommits:
		id, subject, _ := strings.Cut(text, " ")
		return take(itemSubject, id, subject)
	case secResult, secNotes:
		if rest, ok := strings.CutPrefix(text, labelNote); ok {
			return take(itemNote, "", rest)
		}
		if r.section == secResult {
			return r.add(itemResult, i, i+1, "", text)
		}
	case secErrors:
		if rest, ok := strings.CutPrefix(text, labelDenied); ok {
			return take(itemDenied, "", rest)
		}
		return take(itemError, "", text)
	}
	return r.add(itemExtra, i, end, "", r.rawLines(i, end))
}
