package chat

import (
	"strings"

	"agentflow/internal/price"

	"github.com/anthropics/anthropic-sdk-go"
)

// fallbackPrice applies to unknown models. It is the price of Opus 4.1, so that the
// limit of cost is reached too early rather than too late.
var fallbackPrice = price.Price{Input: 15, Output: 75, Cached: 1.5}

// regional multiplies Bedrock's price of requests that stay in a region, according to
// Anthropic's list: for every model with an id that does not begin with "global.".
const regional = 1.1

// priceOf returns the price of a model. A price from the user counts without the surcharge.
func priceOf(provider, model string, own price.List) price.Price {
	p, known := own.Of(model)
	if !known {
		p = fallbackPrice
	}
	if _, said := own[model]; !said && provider == "bedrock" && !strings.HasPrefix(model, "global.") {
		p = p.Times(regional)
	}
	return p
}

// costOf returns the cost of an answer. Input that the provider caches for later requests costs
// a quarter more.
func costOf(p price.Price, u anthropic.BetaUsage) float64 {
	return p.Of(float64(u.InputTokens)+1.25*float64(u.CacheCreationInputTokens), float64(u.CacheReadInputTokens), float64(u.OutputTokens))
}
