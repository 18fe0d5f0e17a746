package files

import (
	"path"
	"strings"

	"agentflow/memory"
)

// documentChance is the least chance of a document in a prompt for a task that does not speak
// of documents. Many changes touch one in passing, so that words of such a task find it.
const documentChance = 0.5

// inPassing reports whether a file is a document that is too unlikely for a task that
// does not mention documents.
func (q *Query) inPassing(f memory.LikelyFile) bool {
	return f.Chance < documentChance && isDocument(f.Path) && !q.asksForDocuments()
}

// isDocument reports whether a file is written for readers: by its ending, among them those of
// manual pages.
func isDocument(name string) bool {
	switch ext := strings.ToLower(path.Ext(name)); ext {
	case ".md", ".markdown", ".mdx", ".rst", ".adoc":
		return true
	default:
		return len(ext) == 2 && ext[1] >= '1' && ext[1] <= '8' && strings.Count(path.Base(name), ".") == 1
	}
}

func (q *Query) asksForDocuments() bool {
	for _, w := range q.words {
		switch w.Text {
		case "doc", "docs", "document", "documents", "documented", "documentation", "readme", "guide", "man", "manpage", "manual", "changelog", "markdown", "md", "rst":
			return true
		}
	}
	return false
}
