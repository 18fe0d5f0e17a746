// Package trace finds copies of a text in files, and removes them.
//
// Guarantees: a line of the text is found as it is, in a title that was cut, inside JSON as any
// encoder writes it, and inside JSON that is a string of JSON, both in plain files and in members
// of ZIP archives. A file that is overwritten keeps its length, so that another process may append
// to it in the meantime, and JSON stays JSON.
//
// A line that only begins like one of the text is left as it is. A long line that was cut is found
// by an ellipsis, a quotation mark, an end of line or the end of the file after its beginning.
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

// next returns where data from at on holds the line, or a beginning of it that was cut. A size of 0
// says that it holds none.
func (p part) next(data []byte, at int) (from, size int) {
	for {
		i := bytes.Index(data[at:], p.begin)
		if i < 0 {
			return 0, 0
		}
		at += i
		if size = p.length(data[at:]); size > 0 {
			return at, size
		}
		at++
	}
}

// length returns how much of the line data begins with; 0: data begins with another line, which only
// has the same beginning.
func (p part) length(data []byte) int {
	n := len(p.begin)
	for n < len(p.whole) && n < len(data) && p.whole[n] == data[n] {
		n++
	}
	if n < len(p.whole) && !ended(data[n:]) {
		return 0
	}
	return n
}

// marks lists how the data after a line that was cut begins. A backslash begins an ellipsis, a
// quotation mark or an end of line in JSON.
var marks = [][]byte{[]byte("…"), []byte("..."), []byte(`"`), []byte(`\`), []byte("\r"), []byte("\n")}

// longestMark counts the bytes of the longest of the marks.
const longestMark = 3

func ended(rest []byte) bool {
	return len(rest) == 0 || slices.ContainsFunc(marks, func(m []byte) bool { return bytes.HasPrefix(rest, m) })
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
	begin, cut := strings.CutSuffix(memory.Title(line), "…") // it begins as the Title does
	if !cut || !strings.HasPrefix(line, begin) {
		begin = line
	}
	forms := []string{line}
	begins := []string{begin}
	for from := 0; from < len(forms) && len(forms) < maxForms; from++ {
		cut := inJSON(begins[from])
		for i, form := range inJSON(forms[from]) {
			if !slices.Contains(forms, form) {
				forms, begins = append(forms, form), append(begins, cut[i])
			}
		}
	}
	for i, form := range forms {
		q.parts = append(q.parts, part{[]byte(begins[i]), []byte(form)})
	}
}

// maxForms bounds the forms of a line. Those of JSON within JSON are among the first.
const maxForms = 12

// inJSON returns a text as encoders of JSON write it: Go's, with <, > and & escaped; JavaScript's,
// which escapes none of them; and Python's, which writes only ASCII. Each begins with that of a
// beginning of the text.
func inJSON(s string) [3]string {
	plain := encoded(s, false)
	return [3]string{encoded(s, true), plain, ascii(plain)}
}

func encoded(s string, html bool) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(html)
	if err := e.Encode(s); err != nil {
		panic("trace: a string has no JSON: " + err.Error())
	}
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSuffix(b.String(), "\n"), `"`), `"`)
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
	return slices.ContainsFunc(q.parts, func(p part) bool {
		_, size := p.next(data, 0)
		return size > 0
	})
}
