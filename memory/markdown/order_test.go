package markdown

import (
	"strings"
	"testing"
	"time"

	"agentflow/memory"
)

// TestNewestFirst orders the entries of one second of all kinds by their ids, after its commits.
func TestNewestFirst(t *testing.T) {
	at := time.Date(2026, 11, 27, 10, 0, 0, 0, time.UTC)
	var text strings.Builder
	for _, e := range []memory.Entry{
		{ID: "01a21f19-0000-7000-8000-000000000002", Kind: memory.KindSession, Title: "second"},
		{ID: "01a21f19-0000-7000-8000-000000000001", Kind: memory.KindRun, Title: "first"},
		{ID: "01a21f19-0000-7000-8000-00000000000a", Kind: memory.KindCommit, Title: "older commit"},
		{ID: "01a21f19-0000-7000-8000-000000000009", Kind: memory.KindCommit, Title: "commit"},
		{ID: "01a21f19-0000-7000-8000-000000000003", Kind: memory.KindRun, Title: "third"},
	} {
		e.Time, e.Task = at, e.Title
		if e.Kind.ByAgent() {
			e.Result = &memory.Result{Outcome: memory.OutcomeOK, Success: true}
		}
		text.Write(FormatV2(e))
	}
	var titles []string
	for _, b := range Parse([]byte(text.String())).NewestFirst() {
		if b.Entry != nil {
			titles = append(titles, b.Entry.Title)
		}
	}
	if got := strings.Join(titles, ", "); got != "commit, older commit, third, second, first" {
		t.Error(got)
	}
}
