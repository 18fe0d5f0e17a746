package prompt

import (
	"cmp"
	"slices"
	"strings"

	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/memory/retrieval"
)

// standingShare is the most of a budget that facts and notes take.
const standingShare = 0.6

// Standing returns how many tokens the facts and notes of a block take at most.
func Standing(in Input) int {
	return min(in.Standing, int(standingShare*float64(max(cmp.Or(in.Budget, DefaultBudget), 0))))
}

// block renders the best facts, the latest notes, likely files and then hits, best first,
// within the budget. An entry that does not fit is cut. If others follow, it gets half of the
// remaining budget, so that one huge entry does not push out all the rest.
func block(in Input) Output {
	budget := max(cmp.Or(in.Budget, DefaultBudget), 0)
	hidden := in.inScope()
	frame := memory.Tokens(in.opening() + blockClose)
	standing := min(Standing(in), budget-frame)
	facts := sectionOf(ranked(in.Facts, in.Now, in.Namespaces), factHead, in.Format, standing)
	apart := slices.Concat(facts.facts, hidden, in.Seen)
	drop := in.dropped(apart)
	hits := best(beside(apart, in.Hits), in.Top)
	notes := notesOf(in.fresh(hits), in.Format, standing-memory.Tokens(facts.text))
	out := Output{Facts: facts.facts, Notes: notes.facts, Costs: slices.Concat(facts.costs, notes.costs)}
	var body strings.Builder
	body.WriteString(facts.text)
	body.WriteString(notes.text)
	if in.Top >= 0 {
		var text string
		text, out.Files = likely(in.unnamed(), budget-frame-memory.Tokens(body.String()))
		body.WriteString(text)
	}
	size := func(more string) int {
		return memory.Tokens(in.opening() + body.String() + more + blockClose)
	}
	entries := in.entries(hits, budget, drop)
	for i, e := range entries {
		n := len(out.Used) + 1
		text := e.whole(n)
		if e.short || size(text) > budget {
			limit := budget
			if i < len(entries)-1 {
				limit -= (budget - size("")) / 2
			}
			text = e.cut(n, func(s string) bool { return size(s) <= limit })
		}
		if text == "" {
			continue
		}
		body.WriteString(text)
		out.Used, out.Costs = append(out.Used, e.hit), append(out.Costs, memory.Tokens(text))
	}
	if body.Len() == 0 {
		return Output{}
	}
	out.Block = in.opening() + body.String() + blockClose
	out.Tokens = memory.Tokens(out.Block)
	return out
}

// opening returns the head of the block.
func (in *Input) opening() string {
	if in.Again {
		return blockAgain
	}
	return blockOpen
}

// beside drops hits that only repeat the shown facts. If such a hit is a fact that was moved
// out of an entry, the entry takes its place.
func beside(facts []Fact, hits []retrieval.Hit) []retrieval.Hit {
	var list []retrieval.Hit
	for _, h := range hits {
		switch {
		case !repeats(h, facts):
			list = append(list, h)
		case h.Origin != nil:
			list = append(list, *h.Origin)
		}
	}
	return list
}

// repeats reports whether the shown facts contain all that a piece of hand-written text
// says.
func repeats(h retrieval.Hit, shown []Fact) bool {
	if h.Kind != "" || !slices.ContainsFunc(shown, func(f Fact) bool { return f.Path == h.Path }) {
		return false
	}
	for _, n := range markdown.Parse([]byte(h.Text)).Notes(h.Path) {
		whole := n.AsFact().Whole() // as far as the piece shows it
		above := func(f Fact) bool { return f.Path == h.Path && f.Text == n.Text && strings.HasSuffix(f.Whole(), whole) }
		if !n.Struck && !slices.ContainsFunc(shown, above) {
			return false
		}
	}
	return true
}

// dropped selects the facts that are removed from a hit's text: those that do not
// count, and others that are shown above it or are about other files.
func (in *Input) dropped(others []Fact) func(memory.Fact) bool {
	ids, texts := map[string]bool{}, map[string]bool{}
	for _, f := range others {
		texts[f.Whole()] = true
		for _, id := range f.IDs() {
			ids[id] = true
		}
	}
	return func(f memory.Fact) bool {
		return ids[f.ID] || texts[f.Whole()] || !f.Live(in.Now) || !f.Counts(in.Namespaces)
	}
}
