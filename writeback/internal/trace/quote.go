// Package trace finds copies of a text in files, and removes them.
//
// Guarantees: a line of the text is found as it is, in a title that was cut, inside JSON as any
// encoder writes it, and inside JSON that is a string of JSON, both in plain files and in members
// of ZIP archives. A file that is overwritten keeps its length, so that another process may append
// to it in the meantime, and JSON stays JSON.
//
// Not guaranteed: a line shorter than 8 characters is not searched for, because such lines occur
// everywhere.
package trace

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"agentflow/memory"
)

// Quote recognises texts by their lines.
type Quote struct {
	ids   map[string]bool // of the entries and facts with the texts
	lines []string
	parts []part
	short []string // lines that are not searched for
}

// part is a line in one form. It is found by its beginning, because titles cut long lines.
type part struct{ begin, whole []byte }

// length returns how much of the line data begins with; 0: data does not begin with the line.
func (p part) length(data []byte) int {
	n := len(p.begin)
	for n < len(p.whole) && n < len(data) && p.whole[n] == data[n] {
		n++
	}
	return n
}

// Of returns a Quote that recognises the words of an entry or a fact with an id.
func Of(id string, words ...string) Quote {
	q := Quote{ids: map[string]bool{id: true}}
	q.Add(words...)
	return q
}

// Has reports whether the quote includes the text with this id.
func (q Quote) Has(id string) bool { return q.ids[id] }

// Lines lists the lines that are searched for.
func (q Quote) Lines() []string { return q.lines }

// Short lists the lines that are too short to be searched for.
func (q Quote) Short() []string { return q.short }

// Join adds the texts of another quote.
func (q *Quote) Join(other Quote) {
	if q.ids == nil {
		q.ids = map[string]bool{}
	}
	maps.Copy(q.ids, other.ids)
	q.lines = append(q.lines, other.lines...)
	q.parts = append(q.parts, other.parts...)
	q.short = append(q.short, other.short...)
}

// leastRunes is the least length in characters of a line that is searched for.
const leastRunes = 8

// Add adds the lines of more words.
func (q *Quote) Add(words ...string) {
	for line := range strings.Lines(strings.Join(words, "\n")) {
		line = strings.TrimSpace(line)
		switch n := utf8.RuneCountInString(line); {
		case n == 0:
		case n < leastRunes:
			q.short = append(q.short, line)
		default:
			q.lines = append(q.lines, line)
			q.add(line)
			if plain := strings.Join(strings.Fields(memory.Clean(line)), " "); plain != line {
				q.add(plain)
			}
		}
	}
}

// add adds a line, its encodings as JSON, and those of JSON within JSON.
func (q *Quote) add(line string) {
	forms := []string{line}
	for from := 0; from < len(forms) && len(forms) < maxForms; from++ {
		for _, form := range inJSON(forms[from]) {
			if !slices.Contains(forms, form) {
				forms = append(forms, form)
			}
		}
	}
	begin, cut := strings.CutSuffix(memory.Heading(line), "…") // it begins as the Title does
	for _, form := range forms {
		p := part{[]byte(form), []byte(form)}
		if cut && strings.HasPrefix(form, begin) {
			p.begin = p.begin[:len(begin)]
		}
		q.parts = append(q.parts, p)
	}
}

// maxForms bounds the forms of a line. Those of JSON within JSON are among the first.
const maxForms = 12

// inJSON returns a text as encoders of JSON write it: Go's, with <, > and & escaped; JavaScript's,
// which escapes none of them; and Python's, which writes only ASCII.
func inJSON(s string) []string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(s) != nil {
		return nil
	}
	plain := strings.TrimSuffix(b.String(), "\n")
	plain = plain[1 : len(plain)-1]
	html, err := json.Marshal(s)
	if err != nil {
		return []string{plain}
	}
	return []string{string(html[1 : len(html)-1]), plain, ascii(plain)}
}

// ascii escapes the characters that are not ASCII.
func ascii(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r < utf8.RuneSelf:
			b.WriteRune(r)
		case r > 0xFFFF:
			r -= 0x10000
			fmt.Fprintf(&b, `\u%04x\u%04x`, 0xD800+r>>10, 0xDC00+r&0x3FF)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// In reports whether data holds any of the lines.
func (q Quote) In(data []byte) bool {
	return slices.ContainsFunc(q.parts, func(p part) bool { return bytes.Contains(data, p.begin) })
}
