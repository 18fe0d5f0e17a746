package files

import (
	"slices"
	"strings"

	"agentflow/internal/roles"
	"agentflow/memory/retrieval"
)

// documentChance is the least chance of a document in a prompt for a task that does not speak
// of documents. Many changes touch one in passing, so that words of such a task find it.
const documentChance = 0.5

// inPassing reports whether a file is a document that is too unlikely for a task that
// does not mention documents.
func (q *Query) inPassing(f retrieval.LikelyFile) bool {
	return f.Chance < documentChance && roles.IsDocument(f.Path) && !q.asksForDocuments()
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

// asksForTests reports whether the task mentions tests.
func (q *Query) asksForTests() bool {
	return slices.ContainsFunc(q.words, func(w word) bool {
		return strings.HasPrefix(w.Text, "test") || strings.HasPrefix(w.Text, "spec") || w.Text == "coverage" || w.Text == "benchmark"
	})
}
