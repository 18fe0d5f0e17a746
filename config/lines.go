package config

import (
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// keyLines gives the 1-based line on which each dotted key of a TOML file
// stands. The tables of an array are numbered from 0: "schedule[1].cron".
func keyLines(data []byte) map[string]int {
	lines := map[string]int{}
	parser := unstable.Parser{}
	parser.Reset(data)
	table, count := "", map[string]int{}
	for parser.NextExpression() {
		node := parser.Expression()
		path, line := keyOf(&parser, node)
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

// keyOf joins the parts of an expression's key.
func keyOf(parser *unstable.Parser, node *unstable.Node) (path string, line int) {
	var parts []string
	for it := node.Key(); it.Next(); {
		part := it.Node()
		if line == 0 {
			line = parser.Shape(part.Raw).Start.Line
		}
		parts = append(parts, string(part.Data))
	}
	return strings.Join(parts, "."), line
}
