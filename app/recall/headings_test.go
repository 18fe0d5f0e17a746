package recall

import (
	"testing"

	"agentflow/memory/retrieval"
)

func TestOnlyHeadings(t *testing.T) {
	for text, want := range map[string]bool{
		"# Memory\n":                 true,
		"# Memory\n\n  ## Lexer\n\n": true,
		"# Memory\nThe lexer.\n":     false,
		"#include is a directive":    false,
		"- # is a comment":           false,
	} {
		if got := onlyHeadings(retrieval.Hit{Text: text}); got != want {
			t.Errorf("onlyHeadings(%q) = %v", text, got)
		}
	}
	if onlyHeadings(retrieval.Hit{Text: "# Title", Kind: "commit"}) {
		t.Error("an entry that is only a title counts as a heading")
	}
}
