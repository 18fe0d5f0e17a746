package executor

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agentflow/executor/agent"
)

// TestReadTranscript: what an agent was given and said is told later, redacted.
func TestReadTranscript(t *testing.T) {
	l := newLab(t)
	rec := l.run(t, Request{Task: "Fix the clock of SECRETtoken", Agent: sh(t, "cat >/dev/null; echo It ticks for SECRETtoken; echo always")})
	got, err := ReadTranscript(l.deps.RunsDir, rec.Entry.ID)
	if err != nil || got.Task != "Fix the clock of ***" || !strings.Contains(got.Prompt, "Fix the clock of ***") || !slices.Equal(got.Messages, []string{"It ticks for ***\nalways\n"}) {
		t.Errorf("got %+v, error %v", got, err)
	}
	if err := os.Remove(filepath.Join(rec.Dir, promptFile)); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{rec.Entry.ID, "../" + rec.Entry.ID, ""} {
		if _, err := ReadTranscript(l.deps.RunsDir, id); !errors.Is(err, ErrNoFolder) {
			t.Errorf("%q: error %v", id, err)
		}
	}
}

// Messages come in their order, pieces together, and of too many the last.
func TestMessageReader(t *testing.T) {
	var e messageReader
	hear := func(text string, more bool) { e.add(agent.Event{Kind: agent.Said, Text: text, More: more}) }
	hear("first", false)
	hear("sec", true)
	e.add(agent.Event{Kind: agent.Denied, Text: "no message"})
	hear("ond", true)
	hear("", false)
	hear("third", true)
	e.end()
	if !slices.Equal(e.whole, []string{"first", "second", "third"}) {
		t.Errorf("%q", e.whole)
	}
	hear(strings.Repeat("x", 2*maxTranscript)+"end", false)
	hear("last", false)
	if len(e.whole) != 1 || e.whole[0] != "last" {
		t.Errorf("%d messages, the first of %d bytes", len(e.whole), len(e.whole[0]))
	}
}

// TestReadRecalled: what stood in the prompt can be told later, for as long
// as the run's folder is there.
func TestReadRecalled(t *testing.T) {
	l := newLab(t)
	var r recalled
	l.deps.Recall = &r
	rec := l.run(t, Request{Task: "Fix the clock\nof SECRETtoken", Agent: sh(t, "true")})
	got, err := ReadRecalled(l.deps.RunsDir, rec.Entry.ID)
	want := []RecalledItem{{Path: "memory/2026-11-20.md", Line: 3, Title: "Clock"}}
	if err != nil || got.Task != "Fix the clock\nof ***" || !slices.Equal(got.Hits, want) {
		t.Errorf("got %+v, error %v", got, err)
	}
	if thing := got.Hits[0].Thing(); thing != "memory/2026-11-20.md#Clock" {
		t.Errorf("it is named %q", thing)
	}
	if err := os.Remove(filepath.Join(rec.Dir, journalFile)); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{rec.Entry.ID, "../" + rec.Entry.ID, ""} {
		if _, err := ReadRecalled(l.deps.RunsDir, id); !errors.Is(err, ErrNoFolder) {
			t.Errorf("%q: error %v", id, err)
		}
	}
	if err := os.WriteFile(filepath.Join(rec.Dir, journalFile), []byte(`{"version":1,`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadRecalled(l.deps.RunsDir, rec.Entry.ID); err == nil || errors.Is(err, ErrNoFolder) {
		t.Errorf("damaged: %v", err)
	}
}
