package session

import (
	"context"

	apppropose "agentflow/app/propose"
	"agentflow/executor/summary"
	"agentflow/internal/propose"
	"agentflow/internal/propose/proposals"
	"agentflow/memory"
)

// proposeFromTurns records the proposals in the user's prompts of a segment. A prompt may appear again in the next
// turn, so known proposals are skipped.
func (s *sessionMemory) proposeFromTurns(ctx context.Context, entry string, asked []summary.Prompt) error {
	c := apppropose.Conversation{
		Proposal: proposals.Proposal{Agent: s.ev.Agent, Session: s.ev.Session, Entry: entry, At: s.ev.At},
		Counts:   memory.HashID("session", s.ev.Agent, s.ev.Session)[:8],
	}
	for _, p := range asked {
		c.Prompts = append(c.Prompts, propose.Prompt{Text: p.Text, Refused: p.Refused})
	}
	_, err := apppropose.ProposeFrom(ctx, s.Repo, c)
	return err
}
