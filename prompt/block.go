package prompt

import (
	"strings"

	"agentflow/memory"
)

// block renders hits, best first, into at most budget tokens. An entry that
// does not fit is cut; it takes half of what is left when others follow, so
// that one huge entry does not push out all the rest.
func block(hits []memory.Hit, budget int) Output {
	if budget <= 0 {
		budget = DefaultBudget
	}
	var body strings.Builder
	var used []memory.Hit
	size := func(more string) int {
		return memory.Tokens(blockOpen + body.String() + more + blockClose)
	}
	for i, h := range hits {
		e := newEntry(h, len(used)+1, budget)
		if len(e.lines) == 0 {
			continue
		}
		text := e.whole()
		if e.short || size(text) > budget {
			limit := budget
			if i < len(hits)-1 {
				limit -= (budget - size("")) / 2
			}
			text = e.cut(func(s string) bool { return size(s) <= limit })
		}
		if text == "" {
			continue
		}
		body.WriteString(text)
		used = append(used, h)
	}
	if len(used) == 0 {
		return Output{}
	}
	text := blockOpen + body.String() + blockClose
	return Output{Block: text, Used: used, Tokens: memory.Tokens(text)}
}
