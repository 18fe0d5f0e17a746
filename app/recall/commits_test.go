package recall_test

import (
	"strings"
	"testing"

	"agentflow/app/recall"
	"agentflow/internal/testing/apptest"
	"agentflow/memory/retrieval"
)

// TestOnlyCommits: a prompt that only asks to commit gets facts, but no files and no entries: those about
// commits are not about this one.
func TestOnlyCommits(t *testing.T) {
	p := apptest.NewRepository(t)
	m := p.Memory()
	apptest.RunNow(t, m, "Add a hook before each commit that formats the push script", "echo x >commit.sh")
	apptest.Remembered(t, m, "Before you commit, write the message in Latin.")
	for task, want := range map[string]bool{"please commit": false, "the commit hook formats the push script twice": true} {
		s := apptest.Must(p.Memory().Silent().OpenExisting(t.Context()))(t)
		found := apptest.Must(recall.Gather(t.Context(), s, retrieval.Query{Text: task, Limit: 5}, ""))(t)
		if got := len(found.Hits)+len(found.Files) > 0; got != want {
			t.Errorf("%s: hits %v, files %v", task, found.Hits, found.Files)
		}
		if len(found.Facts) != 1 || !strings.Contains(found.Facts[0].Text, "Latin") {
			t.Errorf("%s: facts %v", task, found.Facts)
		}
	}
}
