package transfer

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"agentflow/memory"
	"agentflow/memory/markdown"
)

func joined(files, other map[string][]byte, barred func(string) bool) map[string][]byte {
	edits, _ := Join(files, other, barred)
	out := map[string][]byte{}
	for name, text := range files {
		out[name] = text
	}
	for _, e := range edits {
		out[e.File] = e.After
	}
	return out
}

func none(string) bool { return false }

// TestJoinEmpty: a memory without files becomes a copy, but for judgements.
func TestJoinEmpty(t *testing.T) {
	for seed := range uint64(200) {
		other := randomMemory(rand.New(rand.NewPCG(seed, 1)))
		got := joined(nil, other, none)
		for name, text := range other {
			if len(text) > 0 && !bytes.Equal(got[name], text) {
				t.Fatalf("seed %d, %s:\nhave %q\nwant %q", seed, name, got[name], text)
			}
		}
		if edits, _ := Join(got, other, none); len(edits) > 0 {
			t.Fatalf("seed %d: joined again it makes %d edits", seed, len(edits))
		}
	}
}

func TestJoin(t *testing.T) {
	note := func(n int, text string) []byte {
		return markdown.Format(memory.Entry{ID: id(n), Kind: memory.KindNote, Time: now, Facts: []memory.Fact{{ID: id(n + 100), Text: text}}})
	}
	run := func(summary string) []byte {
		return markdown.Format(memory.Entry{ID: id(9), Kind: memory.KindRun, Time: now, Title: "Run", Summary: summary, Result: &memory.Result{Outcome: memory.OutcomeOK}})
	}
	day := "2026-11-21.md"
	ours := map[string][]byte{day: bytes.Join([][]byte{note(1, "Both know this."), note(2, "Ours says ten."), run("As it ended.")}, nil)}
	other := map[string][]byte{
		day:             bytes.Join([][]byte{note(1, "Both know this."), note(2, "Theirs says twelve."), note(3, "Forgotten."), note(4, "Theirs only."), run("As a person wrote it.")}, nil),
		"notes/gone.md": []byte("# Removed\n"),
		"notes/plan.md": []byte("# Plan\n\nFirst this.\n"),
	}
	got := joined(ours, other, func(key string) bool { return key == id(3) || key == memory.WholeFile("notes/gone.md") })
	text := string(got[day])
	for want, times := range map[string]int{"Both know this.": 1, "Ours says ten.": 1, "Theirs says twelve.": 1, "Forgotten.": 0, "Theirs only.": 1, "As it ended.": 1, "As a person wrote it.": 1} {
		if n := strings.Count(text, want); n != times {
			t.Errorf("%q stands %d times, want %d, in\n%s", want, n, times, text)
		}
	}
	if got["notes/gone.md"] != nil || string(got["notes/plan.md"]) != string(other["notes/plan.md"]) {
		t.Errorf("notes: %q", got)
	}
	seen := map[string]bool{}
	for _, known := range markdown.Parse(got[day]).IDs() {
		if seen[known] {
			t.Errorf("two have the id %s", known)
		}
		seen[known] = true
	}
}
