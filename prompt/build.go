package prompt

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"agentflow/memory"
)

// What an Input leaves open.
const (
	DefaultBudget = 2000 // tokens for the block
	DefaultTop    = 5    // entries in the block
)

// Input is a task and what memory holds about it.
type Input struct {
	Task   string
	Hits   []memory.Hit
	Budget int // tokens for the block, as memory.Tokens counts; 0 or less means DefaultBudget
	Top    int // entries at most; 0 or less means DefaultTop
	// Facts are those of MEMORY.md, in any order. The best of them go in
	// before the hits; FactsShare, 0 to 1, is the most of Budget they take.
	Facts      []Fact
	FactsShare float64
	Format     Format
	// Now and Namespaces say which facts count: what holds no longer, or
	// elsewhere only, is not shown, and not in a hit's text either.
	Now        time.Time
	Namespaces []string
	// NoSaveRule leaves out the rule for save_memory, for an agent whose
	// answer is not searched for facts.
	NoSaveRule bool
}

// Output is a prompt and what went into it.
type Output struct {
	Text   string       // the whole prompt
	Block  string       // the recalled part alone, as the recall verb prints it; empty without hits
	Used   []memory.Hit // the hits in Block, in its order; one that was cut counts
	Facts  []Fact       // the facts in Block, the best first; no hit says them again
	Tokens int          // of Block, never more than the budget
	Costs  []int        // tokens of each of Facts and then of each of Used; the rest of Tokens is the frame's
	// Passthrough says that the task is an agent's own command (see
	// IsCommand) and Text is that command alone.
	Passthrough bool
}

// Build makes the prompt. Hits go in by score, best first, those of equal
// score in the order given. It does not change in.Hits, and is safe for
// concurrent use.
func Build(in Input) Output {
	if IsCommand(in.Task) {
		return Output{Text: in.Task, Passthrough: true}
	}
	out := block(in)

	var b strings.Builder
	b.Grow(len(out.Block) + len(saveRule) + len(taskLine) + len(in.Task) + 2)
	if out.Block != "" {
		b.WriteString(out.Block)
		b.WriteString("\n")
	}
	if !in.NoSaveRule {
		b.WriteString(saveRule)
		b.WriteString("\n")
	}
	if b.Len() > 0 {
		b.WriteString(taskLine)
	}
	b.WriteString(in.Task)
	out.Text = b.String()
	return out
}

// best returns the top hits by score.
func best(hits []memory.Hit, top int) []memory.Hit {
	if top <= 0 {
		top = DefaultTop
	}
	sorted := slices.Clone(hits)
	slices.SortStableFunc(sorted, func(a, b memory.Hit) int { return cmp.Compare(b.Score, a.Score) })
	return sorted[:min(top, len(sorted))]
}
