package apptest

import (
	"strings"

	"agentflow/app/highlight"
)

// Marked returns a line with its matches in brackets.
func Marked(l highlight.Line) string {
	var out strings.Builder
	at := 0
	for _, m := range l.Matches {
		out.WriteString(l.Text[at:m.Start] + "[" + l.Text[m.Start:m.End] + "]")
		at = m.End
	}
	return out.String() + l.Text[at:]
}
