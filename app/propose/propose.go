// Package propose finds corrections in the prompts of a person, and lets the person accept them as facts.
//
// The worker of a session looks through the prompts when a turn ends (ProposeFrom), and the Recorder of a run
// through the task, if a person wrote it. Consolidation adds the facts that it would retire (ProposeRetirements).
// Proposals are in one file of this machine. They are not memory: they are not indexed, shared or shown to an agent.
// Prompts with a secret propose nothing.
//
// Review lists the proposals. Only AcceptProposals moves one into memory, and stores it as fact.Remember does. It is
// for people: no agent can call it. DropProposals drops them for good. Proposals that a person's fact states already
// are not added. A damaged file is set aside, and is not an obstacle.
//
// Recorder is the writer of finished runs and sessions for package executor: it stores the entry with package
// writeback, counts the facts and hits that were shown as used, and updates the index within recall.deadline. If the
// index takes longer, the next command continues.
package propose

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"agentflow/app"
	"agentflow/app/lookup"
	"agentflow/executor"
	"agentflow/internal/consolidate"
	"agentflow/internal/lists"
	"agentflow/internal/propose"
	"agentflow/internal/propose/proposals"
	"agentflow/internal/redact"
	"agentflow/memory"
)

// Conversation is a part of a session, or a run, in which a person typed prompts.
type Conversation struct {
	proposals.Proposal        // only the fields that all its proposals share are set
	Counts             string // a hash: for repetitions, conversations with the same hash count once
	Prompts            []propose.Prompt
}

// proposeFromTask records the proposals in the task of a run, if a person wrote the task. The same task counts once,
// even if a schedule runs it often.
func proposeFromTask(ctx context.Context, s *app.Repo, e memory.Entry) error {
	if e.Kind != memory.KindRun {
		return nil
	}
	run, err := executor.ReadRun(s.Runs(), e.ID)
	if err != nil || run.ByAgent {
		return nil // without a folder the author of the task is unknown
	}
	added, err := ProposeFrom(ctx, s, Conversation{
		Proposal: proposals.Proposal{Agent: e.Agent, Session: e.Session, Entry: e.ID, At: e.Time},
		Counts:   memory.HashID("task", e.Task)[:8],
		Prompts:  []propose.Prompt{{Text: e.Task, Task: !run.Resumed}},
	})
	if added {
		s.Hint("the task proposes a fact: 'agentflow review' asks you about it")
	}
	return err
}

// ProposeFrom records the proposals of a conversation, and reports whether a new one waits.
func ProposeFrom(ctx context.Context, s *app.Repo, c Conversation) (added bool, err error) {
	found, again := corrections(s, c)
	if len(found)+len(again) == 0 {
		return false, nil
	}
	known, err := ReadProposals(s)
	if err != nil && !errors.Is(err, errDamaged) {
		return false, err
	}
	found = slices.DeleteFunc(found, func(p proposals.Proposal) bool { return !known.IsNew(p.ID) })
	if found, err = unsaid(ctx, s, found); err != nil {
		return false, err
	}
	return added, changeProposals(ctx, s, c.At, func(all *proposals.List) (changed bool) {
		for _, p := range found {
			added = all.Add(p) || added
		}
		for _, p := range again {
			n, more := all.Hear(p.ID, c.Counts, c.At)
			if changed = changed || more; more && n == proposals.EnoughSessions {
				p.Reason = fmt.Sprintf("given %d times", n)
				added = all.Add(p) || added
			}
		}
		return changed || added
	})
}

// corrections returns the proposals found in a conversation, and in again the instructions that become proposals if
// other conversations repeat them.
func corrections(s *app.Repo, c Conversation) (found, again []proposals.Proposal) {
	for i, prompt := range c.Prompts {
		if redact.Marks(prompt.Text) > 0 {
			continue
		}
		at := c.Proposal
		at.Turn, at.At, at.Refused = i+1, c.At.UTC().Truncate(time.Second), prompt.Refused
		add := func(list *[]proposals.Proposal, kind ProposalKind, text, sentence string) {
			p := at
			p.ID, p.Kind, p.Text, p.Sentence = proposals.ID("fact", text), kind, s.Redact.Text(text), s.Redact.Text(sentence)
			*list = append(*list, p)
		}
		for _, c := range propose.Corrections(prompt) {
			add(&found, FromCorrection, c.Text, c.Sentence)
		}
		for _, text := range propose.Instructions(prompt.Text) {
			if !slices.ContainsFunc(found, func(p proposals.Proposal) bool { return p.Text == text }) {
				add(&again, FromRepetition, text, text)
			}
		}
	}
	return found, again
}

// unsaid drops the proposals that a person's fact in memory already states, in these or in other words.
func unsaid(ctx context.Context, s *app.Repo, list []proposals.Proposal) ([]proposals.Proposal, error) {
	if len(list) == 0 {
		return nil, nil
	}
	facts, err := lookup.Facts(ctx, s)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	facts = slices.DeleteFunc(facts, func(k *lookup.StoredFact) bool { return !k.Live(now) || !k.Owned().Stated() })
	texts := lists.Mapped(facts, func(k *lookup.StoredFact) string { return k.Whole() })
	return slices.DeleteFunc(list, func(p proposals.Proposal) bool {
		return slices.ContainsFunc(consolidate.Close(p.Text, texts), func(c consolidate.CloseFact) bool { return !c.Differs })
	}), nil
}
