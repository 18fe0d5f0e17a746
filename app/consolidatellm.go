package app

import (
	"context"
	"fmt"

	"agentflow/internal/plural"

	"agentflow/consolidate"
	"agentflow/memory"
)

// proposed is what came of asking a model about what is possible.
type proposed struct {
	refused []string
	cost    float64 // US dollars
}

// propose asks the agent CLI that [extract] names about the facts that may say
// the same or contradict each other, and adds to in what may be done. What
// fails is said and recorded, and the plan goes on without it.
func (s *site) propose(ctx context.Context, in consolidate.Input) (consolidate.Input, proposed) {
	var out proposed
	done, err := s.consolidate(ctx, in, true)
	if err != nil {
		return in, out // planning again will say it
	}
	batches := consolidate.Batches(done.in, done.Possible)
	if len(batches) > 0 {
		s.say("asking about facts that may say the same or contradict each other")
	}
	for i, b := range batches {
		var p consolidate.Proposal
		left := s.settings.Extract.MaxCost - out.cost
		if s.settings.Extract.MaxCost > 0 && left <= 0 {
			s.say("asked %d of %s: max_cost in [extract] is reached", i, plural.Count(len(batches), "question"))
			break
		}
		answer, err := s.askAgent(ctx, b.Question(s.redact.Text), max(left, 0), consolidate.MaxTokens)
		out.cost += answer.CostUSD
		if err == nil {
			p, err = b.Check(answer.Text)
		}
		if err != nil {
			s.degraded("consolidate", []string{fmt.Sprintf("asking a model about memory: %v; the plan goes on without it", err)})
			break
		}
		in.Merges, in.Strikes = append(in.Merges, p.Merges...), append(in.Strikes, p.Strikes...)
		out.refused = append(out.refused, p.Refused...)
	}
	if out.cost > 0 {
		s.say("asked for $%.4f", out.cost)
	}
	for _, line := range out.refused {
		s.say("refused: %s", memory.Clean(s.redact.Text(line)))
	}
	return in, out
}
