package executor

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agentflow/executor/agent"
	"agentflow/executor/runfolder"
)

// TestReadTranscript: the agent's input and messages can be read later, redacted.
func TestReadTranscript(t *testing.T) {
	l := newLab(t)
	rec := l.run(t, Request{Task: "Fix the clock of SECRETtoken", Agent: sh(t, "cat >/dev/null; echo It ticks for SECRETtoken; echo always")})
	got, err := ReadTranscript(l.deps.RunsDir, rec.Entry.ID)
	if err != nil || got.Task != "Fix the clock of ***" || !strings.Contains(got.Prompt, "Fix the clock of ***") || !slices.Equal(got.Lines, []Line{{Text: "It ticks for ***\nalways\n"}}) {
		t.Errorf("got %+v, error %v", got, err)
	}
	if err := os.Remove(filepath.Join(rec.Dir, runfolder.PromptFile)); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{rec.Entry.ID, "../" + rec.Entry.ID, ""} {
		if _, err := ReadTranscript(l.deps.RunsDir, id); !errors.Is(err, runfolder.ErrNoFolder) {
			t.Errorf("%q: error %v", id, err)
		}
	}
}

// Messages and prompts come in their order, pieces together, and of too many the
// last.
func TestLinesAreReadBack(t *testing.T) {
	var log bytes.Buffer
	for _, ev := range []agent.Event{
		{Kind: agent.Said, Text: "first"}, {Kind: agent.Said, Text: "sec", More: true}, {Kind: agent.Denied, Text: "no message"},
		{Kind: agent.Said, Text: "ond", More: true}, {Kind: agent.Said}, {Kind: agent.Said, Text: "third", More: true},
		{Kind: agent.Asked, Text: "and now?", Call: "u"}, {Kind: agent.Said, Text: "fourth"},
	} {
		line, err := runfolder.EventLine(ev)
		if err != nil {
			t.Fatal(err)
		}
		log.Write(line)
	}
	all, err := readSpoken(&log)
	if err != nil || !slices.Equal(lastLinesOf(all), []Line{{false, "first"}, {false, "second"}, {false, "third"}, {true, "and now?"}, {false, "fourth"}}) {
		t.Errorf("%+v, error %v", all, err)
	}
	long := strings.Repeat("x", 2*maxTranscript) + "end"
	if last := lastLinesOf(append(all, Line{Text: long}, Line{Text: "last"})); len(last) != 1 || last[0].Text != "last" {
		t.Errorf("%d messages, the first of %d bytes", len(last), len(last[0].Text))
	}
	if last := lastLinesOf(append(all, Line{true, long})); len(last) != 1 || len(last[0].Text) != maxTranscript || !last[0].User || !strings.HasSuffix(last[0].Text, "xend") {
		t.Errorf("%d messages, the first of %d bytes", len(last), len(last[0].Text))
	}
}

// TestReadRecalled: the recalled items of the prompt can be read as long as the run's folder
// exists.
func TestReadRecalled(t *testing.T) {
	l := newLab(t)
	var r recalled
	l.deps.Recall = &r
	rec := l.run(t, Request{Task: "Fix the clock\nof SECRETtoken", Agent: sh(t, "true")})
	got, err := ReadRun(l.deps.RunsDir, rec.Entry.ID)
	want := []runfolder.RecalledItem{{Path: "memory/2026-11-20.md", Line: 3, Title: "Clock"}}
	if err != nil || got.Task != "Fix the clock\nof ***" || !slices.Equal(got.Hits, want) {
		t.Errorf("got %+v, error %v", got, err)
	}
	if thing := got.Hits[0].Thing(); thing != "memory/2026-11-20.md#Clock" {
		t.Errorf("it is named %q", thing)
	}
	if err := os.Remove(filepath.Join(rec.Dir, runfolder.JournalFile)); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{rec.Entry.ID, "../" + rec.Entry.ID, ""} {
		if _, err := ReadRun(l.deps.RunsDir, id); !errors.Is(err, runfolder.ErrNoFolder) {
			t.Errorf("%q: error %v", id, err)
		}
	}
	if err := os.WriteFile(filepath.Join(rec.Dir, runfolder.JournalFile), []byte(`{"version":1,`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadRun(l.deps.RunsDir, rec.Entry.ID); err == nil || errors.Is(err, runfolder.ErrNoFolder) {
		t.Errorf("damaged: %v", err)
	}
}
