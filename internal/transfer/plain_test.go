package transfer

import (
	"strings"
	"testing"
)

const claudeNotes = `# CLAUDE.md

This file guides agents in this repository.

## Commands

` + "```sh\nmake test   # everything\n```" + `

Run one test so:

` + "```sh\ngo test ./pkg -run Name\n```" + `

## Rules

Key points:

- Errors are wrapped with %w
- Never commit to main
- gofmt

| Tool | Version |
|------|---------|
| go   | 1.26    |
`

// TestOnlyWhatStandsAloneIsAFact: code, tables, single words and lead-ins make
// no facts; all but the last stay as text.
func TestOnlyWhatStandsAloneIsAFact(t *testing.T) {
	edits, report := Plan(nil, read(t, "notes/CLAUDE.md", claudeNotes), Options{Now: now})
	var facts []string
	for _, a := range report.Added {
		if a.Kind == kindFact {
			facts = append(facts, a.Text)
		}
	}
	const want = "This file guides agents in this repository.|Errors are wrapped with %w|Never commit to main"
	if got := strings.Join(facts, "|"); got != want {
		t.Errorf("the facts are %q, want %q", got, want)
	}
	to := apply(t, map[string][]byte{}, edits)
	const text = "# CLAUDE\n\n## Commands\n\n```sh\nmake test   # everything\n```\n\nRun one test so:\n```sh\ngo test ./pkg -run Name\n```\n\n" +
		"## Rules\n\ngofmt\n\n| Tool | Version |\n|------|---------|\n| go   | 1.26    |\n\n"
	if got := string(to["imported/CLAUDE.md"]); got != text {
		t.Errorf("the text is\n%s", got)
	}
	if again, report := Plan(to, read(t, "notes/CLAUDE.md", claudeNotes), Options{Now: now}); len(again) > 0 {
		t.Errorf("a second time adds %+v", report.Added)
	}
}

// TestTextKeepsItsDay: a dated text is found by its day.
func TestTextKeepsItsDay(t *testing.T) {
	edits, _ := Plan(nil, read(t, "memory/2026-03-04.md", "## Parser\n\n```\nx = y\n```\n"), Options{Now: now})
	if got, want := string(edits[0].After), "# 2026-03-04\n\n## 2026-03-04 Parser\n\n```\nx = y\n```\n\n"; edits[0].File != "imported/2026-03-04.md" || got != want {
		t.Errorf("%s: %q", edits[0].File, got)
	}
	_, report := Plan(nil, read(t, "x.md", "```\nx = y\n```\n"), Options{Now: now, Namespace: "branch/x"})
	if len(report.Added) > 0 || len(report.Problems) != 1 {
		t.Errorf("%+v", report)
	}
}
