package app

import (
	"fmt"
	"strings"

	"agentflow/internal/plural"

	"agentflow/memory"
	"agentflow/prompt"
)

// explainRecall lists the pieces of a block with why each is there and what it
// costs.
func (a *operation) explainRecall(in prompt.Input, out prompt.Output) {
	facts, hits := costsOf(out)
	most := bestFact(in.Facts)
	for i, f := range out.Facts {
		a.printf("%s\n", a.bold(cleanLine(f.Text)))
		a.printf("%s\n", a.dim(cleanLine(fmt.Sprintf("%s:%d  %s%s  %s", f.Path, f.Line, whyFact(f, most), holdsIn(f), tokens(facts[i])))))
		a.printf("\n")
	}
	print := a.hitPrinter(asFound(in.Task, out.Used))
	for i, h := range out.Used {
		print(h, "  "+tokens(hits[i]))
		a.printf("\n")
	}
	a.printf("%s\n", a.dim(fmt.Sprintf("%s of %d: %s for %s (at most %d%%), %d for %s, %d for the words around them",
		tokens(out.Tokens), in.Budget, tokens(sum(facts)), plural.Count(len(facts), "fact"), int(100*in.FactsShare),
		sum(hits), plural.Count(len(hits), "entry"), out.Tokens-sum(facts)-sum(hits))))
}

// whyFact is what a fact's place among others comes from.
func whyFact(f prompt.Fact, most float64) string {
	why := fmt.Sprintf("worth %.3f = importance %s", f.Worth(most), importanceText(f))
	if f.Evidence > 0 {
		why += fmt.Sprintf(" + evidence %.3f of %.3f", f.Evidence, most)
	}
	if f.Pinned() {
		why = "pinned, " + why
	}
	return why
}

func importanceText(f prompt.Fact) string {
	if f.Importance == 0 {
		return "not said"
	}
	return fmt.Sprintf("%.2f", f.Importance)
}

func holdsIn(f prompt.Fact) string {
	if f.Namespace == memory.ProjectNamespace || f.Namespace == memory.GlobalNamespace {
		return ""
	}
	return "  " + f.Namespace
}

// bestFact is the most evidence that a fact has.
func bestFact(facts []prompt.Fact) float64 {
	most := 0.0
	for _, f := range facts {
		most = max(most, f.Evidence)
	}
	return most
}

func costsOf(out prompt.Output) (facts, hits []int) {
	return out.Costs[:len(out.Facts)], out.Costs[len(out.Facts):]
}

func tokens(n int) string { return plural.Count(n, "token") }

func sum(list []int) int {
	n := 0
	for _, v := range list {
		n += v
	}
	return n
}

// shownFact is a fact of a block, as recall --json has it.
type shownFact struct {
	ID         string   `json:"id"`
	Path       string   `json:"path"`
	Line       int      `json:"line"`
	Namespace  string   `json:"namespace,omitempty"`
	Type       string   `json:"type,omitempty"`
	Importance float64  `json:"importance"`
	Tags       []string `json:"tags"`
	Pinned     bool     `json:"pinned"`
	Text       string   `json:"text"`
	Evidence   *float64 `json:"evidence,omitempty"`
}

// recalledObject is what recall --json prints.
type recalledObject struct {
	Block  string       `json:"block"`
	Tokens int          `json:"tokens"`
	Facts  []shownFact  `json:"facts"`
	Hits   []memory.Hit `json:"hits"`
	Costs  *blockCosts  `json:"costs,omitempty"` // with --explain
}

// blockCosts are tokens: of each fact, of each hit, and of the words around.
type blockCosts struct {
	Facts []int `json:"facts"`
	Hits  []int `json:"hits"`
	Frame int   `json:"frame"`
}

func recallObject(out prompt.Output, explain bool) recalledObject {
	if !explain {
		dropExplain(out.Used)
	}
	object := recalledObject{Block: out.Block, Tokens: out.Tokens, Facts: []shownFact{}, Hits: filled(out.Used)}
	for _, f := range out.Facts {
		k := shownFact{ID: f.ID, Path: f.Path, Line: f.Line, Namespace: f.Namespace, Type: string(f.Type), Importance: f.Importance,
			Tags: filled(f.Tags), Pinned: f.Pinned(), Text: strings.TrimSpace(f.Text)}
		if explain {
			k.Evidence = &f.Evidence
		}
		object.Facts = append(object.Facts, k)
	}
	if explain {
		facts, hits := costsOf(out)
		object.Costs = &blockCosts{Facts: filled(facts), Hits: filled(hits), Frame: out.Tokens - sum(facts) - sum(hits)}
	}
	return object
}
