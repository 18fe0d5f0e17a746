package app

import (
	"context"
	"fmt"
	"slices"
	"time"

	"agentflow/consolidate"
	"agentflow/executor"
	"agentflow/internal/redact"
	"agentflow/memory"
	"agentflow/propose"
)

// proposeFrom notes what the user's prompts in a segment propose. Each prompt may come again
// with the next turn: a known proposal is passed over.
func (s *sessionMemory) proposeFrom(ctx context.Context, entry string, asked []executor.Prompt) error {
	found, again := s.corrections(entry, asked)
	if len(found)+len(again) == 0 {
		return nil
	}
	known, err := s.proposals()
	if err != nil {
		return err
	}
	found = slices.DeleteFunc(found, func(p proposal) bool { return !known.isNew(p.ID) })
	if found, err = s.unsaid(ctx, found); err != nil {
		return err
	}
	session := memory.HashID("session", s.ev.Agent, s.ev.Session)[:8]
	return s.changeProposals(ctx, s.ev.At, func(all *proposals) (changed bool) {
		for _, p := range found {
			changed = all.add(p) || changed
		}
		for _, p := range again {
			n, more := all.hear(p.ID, session, s.ev.At)
			if changed = changed || more; more && n == enoughSessions {
				p.Reason = fmt.Sprintf("given in %d sessions", n)
				all.add(p)
			}
		}
		return changed
	})
}

// corrections are the proposals of prompts, and the instructions that are one when other
// sessions are given them too.
func (s *sessionMemory) corrections(entry string, asked []executor.Prompt) (found, again []proposal) {
	for i, prompt := range asked {
		if redact.Marks(prompt.Text) > 0 {
			continue
		}
		at := proposal{Agent: s.ev.Agent, Session: s.ev.Session, Entry: entry, Turn: i + 1, At: s.ev.At.UTC().Truncate(time.Second), Refused: prompt.Refused}
		add := func(list *[]proposal, kind ProposalKind, text, sentence string) {
			p := at
			p.ID, p.Kind, p.Text, p.Sentence = proposalID("fact", text), kind, s.redact.Text(text), s.redact.Text(sentence)
			*list = append(*list, p)
		}
		for _, c := range propose.Corrections(propose.Prompt{Text: prompt.Text, Refused: prompt.Refused}) {
			add(&found, FromCorrection, c.Text, c.Sentence)
		}
		for _, text := range propose.Instructions(prompt.Text) {
			if !slices.ContainsFunc(found, func(p proposal) bool { return p.Text == text }) {
				add(&again, FromRepetition, text, text)
			}
		}
	}
	return found, again
}

// unsaid leaves out the proposals that memory holds already, in these or other words.
func (s *openMemory) unsaid(ctx context.Context, list []proposal) ([]proposal, error) {
	if len(list) == 0 {
		return nil, nil
	}
	facts, err := s.facts(ctx)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	facts = slices.DeleteFunc(facts, func(k *storedFact) bool { return !k.Live(now) || !k.owned().Stated() })
	texts := mapped(facts, func(k *storedFact) string { return k.Whole() })
	return slices.DeleteFunc(list, func(p proposal) bool {
		return slices.ContainsFunc(consolidate.Close(p.Text, texts), func(c consolidate.CloseFact) bool { return !c.Differs })
	}), nil
}
