package priced

import (
	"math"
	"testing"

	"agentflow/executor/agent"
	"agentflow/executor/agent/codex"
	"agentflow/internal/price"
	"agentflow/internal/testing/agenttest"
)

const root = "../../.."

func TestContract(t *testing.T) {
	agenttest.Contract(t, New(codex.New(), Bill{Model: "m"}), agenttest.Recorded(t, root, "codex", ".jsonl"))
}

// TestBill: a run that resumes a session only pays for the tokens of the run.
func TestBill(t *testing.T) {
	resumed := agenttest.Recorded(t, root, "codex", ".jsonl")["resume"]
	list := price.List{"gpt-5.5": {Input: 10, Output: 100, Cached: 1}}
	before := agent.Tokens{Input: 100, Cached: 40, Output: 20}
	for name, c := range map[string]struct {
		bill   Bill
		tokens agent.Tokens
		cost   float64
	}{
		"the run's own":   {Bill{"gpt-5.5", list, before}, before, (60*10 + 40*1 + 20*100) / 1e6},
		"all":             {Bill{"gpt-5.5", list, agent.Tokens{}}, agent.Tokens{Input: 200, Cached: 80, Output: 40}, 2 * (60*10 + 40*1 + 20*100) / 1e6},
		"no price":        {Bill{"gpt-6", list, before}, before, 0},
		"no model":        {Bill{"", list, before}, before, 0},
		"more than there": {Bill{"gpt-5.5", list, agent.Tokens{Input: 1e6, Cached: 1e6, Output: 1e6}}, agent.Tokens{}, 0},
	} {
		events := agenttest.Decode(New(codex.New(), c.bill), resumed, 100)
		last := events[len(events)-1]
		if last.Tokens != c.tokens || math.Abs(last.CostUSD-c.cost) > 1e-12 || events[0].Model != c.bill.Model {
			t.Errorf("%s: %+v of model %q, want %+v for $%g", name, last, events[0].Model, c.tokens, c.cost)
		}
	}
}
