package connect

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// Table is our table in a TOML settings file.
type Table struct {
	Path  []string // such as mcp_servers, agentflow
	Lines []string // key = value
	Ours  func(map[string]any) bool
}

// addTable returns the text with the table at its end, and every other byte unchanged. It
// returns an error if the text cannot be parsed, or has such a table already.
func addTable(text []byte, t Table) ([]byte, error) {
	tree, err := parseTOML(text)
	if err != nil {
		return nil, err
	}
	if t.in(tree) != nil {
		return nil, fmt.Errorf("%s is set already, and not by agentflow", quotedPath(t.Path))
	}
	newline := "\n"
	if bytes.Contains(text, []byte("\r\n")) {
		newline = "\r\n"
	}
	var out strings.Builder
	out.Write(text)
	if body := bytes.TrimPrefix(text, byteOrderMark); len(body) > 0 {
		if body[len(body)-1] != '\n' {
			out.WriteString(newline)
		}
		out.WriteString(newline)
	}
	out.WriteString("[" + strings.Join(t.Path, ".") + "]" + newline)
	for _, line := range t.Lines {
		out.WriteString(line + newline)
	}
	if tree, err = parseTOML([]byte(out.String())); err != nil || t.in(tree) == nil {
		return nil, fmt.Errorf("[%s] cannot be added at the end: %w", strings.Join(t.Path, "."), err)
	}
	return []byte(out.String()), nil
}

// hasTable reports whether a text has the table. The table may have additional keys, which a
// user may have added.
func hasTable(text []byte, t Table) bool {
	tree, err := parseTOML(text)
	if err != nil {
		return false
	}
	want, err := parseTOML([]byte(strings.Join(t.Lines, "\n")))
	have := t.in(tree)
	return err == nil && have != nil && holds(have, want)
}

// cutTable returns the text without the table, if that is ours. It also removes tables below
// it, such as one that the agent made.
func cutTable(text []byte, t Table) ([]byte, error) {
	tree, err := parseTOML(text)
	if err != nil {
		return text, err
	}
	if have := t.in(tree); have == nil || !t.Ours(have) {
		return text, nil
	}
	body := bytes.TrimPrefix(text, byteOrderMark)
	mark := len(text) - len(body)
	var parts []header
	if parts, err = headers(body); err != nil {
		return text, err
	}
	var out []byte
	kept := 0
	for i, h := range parts {
		if !h.below(t.Path) {
			continue
		}
		from, to := mark+h.at, len(text)
		if i+1 < len(parts) {
			to = mark + parts[i+1].at
		}
		out = append(out, text[kept:tableGap(text, kept, from)]...)
		kept = tableEnd(text, from, to)
	}
	out = append(out, text[kept:]...)
	if tree, err = parseTOML(out); err != nil || t.in(tree) != nil {
		return text, fmt.Errorf("[%s] is written in a way that only a person can take out", strings.Join(t.Path, "."))
	}
	return out, nil
}

// tableGap returns the start of the blank line before a table.
func tableGap(text []byte, from, at int) int {
	for _, blank := range []string{"\r\n", "\n"} {
		if head := bytes.TrimSuffix(text[from:at], []byte(blank)); len(head) < at-from && (len(head) == 0 || head[len(head)-1] == '\n') {
			return from + len(head)
		}
	}
	return at
}

// tableEnd returns the end of a table's last line, before comments that belong to the next
// table.
func tableEnd(text []byte, from, to int) int {
	end := from
	for at := from; at < to; {
		next := to
		if line := bytes.IndexByte(text[at:to], '\n'); line >= 0 {
			next = at + line + 1
		}
		if line := bytes.TrimSpace(text[at:next]); len(line) > 0 && line[0] != '#' {
			end = next
		}
		at = next
	}
	return end
}

// in returns the table in a file, or nil if there is none.
func (t Table) in(tree map[string]any) map[string]any {
	for _, key := range t.Path {
		next, ok := tree[key].(map[string]any)
		if !ok {
			if tree[key] != nil {
				return map[string]any{}
			}
			return nil
		}
		tree = next
	}
	return tree
}

func parseTOML(text []byte) (map[string]any, error) {
	tree := map[string]any{}
	err := toml.Unmarshal(bytes.TrimPrefix(text, byteOrderMark), &tree)
	return tree, err
}

// header is a [table] or [[table]] of a TOML file.
type header struct {
	path []string
	at   int // offset of its line
}

func (h header) below(path []string) bool {
	if len(h.path) < len(path) {
		return false
	}
	for i, key := range path {
		if h.path[i] != key {
			return false
		}
	}
	return true
}

func headers(text []byte) (list []header, err error) {
	var p unstable.Parser
	p.Reset(text)
	for p.NextExpression() {
		e := p.Expression()
		if e.Kind != unstable.Table && e.Kind != unstable.ArrayTable {
			continue
		}
		h := header{}
		for it := e.Key(); it.Next(); {
			if len(h.path) == 0 {
				h.at = 1 + bytes.LastIndexByte(text[:it.Node().Raw.Offset], '\n')
			}
			h.path = append(h.path, string(it.Node().Data))
		}
		list = append(list, h)
	}
	return list, p.Error()
}
