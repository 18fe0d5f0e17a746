package chat

import (
	"cmp"
	"strings"

	"github.com/anthropics/anthropic-sdk-go"
)

const million = 1e6

// price is what a million tokens cost, in US dollars.
type price struct{ input, output float64 }

// prices are those of Anthropic's list for requests of the Messages API
// (platform.claude.com/docs/en/about-claude/pricing, read in November 2026), by
// a part of the model's name; the first that fits counts. Where a price
// depends on the length of a request it is the higher one.
var prices = []struct {
	name string
	price
}{
	{"fable-5", price{10, 50}},
	{"mythos-5", price{10, 50}},
	{"opus-5-5", price{4, 20}},
	{"opus-5", price{5, 25}},
	{"opus-4-5", price{5, 25}},
	{"opus-4-6", price{5, 25}},
	{"opus-4-7", price{5, 25}},
	{"opus-4-8", price{5, 25}},
	{"sonnet-5", price{2, 10}},
	{"sonnet", price{3, 15}},
	{"haiku-5-5", price{0.5, 2.5}},
	{"haiku", price{1, 5}},
}

// dearest is for a model that is not in the list, and of which nobody said a
// price: that of Opus 4.1, so that the limit of cost is reached too early
// rather than too late.
var dearest = price{15, 75}

// regional is how much more Bedrock costs where a request stays in a region,
// by the same list: for every model whose id does not begin with "global.".
const regional = 1.1

// priceOf is the price of a model; input and output, where they are not 0, are
// what the user says of it, by the settings chat.input_price and
// chat.output_price.
func priceOf(provider, model string, input, output float64) price {
	p := dearest
	for _, known := range prices {
		if strings.Contains(model, known.name) {
			p = known.price
			break
		}
	}
	if provider == "bedrock" && !strings.HasPrefix(model, "global.") {
		p = price{p.input * regional, p.output * regional}
	}
	return price{cmp.Or(input, p.input), cmp.Or(output, p.output)}
}

// of is what an answer cost: what the provider keeps for later requests costs a
// quarter more, and what it had kept a tenth at most.
func (p price) of(u anthropic.BetaUsage) float64 {
	input := float64(u.InputTokens) + 1.25*float64(u.CacheCreationInputTokens) + 0.1*float64(u.CacheReadInputTokens)
	return (input*p.input + float64(u.OutputTokens)*p.output) / million
}
