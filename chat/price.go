package chat

import (
	"strings"

	"agentflow/internal/price"

	"github.com/anthropics/anthropic-sdk-go"
)

// dearest is for a model of which nobody knows a price: that of Opus 4.1, so
// that the limit of cost is reached too early rather than too late.
var dearest = price.Price{Input: 15, Output: 75, Cached: 1.5}

// regional is how much more Bedrock costs where a request stays in a region,
// by Anthropic's list: for every model whose id does not begin with "global.".
const regional = 1.1

// priceOf is the price of a model. What the user says of one counts as it is.
func priceOf(provider, model string, own price.List) price.Price {
	p, known := own.Of(model)
	if !known {
		p = dearest
	}
	if _, said := own[model]; !said && provider == "bedrock" && !strings.HasPrefix(model, "global.") {
		p = p.Times(regional)
	}
	return p
}

// costOf is what an answer cost: what the provider keeps for later requests costs
// a quarter more.
func costOf(p price.Price, u anthropic.BetaUsage) float64 {
	return p.Of(float64(u.InputTokens)+1.25*float64(u.CacheCreationInputTokens), float64(u.CacheReadInputTokens), float64(u.OutputTokens))
}
