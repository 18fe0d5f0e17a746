package prompt

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"agentflow/memory/changeset"
	"agentflow/memory/markdown"
	"agentflow/memory/quote"
	"agentflow/memory/retrieval"
)

// structured returns a hit as a YAML mapping: the fields of an entry, or any other
// text as text.
func structured(h retrieval.Hit, text string) []string {
	var m mapping
	m.value("kind", string(h.Kind))
	m.value("title", untimed(quote.Inline(h.Heading)))
	blocks := markdown.Parse([]byte(text)).Blocks
	if len(blocks) != 1 || blocks[0].Entry == nil {
		m.text("text", strings.Join(detailed(retrieval.Hit{Kind: h.Kind}, quote.Lines(text)), "\n"))
		return m.lines
	}
	e := blocks[0].Entry
	if e.Task != untimed(quote.Inline(h.Heading)) {
		m.text("task", e.Task)
	}
	m.list("changes", changeLines(e.Changes))
	m.list("uncommitted", changeLines(e.Uncommitted))
	m.list("elsewhere", changeLines(e.Elsewhere))
	if r := e.Result; r != nil && !r.Success {
		m.value("outcome", string(r.Outcome))
		m.value("exit_code", strconv.Itoa(r.ExitCode))
	}
	m.text("summary", e.Summary)
	m.list("errors", e.Errors)
	m.list("denied", e.Denials)
	var facts []string
	for _, f := range e.Facts {
		facts = append(facts, f.Text)
	}
	m.list("memories", facts)
	m.text("added_by_hand", e.Extra)
	return m.lines
}

// changeLines returns the paths of a list, each with what became of it.
func changeLines(l changeset.List) []string {
	var lines []string
	for _, c := range l.Items {
		lines = append(lines, markdown.FormatChange(c))
	}
	return lines
}

func structuredFact(f Fact) []string {
	var m mapping
	m.value("fact", f.Whole())
	m.value("namespace", f.Namespace)
	m.value("type", string(f.Type))
	if f.Importance > 0 {
		m.lines = append(m.lines, fmt.Sprintf("importance: %g", f.Importance))
	}
	m.value("tags", strings.Join(f.Tags, ","))
	m.value("key", f.Key)
	return bulleted(strings.Join(m.lines, "\n"))
}

// mapping is a YAML mapping, line by line. Empty values are left out.
type mapping struct{ lines []string }

// value adds a value on one line, quoted as in JSON, which YAML can read.
func (m *mapping) value(key, v string) {
	if v != "" {
		m.lines = append(m.lines, key+": "+quoted(v))
	}
}

func quoted(v string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // < and > are text as any
	_ = e.Encode(strings.Join(quote.Lines(v), "\n"))
	return strings.TrimSuffix(b.String(), "\n")
}

// text adds a literal block, which can be cut at any line.
func (m *mapping) text(key, v string) {
	v = strings.Trim(v, "\n")
	if strings.TrimSpace(v) == "" {
		return
	}
	m.lines = append(m.lines, key+": |2") // as far as its lines are indented
	for _, l := range quote.Lines(v) {
		m.lines = append(m.lines, "  "+l)
	}
}

func (m *mapping) list(key string, items []string) {
	if len(items) == 0 {
		return
	}
	m.lines = append(m.lines, key+":")
	for _, v := range items {
		m.lines = append(m.lines, "- "+quoted(v))
	}
}
