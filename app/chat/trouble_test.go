package chat

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"agentflow/app"
	"agentflow/internal/testing/modeltest"
)

// TestBadCalls gives errors back to the model.
func TestBadCalls(t *testing.T) {
	u := newUser(t,
		modeltest.Use("bash", input{"command": "rm -rf /"}).
			Use("memory", input{"command": "view", "path": "/etc/passwd"}).
			Use("memory", input{"command": "fly"}).
			Use("memory", input{"command": 7}).
			Use("memory_search", input{"limit": 3}).
			Use("memory_search", input{"query": "x", "since": "never"}).
			Use("memory_search", input{"query": "x", "shell": "ls"}).
			Use("memory", input{"command": "create", "path": "/memories/good.md", "file_text": "good\n"}),
		modeltest.Say("done"))
	if a := u.ask(u.begin(Options{}), "q"); a.Answer != "done" || len(a.Changed) != 1 {
		t.Errorf("the answer is %+v", a)
	}
	results := u.results(1)
	if len(results) != 8 {
		t.Fatalf("%d results", len(results))
	}
	for i, want := range []string{`no tool 'bash'`, "Path must start with /memories", "Unknown command: fly", "arguments cannot be read", "query is missing", "since: ", "unknown field"} {
		if !results[i].IsError || !strings.Contains(string(results[i].Result), want) {
			t.Errorf("call %d answers %v %s, want %q", i, results[i].IsError, results[i].Result, want)
		}
	}
	if results[7].IsError || !strings.Contains(string(results[7].Result), "File created successfully") {
		t.Errorf("the good call answers %s", results[7].Result)
	}
}

// TestTrouble covers the failures of a provider.
func TestTrouble(t *testing.T) {
	overloaded := modeltest.Fail(529, "overloaded_error", "Overloaded")
	part := modeltest.Say("part").Use("memory", input{"command": "create", "path": "/memories/a.md", "file_text": "a\n"})
	tests := []struct {
		name     string
		turns    []modeltest.Turn
		kind     app.Kind // empty: answered
		text     string
		requests int
	}{
		{"overloaded, then not", []modeltest.Turn{overloaded, overloaded, modeltest.Say("ok")}, "", "ok", 3},
		{"overloaded all the time", slices.Repeat([]modeltest.Turn{overloaded}, 5), app.KindUnavailable, "overloaded_error: Overloaded", 5},
		{"a cut stream, then not", []modeltest.Turn{part.Cut(), modeltest.Say("ok")}, "", "ok", 2},
		{"cut all the time", slices.Repeat([]modeltest.Turn{part.Cut()}, 3), app.KindUnavailable, "broke off", 3},
		{"an error event, then not", []modeltest.Turn{part.Break("overloaded_error", "Overloaded"), modeltest.Say("ok")}, "", "ok", 2},
		{"error events all the time", slices.Repeat([]modeltest.Turn{part.Break("overloaded_error", "Overloaded")}, 3), app.KindUnavailable, "overloaded_error", 3},
		{"a wrong key", []modeltest.Turn{modeltest.Fail(401, "authentication_error", "invalid x-api-key")}, app.KindUsage, "invalid x-api-key", 1},
		{"no such model", []modeltest.Turn{modeltest.Fail(404, "not_found_error", "model: x")}, app.KindUsage, "model: x", 1},
		{"a bad request", []modeltest.Turn{modeltest.Fail(400, "invalid_request_error", "no")}, app.KindAgent, "no", 1},
		{"a refusal", []modeltest.Turn{modeltest.Say("I").Stop("refusal")}, app.KindRefused, "refuses to answer", 1},
		{"too long", []modeltest.Turn{modeltest.Say("I").Stop("model_context_window_exceeded")}, app.KindRefused, "longer than the model can read", 1},
		{"a pause", []modeltest.Turn{modeltest.Say("one ").Stop("pause_turn"), modeltest.Say("two")}, "", "one two", 2},
		{"a long answer", []modeltest.Turn{modeltest.Say("long").Stop("max_tokens")}, "", "long", 1},
		{"an empty answer", []modeltest.Turn{{}}, "", "", 1},
		{"cut in a call", []modeltest.Turn{modeltest.Turn{}.UseRaw("memory", `{"command":"create","path":"/memories/a.md","file_te`).Stop("max_tokens"), modeltest.Say("ok")}, "", "ok", 2},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			u := newUser(t, test.turns...)
			a, err := u.begin(Options{}).Ask(t.Context(), "q")
			if test.kind != "" {
				wantKind(t, err, test.kind, test.text)
			} else if err != nil || a.Answer != test.text {
				t.Errorf("answered %q, %v", a.Answer, err)
			}
			if len(u.requests()) != test.requests {
				t.Errorf("%d requests, want %d", len(u.requests()), test.requests)
			}
			if len(a.Changed) > 0 || u.Exists(".agentflow/memory/notes/a.md") {
				t.Error("a call was done that did not come whole")
			}
			u.wantPaired()
		})
	}
}

// TestSilence ends an answer that does not come.
func TestSilence(t *testing.T) {
	u := newUser(t, modeltest.Say("a").Hold(), modeltest.Say("ok"))
	if a := u.ask(u.begin(Options{Idle: 50 * time.Millisecond}), "q"); a.Answer != "ok" {
		t.Errorf("the answer is %+v", a)
	}
	u = newUser(t, modeltest.Say("a").Hold(), modeltest.Say("ok"))
	ctx, cancel := context.WithCancel(t.Context())
	c := u.begin(Options{})
	c.options.Tell = func(Event) { cancel() }
	if _, err := c.Ask(ctx, "q"); !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
	if a := u.ask(u.begin(Options{Continue: true}), "again"); a.Answer != "ok" {
		t.Errorf("the answer is %+v", a)
	}
}
