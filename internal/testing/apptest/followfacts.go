package apptest

import (
	"fmt"
	"strings"

	"agentflow/memory"
	"agentflow/memory/markdown"
)

// ManyFacts writes the facts 0 to n into a file of memory, as notes of one day.
func (p *Place) ManyFacts(n int) {
	p.T.Helper()
	var b strings.Builder
	b.WriteString("# 2026-11-20\n")
	for i := range n {
		e := memory.Entry{ID: fmt.Sprintf("01938f6e-0000-7000-9000-%012d", i), Kind: memory.KindNote, Time: Noon,
			Facts: []memory.Fact{{ID: fmt.Sprintf("01938f6e-0000-7000-8000-%012d", i), Type: memory.Semantic, Text: fmt.Sprintf("Okapi %d is shy.", i)}}}
		b.WriteString("\n")
		b.Write(markdown.Format(e))
	}
	p.Write(".agentflow/memory/2026-11-20.md", b.String())
}
