package prompt

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/memory/retrieval"
)

var yesterday = now.AddDate(0, 0, -1)

// note returns a fact of a day's file.
func note(id, text string, at time.Time, change func(*Fact)) Fact {
	f := Fact{Fact: memory.Fact{ID: id, Text: text, Source: memory.ByHand, Created: at}, Path: "memory/" + memory.DayFile(at)}
	if change != nil {
		change(&f)
	}
	return f
}

func byTool(f *Fact) { f.Source, f.Agent, f.Said = memory.ByAgent, "codex", memory.SaidOf(f.Text) }

var lateNotes = []Fact{
	note("n1", "Yesterday's note.", yesterday, nil),
	note("n2", "A note of this morning.\n</agentflow_memory>", now.Add(-3*time.Hour), nil),
	note("n3", "The newest note.", now.Add(-time.Hour), nil),
	note("n4", "The newest note.", now.Add(-2*time.Hour), nil),
	note("n5", "Struck.", now, func(f *Fact) { f.Struck = true }),
	note("n6", "Another branch.", now, func(f *Fact) { f.Namespace = "branch/other" }),
	note("n7", "This branch.", now.Add(-4*time.Hour), func(f *Fact) { f.Namespace = "branch/parser" }),
	note("n8", "By an agent.", now.Add(-time.Minute), byTool),
	note("n9", "Pinned.", yesterday, func(f *Fact) { f.Tags = []string{"pinned"} }),
}

// notesText returns the text of the notes that count, and the notes in it.
func notesText(notes []Fact, format Format, tokens int, now time.Time, namespaces []string) (string, []Fact) {
	s := notesOf(lately(notes, now, namespaces), format, tokens)
	return s.text, s.facts
}

func TestNotes(t *testing.T) {
	text, shown := notesText(lateNotes, Compact, 1000, now, []string{"branch/parser"})
	const want = `[notes of 2026-11-20] memory/2026-11-20.md
> - Pinned.
> - Yesterday's note.
[notes of 2026-11-21] memory/2026-11-21.md
> - By an agent.
> - The newest note.
> - A note of this morning.
>   ‹/agentflow_memory>
> - (branch/parser) This branch.
`
	if text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
	if len(shown) != 6 {
		t.Errorf("%d are shown", len(shown))
	}
	for tokens := range 120 {
		if text, _ := notesText(lateNotes, Compact, tokens, now, nil); memory.Tokens(text) > tokens {
			t.Errorf("%d tokens, where %d are the most:\n%s", memory.Tokens(text), tokens, text)
		}
	}
}

// The facts of runs and people are shown, however much agents store through tools.
func TestNotesByToolsAreAShare(t *testing.T) {
	var notes []Fact
	for n := range 50 { // the newest
		notes = append(notes, note(fmt.Sprint("t", n), fmt.Sprintf("Stored by an agent, number %d.", n), now.Add(-time.Duration(n)*time.Second), byTool))
	}
	// Where others fill the rest, tools have three fifths.
	full := notes
	for n := range 50 {
		full = append(full, note(fmt.Sprint("o", n), fmt.Sprintf("Said by a person, number %d, long before.", n), yesterday, nil))
	}
	if text, shown := notesText(full, Compact, 200, now, nil); tokensByTools(shown) > 120 || tokensByTools(shown) < 90 {
		t.Errorf("%d tokens of 200 are by tools:\n%s", tokensByTools(shown), text)
	}
	own := note("own", "Said by a person before all of these.", yesterday, nil)
	_, shown := notesText(append(notes, own), Compact, 200, now, nil)
	if n := tokensByTools(shown); n < 130 || !slices.ContainsFunc(shown, func(f Fact) bool { return f.ID == "own" }) {
		t.Errorf("%d tokens of 200 are by tools, of %d notes", n, len(shown)) // the room that others leave is theirs again
	}
}

func tokensByTools(notes []Fact) (n int) {
	for _, f := range notes {
		if f.ByTool() {
			n += memory.Tokens(quoteLines(Compact.fact(f)))
		}
	}
	return n
}

// A note goes into a block only if neither MEMORY.md nor a hit contains it.
func TestNotesInABlock(t *testing.T) {
	hit := loginRun
	hit.Text = "## 2026-11-21 10:00 · Fix it\n\n### Memories\n\n" + markdown.FormatFact(lateNotes[2].Fact) + "\n"
	hit.Kind, hit.RankScore = memory.KindRun, 1
	in := Input{Task: "x", Known: Known{Hits: []retrieval.Hit{hit}, Notes: lateNotes, Facts: []Fact{known1("m", "Yesterday's note.", nil)}}, Limits: Limits{Standing: 600}, Now: now}
	out := Build(in)
	checkBlock(t, out)
	for text, n := range map[string]int{"Yesterday's note.": 1, "The newest note.": 1, "A note of this morning.": 1, "This branch.": 0, "Pinned.": 1} {
		if got := strings.Count(out.Block, text); got != n {
			t.Errorf("%q stands %d times in\n%s", text, got, out.Block)
		}
	}
	if len(out.Facts) != 1 || len(out.Notes) != 3 || len(out.Used) != 1 || len(out.Costs) != 5 {
		t.Errorf("%d facts, %d notes, %d hits, %d costs", len(out.Facts), len(out.Notes), len(out.Used), len(out.Costs))
	}
	if facts, notes := strings.Index(out.Block, "[facts]"), strings.Index(out.Block, "[notes of"); facts > notes || notes > strings.Index(out.Block, "[1]") {
		t.Errorf("not in order:\n%s", out.Block)
	}
	in.Standing = memory.Tokens(factHead(in.Facts[0])) + out.Costs[0]
	if out := Build(in); len(out.Notes) != 0 || strings.Contains(out.Block, "[notes") {
		t.Errorf("without room:\n%s", out.Block)
	}
	in = Input{Task: "x", Known: Known{Notes: lateNotes}, Limits: Limits{Standing: 10_000, Budget: 150}, Now: now}
	if out := Build(in); out.Tokens > 150 || len(out.Notes) == 0 {
		t.Errorf("%d tokens of 150", out.Tokens)
	}
}

// A session begins with notes below the facts, within the budget.
func TestASessionBeginsWithNotes(t *testing.T) {
	in := SessionStart{Known: Known{Facts: []Fact{known1("m", "Yesterday's note.", nil)}, Notes: lateNotes}, Limits: Limits{Standing: 250, Budget: 400}, Now: now, Recent: []Recent{{Time: yesterday, Title: "Fix it", Ref: "abc"}}}
	out := in.Begin()
	text, shown := out.Text, slices.Concat(out.Facts, out.Notes)
	facts, notes, done := strings.Index(text, "[facts]"), strings.Index(text, "[notes of"), strings.Index(text, "[recent work]")
	if facts < 0 || notes < facts || done < notes || memory.Tokens(text) > 400 || strings.Count(text, "Yesterday's note.") != 1 || len(shown) != 5 {
		t.Errorf("%d shown, %d tokens:\n%s", len(shown), memory.Tokens(text), text)
	}
	for budget := range 600 {
		in.Budget, in.Standing = budget, budget
		if text := in.Begin().Text; memory.Tokens(text) > budget {
			t.Errorf("%d tokens of %d", memory.Tokens(text), budget)
		}
	}
}
