//go:build e2e

package main_test

import (
	"strings"

	. "agentflow/internal/testing/modeltest"
)

// learning is the user's setting for extraction.
const learning = "[extract]\nenabled = true\nmax_cost = 0.02\n"

func learnsOfARun(l *lab) {
	l.config(learning)
	l.answer(Script{
		Main: []Turn{Say("The login test reads the wall clock, which is why it was flaky. Tests that need time use synctest here. Nothing was changed.")},
		Side: []Turn{Say("```json\n" + `{"facts": [
			{"op": "add", "text": "Tests that need time use synctest", "type": "procedural", "importance": 0.8, "confidence": 0.9, "tags": ["testing"]},
			{"op": "add", "text": "Why is the login test flaky"},
			{"op": "add", "text": "Tests that need time use clockwork_v9"}]}` + "\n```")},
	})
	f := l.run(0, "run", "Why is the login test flaky?")
	for _, want := range []string{"learnt 1 fact of run", "refused 2", ", for $0.0", ": Tests that need time use synctest"} {
		if !strings.Contains(f.stderr, want) {
			l.Errorf("%q is not in\n%s", want, f.stderr)
		}
	}
	if m := l.memory(); !strings.Contains(m, "- [fact] Tests that need time use synctest <!-- id=") || !strings.Contains(m, "confidence=0.7 tags=testing source=") {
		l.Errorf("memory:\n%s", m)
	}
	asked := l.server.Requests(Side)
	if len(asked) != 1 || !strings.Contains(asked[0].Model, "haiku") || !strings.Contains(asked[0].Prompt(), "reads the wall clock") ||
		!strings.Contains(string(asked[0].Body), `by\":\"user\",\"text\":\"Why is the login test flaky?`) {
		l.Fatalf("%d questions: %+v", len(asked), asked)
	}

	l.answer(Script{Main: []Turn{Say("It was flaky because of the wall clock, as the earlier run of this very repository found out.")},
		Side: []Turn{Fail(400, "invalid_request_error", "no credit left")}})
	f = l.run(0, "run", "Explain the login test once more")
	if !strings.Contains(f.stderr, "no credit left") || !strings.Contains(l.run(0, "status").stdout, "no credit left") {
		l.Errorf("a question that failed:\n%s", f.stderr)
	}
}

func asksToConsolidate(l *lab) {
	l.run(0, "init")
	l.write(".agentflow/memory/MEMORY.md", "# Memory\n\n"+
		"- Integration tests need Docker 24 running <!-- id=01900000-0000-7000-8000-000000000001 importance=1 source=01900000-0000-7000-8000-0000000000aa created=2026-11-05T10:00:00Z -->\n"+
		"- Integration tests need Docker 24 running locally <!-- id=01900000-0000-7000-8000-000000000002 importance=1 source=01900000-0000-7000-8000-0000000000aa created=2026-11-06T10:00:00Z -->\n")
	l.answer(Script{Side: []Turn{
		Say(`{"merges": [{"ids": ["f1", "f2"], "text": "Integration tests need Docker running locally"}], "contradictions": []}`),
		Say(`{"merges": [{"ids": ["f1", "f2"], "text": "Integration tests need Docker 24 running locally"}], "contradictions": []}`),
	}})
	if f := l.run(0, "consolidate", "--llm"); !strings.Contains(f.stderr, `it loses "24"`) || !strings.Contains(f.stderr, "memory is in order") {
		l.Errorf("a merge that loses a number:\n%s", f.stderr)
	}
	if f := l.run(0, "consolidate", "--llm"); !strings.Contains(f.stderr, "merged 1 fact into another") || !strings.Contains(f.stderr, "asked for $0.0") {
		l.Errorf("a merge:\n%s", f.stderr)
	}
	if m := l.read(".agentflow/memory/MEMORY.md"); strings.Count(m, "\n- ") != 1 || !strings.Contains(m, "Docker 24 running locally <!--") {
		l.Errorf("memory:\n%s", m)
	}
}
