// Package price computes what tokens of models cost: from the user's prices, or
// else from the list in this version. It is pure.
package price

import "strings"

// Price is the price of a million tokens, in US dollars.
type Price struct {
	Input  float64 // input that was not cached
	Output float64
	Cached float64 // cached input; 0 means the same as Input
}

// List holds the user's prices by model name.
type List map[string]Price

// known holds the prices of Anthropic's list for requests of the Messages API
// (platform.claude.com/docs/en/about-claude/pricing, read in November 2026), by
// a part of the model's name; the first match counts. If a price depends on the
// length of a request, it is the higher one. Cached input costs a tenth.
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

// Of returns the price of a model, or false if neither the user nor the list
// has one. A user's price that is zero throughout is ignored.
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

// Times returns the price multiplied by a factor.
func (p Price) Times(factor float64) Price {
	return Price{p.Input * factor, p.Output * factor, p.Cached * factor}
}

const million = 1e6

// Of returns the cost of tokens in US dollars; input does not include the
// cached ones.
func (p Price) Of(input, cached, output float64) float64 {
	if p.Cached == 0 {
		p.Cached = p.Input
	}
	return (input*p.Input + cached*p.Cached + output*p.Output) / million
}
