package chat

import (
	"cmp"
	"strings"

	"github.com/anthropics/anthropic-sdk-go"
)

const million = 1e6

// price is what a million tokens cost, in US dollars.
type price struct{ input, output float64 }

// families are the most that models of each family have cost in Anthropic's
// list, so that a limit holds for those that cost less, too.
var families = []struct {
	name string
	price
}{
	{"haiku", price{1, 5}},
	{"sonnet", price{3, 15}},
}

// dearest is for a model of which nothing is known.
var dearest = price{15, 75}

// priceOf is the price of a model; input and output, where they are not 0, are
// what the user says of it.
func priceOf(model string, input, output float64) price {
	p := dearest
	for _, f := range families {
		if strings.Contains(model, f.name) {
			p = f.price
		}
	}
	return price{cmp.Or(input, p.input), cmp.Or(output, p.output)}
}

// of is what an answer cost: what the provider keeps for later requests costs a
// quarter more, and what it had kept a tenth.
func (p price) of(u anthropic.BetaUsage) float64 {
	input := float64(u.InputTokens) + 1.25*float64(u.CacheCreationInputTokens) + 0.1*float64(u.CacheReadInputTokens)
	return (input*p.input + float64(u.OutputTokens)*p.output) / million
}
