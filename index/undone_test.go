package index

import (
	"testing"

	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/memory/retrieval"
)

// TestUndoneRanksAsTakenBack checks that an undone run is found, labelled,
// behind a similar run that was not undone.
func TestUndoneRanksAsTakenBack(t *testing.T) {
	s := newStore(t)
	result := func(e *memory.Entry) {
		e.Kind, e.Result = memory.KindRun, &memory.Result{Outcome: memory.OutcomeOK, Success: true}
	}
	stands := written("stands", "Raise the timeout of the mailer", func(e *memory.Entry) { result(e); e.Time = day.AddDate(0, 0, -30) })
	undone := written("undone", "Raise the timeout of the mailer", func(e *memory.Entry) { result(e); e.Time = day.AddDate(0, 0, -29) })
	s.put("2026-11-21.md", stands+undone)
	d := s.open(Options{})
	s.sync(d)
	q := retrieval.Query{Text: "timeout of the mailer", Gate: true}
	if hits := search1(t, d, q); len(hits) != 2 || hits[0].EntryID != "undone" || hits[0].Undone {
		t.Fatalf("before: %+v", hits)
	}
	text, _ := markdown.Parse([]byte(stands+undone)).Undone("undone", day, "")
	s.put("2026-11-21.md", string(text))
	s.sync(d)
	if hits := search1(t, d, q); len(hits) != 2 || hits[0].EntryID != "stands" || hits[0].Undone || !hits[1].Undone {
		t.Errorf("after: %+v", hits)
	}
}

// TestIdleRunsStayOutOfPrompts checks that runs that ended before they did
// anything never enter a prompt, however many there are, and that a search
// finds them.
func TestIdleRunsStayOutOfPrompts(t *testing.T) {
	s := newStore(t)
	text := written("did", "Rotate the signing keys", func(e *memory.Entry) { e.Summary = "The keys are in the vault." })
	for range 300 {
		text += written("idle", "Rotate the signing keys", func(e *memory.Entry) {
			e.Kind, e.Result = memory.KindRun, &memory.Result{Outcome: memory.OutcomeNotStarted}
			e.Errors = []string{"rotate the signing keys: no such agent"}
		})
	}
	s.put("2026-11-21.md", text)
	for name, o := range map[string]Options{"words": {}, "vectors": {Embedder: local(t)}} {
		d := s.open(o)
		s.sync(d)
		for _, query := range []string{"rotate the signing keys", "what was done today?"} {
			if hits := search1(t, d, retrieval.Query{Text: query, Gate: true}); len(hits) != 1 || hits[0].EntryID != "did" {
				t.Errorf("%s: a prompt for %q gets %+v", name, query, hits)
			}
		}
		if hits := search1(t, d, retrieval.Query{Text: "no such agent"}); len(hits) == 0 || hits[0].EntryID != "idle" {
			t.Errorf("%s: a search finds %+v", name, hits)
		}
	}
}
