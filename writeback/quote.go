package writeback

import (
	"bytes"
	"encoding/json"
	"maps"
	"strings"
	"unicode/utf8"

	"agentflow/memory/markdown"
)

// quote recognises texts by their lines, wherever and however they were
// copied: as they are, or inside JSON.
type quote struct {
	ids   map[string]bool // whose texts they are
	parts [][]byte
}

// join adds the texts of another one.
func (q *quote) join(other quote) {
	maps.Copy(q.ids, other.ids)
	q.parts = append(q.parts, other.parts...)
}

// quoteLeast is how many runes a line must have to be recognised by: shorter
// ones stand everywhere.
const quoteLeast = 12

// quoteOf takes the lines that are somebody's words: titles, tasks, summaries,
// errors and facts, not the labels around them.
func quoteOf(id string, text []byte) quote {
	q := quote{ids: map[string]bool{id: true}}
	for _, b := range markdown.Parse(text).Blocks {
		if e := b.Entry; e != nil {
			q.add(e.Title, e.Task, e.Summary)
			q.add(e.Errors...)
			q.add(e.Denials...)
		}
		for _, f := range b.Facts {
			q.add(f.Text)
		}
	}
	return q
}

func (q *quote) add(words ...string) {
	for line := range strings.Lines(strings.Join(words, "\n")) {
		line = strings.TrimSpace(line)
		if utf8.RuneCountInString(line) < quoteLeast {
			continue
		}
		q.parts = append(q.parts, []byte(line))
		if inJSON, err := json.Marshal(line); err == nil && string(inJSON[1:len(inJSON)-1]) != line {
			q.parts = append(q.parts, inJSON[1:len(inJSON)-1])
		}
	}
}

// in says whether data holds any of the lines.
func (q quote) in(data []byte) bool {
	for _, part := range q.parts {
		if bytes.Contains(data, part) {
			return true
		}
	}
	return false
}
