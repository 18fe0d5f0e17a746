// Package memorytest has material for the tests of memory's Markdown.
package memorytest

import (
	"testing"
	"time"

	"agentflow/memory"
	"agentflow/memory/changeset"
)

// Day is the time of RunEntry.
const Day = "2026-11-21T14:32:07+01:00"

// At parses a time.
func At(t testing.TB, s string) time.Time {
	t.Helper()
	when, err := time.Parse(time.RFC3339, s)
	if err != nil {
		t.Fatal(err)
	}
	return when
}

// RunEntry returns a typical entry of a run.
func RunEntry(t testing.TB) memory.Entry {
	return memory.Entry{
		ID: "0199a1b2-0000-7000-8000-00000000abcd", Kind: memory.KindRun, Time: At(t, Day), Title: "Fix the flaky login test",
		Agent: "claude", Model: "claude-opus-4-8", Session: "5e55", Branch: "main", Base: "9f1c2ab",
		Commits: []changeset.Commit{{ID: "a1b2c3d4e5"}, {ID: "b2c3d4e5f6"}}, Patch: []string{"77aa", "88bb"},
		Task: "Fix the flaky login test",
		Changes: changeset.List{Items: []changeset.Change{
			{Status: changeset.StatusModified, Path: "auth/session.go", Added: 12, Deleted: 3, Counted: true, Certainty: changeset.Shown},
			{Status: changeset.StatusRenamed, Path: "auth/clock.go", OldPath: "auth/time.go", Added: 1, Deleted: 1, Counted: true, Certainty: changeset.Likely},
		}},
		Uncommitted: changeset.List{Items: []changeset.Change{{Status: changeset.StatusAdded, Path: "notes/todo.txt", Added: 4, Counted: true, Certainty: changeset.Possible}}},
		Meanwhile:   changeset.List{Items: []changeset.Change{{Status: changeset.StatusModified, Path: "README.md"}}},
		Result:      &memory.Result{Outcome: memory.OutcomeOK, Success: true, Duration: 72 * time.Second, Turns: 6, CostUSD: 0.04},
		Summary:     "What the agent said last, at most 1,200 characters.",
		Facts: []memory.Fact{{
			ID: "0199a1b2-0000-7000-8000-00000000abce", Type: memory.Procedural, Importance: 0.8, Tags: []string{"testing", "auth"},
			Text: "The login test depends on the clock; use synctest.",
		}},
	}
}

// Nasty lists pieces of text that have a structural meaning.
var Nasty = []string{
	"\n", "\n\n", " ", "  ", "\t", "\r", "\r\n", "## 2026-11-21 14:32 · x", "### Memories", "### Summary", "---", "- ", "-", "* ",
	"<!-- ", "-->", "<!-- agentflow v=1 kind=run -->", "<!-- id=1 type=semantic -->", "```", "~~~~", "```go", "`", "\\", "\\x41", "\\x",
	"x41", "None", "**Denied**: ", "**Note**: ", "**Task**: ", "**Commit**: ", "then:", "- then: ", "could not read: ", ": ", "(+1 −2)", " (", ")", " ← ", "3 files",
	"~~", "~", "\x00", "\x1b[31m", "\xff", "\u2028", "\u202e", "\U000E0041", "\uFEFF", "é", "漢字", "=", "===", "#", "####### ", "<script>", "<b>", "%2D", "--", ",", "\"", "word", "(possibly)", " (possibly", "possibly", "<details>", "->", ">",
}
