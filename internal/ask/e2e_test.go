//go:build e2e

package ask_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentflow/internal/ask"
	"agentflow/internal/testing/modeltest"
)

// The real CLI takes our arguments, keeps our limits, and leaves nothing of
// the question behind.
func TestRealClaudeIsAsked(t *testing.T) {
	s := modeltest.New(t, modeltest.Script{Side: []modeltest.Turn{
		modeltest.Say("```json\n{\"facts\": []}\n```"),
		modeltest.Fail(400, "invalid_request_error", "no such luck"),
		modeltest.Say(strings.Repeat("x", 10<<20)),
		modeltest.Silence(),
	}})
	home := t.TempDir()
	cli := ask.CLI{
		Argv:    []string{os.Getenv("CLAUDE_CLI")},
		Environ: append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "USER=dev"}, s.Claude()...),
		Model:   "haiku", MaxCostUSD: 0.01, MaxTokens: 4000,
	}
	question := ask.Question{Instruction: "Answer with JSON.", Data: "what it said"}
	a, err := cli.Ask(t.Context(), question)
	if err != nil || ask.Unfence(a.Text) != "{\"facts\": []}\n" || a.CostUSD <= 0 {
		t.Errorf("%+v, %v", a, err)
	}
	if _, err := cli.Ask(t.Context(), question); err == nil || !strings.Contains(err.Error(), "no such luck") {
		t.Errorf("API error: %v", err)
	}
	if _, err := cli.Ask(t.Context(), question); err == nil || !strings.Contains(err.Error(), "larger than") {
		t.Errorf("10 MB: %v", err)
	}
	over := errors.New("over")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 4*time.Second, over)
	defer cancel()
	if _, err := cli.Ask(ctx, question); !errors.Is(err, over) {
		t.Errorf("silence: %v", err)
	}
	requests := s.Requests(modeltest.Side)
	if len(requests) < 3 || len(s.Requests(modeltest.Main)) != 0 {
		t.Fatalf("%d requests without tools, %d with", len(requests), len(s.Requests(modeltest.Main)))
	}
	r := requests[0]
	for _, want := range []string{"Answer with JSON.", `"max_tokens":4000`, `"thinking":{"type":"disabled"}`, `"tools":[]`} {
		if !bytes.Contains(r.Body, []byte(want)) {
			t.Errorf("%s is not in %s", want, r.Body)
		}
	}
	if r.Prompt() != "what it said" || !strings.Contains(r.Model, "haiku") {
		t.Errorf("model %s was told %q", r.Model, r.Prompt())
	}
	if kept, err := filepath.Glob(filepath.Join(home, ".claude", "projects", "*")); len(kept) != 0 {
		t.Errorf("the CLI kept %q (%v)", kept, err)
	}
}
