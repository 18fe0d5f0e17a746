package prompt

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"agentflow/memory"
	"agentflow/memory/quote"
)

// Fact is a fact that is shown for every task, as far as there is room.
type Fact struct {
	memory.Fact
	Path string // as Hit.Path: "memory/MEMORY.md"
	Line int    // where it begins, 1-based
	// Standing reports that a person states it: the user, or a person whom the user trusts.
	// Such facts come first.
	Standing bool
	Author   string  // the person who shares it; empty: it is the user's own
	From     string  // the agent's memory that contains it, if it is not in AgentFlow's
	For      string  // the one of its Paths for which it is shown; Build and Begin set it
	Uses     int     // how often it was shown to an agent, or found
	Chance   float64 // the chance that the task needs it, 0 to 1; 0 where there is no task
	Needed   bool    // the chance is high enough to add it to a conversation
	// Evidence is the fact's evidence for the task, as the index measures it; 0 is
	// none.
	Evidence float64
	About    float64 // the chance that it is about the task, 0 to 1
}

// evidenceWeight is what a fact's worth gains if it has the most evidence for the task
// of all facts.
const evidenceWeight = 0.5

// Worth returns the weight of a fact among others: its importance, 0 to 1, plus
// a part for its evidence relative to most, the highest evidence of all facts.
func (f Fact) Worth(most float64) float64 {
	worth := f.Importance
	if worth == 0 {
		worth = memory.PlainImportance
	}
	if most > 0 {
		worth += evidenceWeight * f.Evidence / most
	}
	return worth
}

// ranked returns the facts that count at a time in these namespaces, each once: stated
// ones first, of those the pinned ones, then by chance, worth, and use, the newer first.
func ranked(facts []Fact, now time.Time, namespaces []string) []Fact {
	most := 0.0
	var list []Fact
	seen := map[string]bool{}
	for _, f := range facts {
		if !f.Live(now) || !f.Counts(namespaces) || strings.TrimSpace(f.Text) == "" || seen[f.Whole()] {
			continue
		}
		seen[f.Whole()] = true
		list = append(list, f)
		most = max(most, f.Evidence)
	}
	first := map[bool]int{true: 1}
	slices.SortStableFunc(list, func(a, b Fact) int {
		return cmp.Or(
			cmp.Compare(first[b.Standing], first[a.Standing]),
			cmp.Compare(first[b.Pinned()], first[a.Pinned()]),
			cmp.Compare(b.Chance, a.Chance),
			cmp.Compare(b.Worth(most), a.Worth(most)),
			cmp.Compare(b.Uses, a.Uses),
			changed(b).Compare(changed(a)),
		)
	})
	return list
}

// changed returns when a fact was last stated.
func changed(f Fact) time.Time {
	if f.Updated.After(f.Created) {
		return f.Updated
	}
	return f.Created
}

// section is the part of a block that shows facts.
type section struct {
	text  string
	facts []Fact
	costs []int // tokens of each, quoted; of the first below a line also of that
}

// factHead returns the line above facts: who states them, or the file that they are in.
func factHead(f Fact) string {
	switch {
	case !f.Standing:
		return fmt.Sprintf("[facts] %s\n", quote.Path(f.Path))
	case f.From != "":
		return fmt.Sprintf("[stated] by %s\n", quote.Inline(f.From))
	case f.Author != "":
		return fmt.Sprintf("[stated] by %s, who shares it\n", quote.Name(f.Author))
	case f.Namespace == memory.GlobalNamespace:
		return "[stated] by the user, for every repository\n"
	}
	return "[stated] by the user\n"
}

// sectionOf shows facts, the best first, in at most so many tokens, each below
// the line from headOf. A fact that is too long is skipped, and the next one may take its room.
func sectionOf(facts []Fact, headOf func(Fact) string, format Format, budget int) section {
	var s section
	var heads []string
	below := map[string]string{}
	for _, f := range facts {
		head := headOf(f)
		text := quoteLines(format.fact(f))
		cost := memory.Tokens(text)
		if !slices.Contains(heads, head) {
			cost += memory.Tokens(head)
		}
		if cost > budget {
			continue
		}
		if !slices.Contains(heads, head) {
			heads = append(heads, head)
		}
		budget -= cost
		below[head] += text
		s.facts, s.costs = append(s.facts, f), append(s.costs, cost)
	}
	for _, head := range heads {
		s.text += head + below[head]
	}
	return s
}

// quoteLines returns lines of a fact, quoted.
func quoteLines(lines []string) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(quoteLine(quote.Defuse(l)))
	}
	return b.String()
}

// metadata returns a fact's properties, in brackets.
func metadata(f memory.Fact) string {
	var parts []string
	for _, name := range []string{f.Namespace, string(f.Type)} {
		if name != "" {
			parts = append(parts, quote.Path(name))
		}
	}
	if f.Importance > 0 {
		parts = append(parts, fmt.Sprintf("importance %g", f.Importance))
	}
	var tags []string
	for _, tag := range f.Tags {
		tags = append(tags, quote.Path(tag))
	}
	if len(tags) > 0 {
		parts = append(parts, strings.Join(tags, ", "))
	}
	if at := f.Created; !at.IsZero() {
		parts = append(parts, at.Format(time.DateOnly))
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, " · ") + ")"
}
