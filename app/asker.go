package app

import (
	"context"
	"fmt"

	"agentflow/executor"
	"agentflow/executor/agent/command"
	"agentflow/internal/ask"
)

// askAgent asks the agent CLI that [extract] names about memory, within its
// time-out and for at most maxCost US dollars (0: no limit). An error comes
// with what the answer cost all the same.
func (s *site) askAgent(ctx context.Context, q ask.Question, maxCost float64, maxTokens int) (ask.Answer, error) {
	e := s.settings.Extract
	cli := ask.CLI{Argv: []string{"claude"}, Environ: executor.Environ(s.environ), Model: e.Model, MaxCostUSD: maxCost, MaxTokens: maxTokens}
	if cli.Model == "" {
		cli.Model = ask.CheapModel
	}
	if named, ok := s.settings.Agents[e.Agent]; ok {
		cli.Argv, cli.Plain = named.Argv, command.Protocol(named.Protocol) != command.Claude
	} else if e.Agent != "claude" {
		return ask.Answer{}, fmt.Errorf("there is no agent %q, which agent in [extract] names", e.Agent)
	}
	limit := fmt.Errorf("no answer within %s; see timeout in [extract]: %w", e.Timeout, context.DeadlineExceeded)
	ctx, cancel := context.WithTimeoutCause(ctx, e.Timeout, limit)
	defer cancel()
	answer, err := cli.Ask(ctx, q)
	if err != nil {
		return answer, fmt.Errorf("asking %s: %w", cli.Argv[0], err)
	}
	return answer, nil
}
