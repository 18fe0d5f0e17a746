package config

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// keyLines returns the 1-based line of each dotted key of a TOML file. The
// tables of an array are numbered from 0: "schedule[1].cron".
func keyLines(data []byte) map[string]int {
	lines := map[string]int{}
	at := lineCounter{data: data, line: 1}
	parser := unstable.Parser{}
	parser.Reset(data)
	table, count := "", map[string]int{}
	for parser.NextExpression() {
		node := parser.Expression()
		path, line := keyOf(&at, node)
		switch node.Kind {
		case unstable.ArrayTable:
			if _, again := lines[path]; !again {
				lines[path] = line
			}
			one := fmt.Sprintf("%s[%d]", path, count[path])
			count[path]++
			table = one + "."
			lines[one] = line
		case unstable.Table:
			table = path + "."
			lines[path] = line
		case unstable.KeyValue:
			lines[table+path] = line
		}
	}
	return lines
}

// lineCounter counts the lines up to ascending offsets in one pass over the
// text.
type lineCounter struct {
	data []byte
	done int // bytes
	line int // number of the line at done
}

func (c *lineCounter) at(offset int) int {
	if offset < c.done {
		return c.line
	}
	c.line += bytes.Count(c.data[c.done:offset], []byte("\n"))
	c.done = offset
	return c.line
}

// keyOf joins the parts of an expression's key and returns its line.
func keyOf(at *lineCounter, node *unstable.Node) (path string, line int) {
	var parts []string
	for it := node.Key(); it.Next(); {
		part := it.Node()
		if line == 0 {
			line = at.at(int(part.Raw.Offset))
		}
		if len(parts) > maxDepth {
			break
		}
		parts = append(parts, string(part.Data))
	}
	return strings.Join(parts, "."), line
}
