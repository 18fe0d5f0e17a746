// Package price knows what tokens of models cost: what the user says of a model,
// and else what a list says that this version carries (pure).
package price

import "strings"

// Price is what a million tokens cost, in US dollars.
type Price struct {
	Input  float64 // what is sent and was not cached
	Output float64
	Cached float64 // what is sent and the provider had kept; 0: as Input
}

// List holds the prices of the user's own, by the model's name.
type List map[string]Price

// known are those of Anthropic's list for requests of the Messages API
// (platform.claude.com/docs/en/about-claude/pricing, read in November 2026), by
// a part of the model's name; the first that fits counts. Where a price
// depends on the length of a request it is the higher one. What was cached
// costs a tenth.
var known = []struct {
	name          string
	input, output float64
}{
	{"fable-5", 10, 50},
	{"mythos-5", 10, 50},
	{"opus-5-5", 4, 20},
	{"opus-5", 5, 25},
	{"opus-4-5", 5, 25},
	{"opus-4-6", 5, 25},
	{"opus-4-7", 5, 25},
	{"opus-4-8", 5, 25},
	{"sonnet-5", 2, 10},
	{"sonnet", 3, 15},
	{"haiku-5-5", 0.5, 2.5},
	{"haiku", 1, 5},
}

// Of is the price of a model; false where neither the user nor the list knows
// it. A price of the user's that is 0 in all is none.
func (l List) Of(model string) (Price, bool) {
	if p, ok := l[model]; ok && p != (Price{}) {
		return p, true
	}
	for _, k := range known {
		if strings.Contains(model, k.name) {
			return Price{Input: k.input, Output: k.output, Cached: k.input / 10}, true
		}
	}
	return Price{}, false
}

// Times is a price that is higher by a factor.
func (p Price) Times(factor float64) Price {
	return Price{p.Input * factor, p.Output * factor, p.Cached * factor}
}

const million = 1e6

// Of is what tokens cost, in US dollars; input is without the cached ones.
func (p Price) Of(input, cached, output float64) float64 {
	if p.Cached == 0 {
		p.Cached = p.Input
	}
	return (input*p.Input + cached*p.Cached + output*p.Output) / million
}
