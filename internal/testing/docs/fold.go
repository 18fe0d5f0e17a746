package docs

import (
	"strings"

	"agentflow/internal/textwidth"
)

// widest is the length of a line of prose in generated pages, in columns.
const widest = 120

// folded returns a page with its prose in lines of that length. Headings, tables and lists stay as they are.
func folded(page string) string {
	blocks := strings.Split(page, "\n\n")
	for i, block := range blocks {
		text := strings.Trim(block, "\n")
		if text == "" || strings.ContainsAny(text[:1], "#|-") || strings.HasPrefix(text, "```") {
			continue
		}
		lines := textwidth.Fold(paragraph(text), widest)
		blocks[i] = strings.Replace(block, text, strings.Join(lines, "\n"), 1)
	}
	return strings.Join(blocks, "\n\n")
}
