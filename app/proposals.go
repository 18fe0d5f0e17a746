package app

import (
	"maps"
	"slices"
	"strings"
	"time"

	"agentflow/memory"
)

// Proposals are kept in one file of this machine, next to the log of memory. They are not memory: they are not shared,
// not indexed, and not shown to an agent until a person accepts one.

// ProposalKind is the origin of a proposal.
type ProposalKind string

// The kinds of proposals.
const (
	FromCorrection ProposalKind = "correction" // a sentence that corrected an agent
	FromRepetition ProposalKind = "repeated"   // an instruction that several sessions were given
	FromAgent      ProposalKind = "agent"      // a fact that an agent stored, and that no person stated yet
	ForRetirement  ProposalKind = "retirement" // a fact that is probably outdated
)

// proposal is a suggested change of memory that waits for a person's decision.
type proposal struct {
	ID       string       `json:"id"`
	Kind     ProposalKind `json:"kind"`
	Text     string       `json:"text"`               // of the proposed fact, or of the fact to retire
	Sentence string       `json:"sentence,omitempty"` // as the person typed it, redacted
	Refused  string       `json:"refused,omitempty"`  // the action that the sentence refused
	Agent    string       `json:"agent,omitempty"`
	Session  string       `json:"session,omitempty"`
	Entry    string       `json:"entry,omitempty"` // the id of the session's entry
	Turn     int          `json:"turn,omitempty"`  // of the entry, from 1
	At       time.Time    `json:"at"`
	Fact     string       `json:"fact,omitempty"` // the id of the fact that a retirement removes
	Reason   string       `json:"reason,omitempty"`
}

// instruction counts the sessions that were given one instruction. It stores only a hash of the instruction.
type instruction struct {
	ID       string    `json:"id"`
	Sessions []string  `json:"sessions"` // hashes
	At       time.Time `json:"at"`       // when the last session was counted
}

// proposals is the content of the file.
type proposals struct {
	Version int                  `json:"version"`
	Waiting []proposal           `json:"waiting"`
	Settled map[string]time.Time `json:"settled"` // when a person settled an id, which is not proposed again
	Heard   []instruction        `json:"heard"`
}

const proposalsVersion = 1

// Bounds of the file.
const (
	mostWaiting = 100
	mostSettled = 2000
	mostHeard   = 500
	waitingAge  = 90 * 24 * time.Hour
	maxProposed = 1000 // characters of each text
)

// isMasked reports whether a purge has overwritten a line of the proposal.
func (p proposal) isMasked() bool {
	const mask = "*****"
	return strings.Contains(p.Text, mask) || strings.Contains(p.Sentence, mask) || strings.Contains(p.Reason, mask)
}

// tidy removes the oldest items to keep the file within its bounds.
func (p *proposals) tidy(now time.Time) {
	p.Version = proposalsVersion
	for i, w := range p.Waiting {
		for _, text := range []*string{&w.Text, &w.Sentence, &w.Refused, &w.Reason} {
			*text = memory.Head(*text, maxProposed)
		}
		p.Waiting[i] = w
	}
	p.Waiting = slices.DeleteFunc(p.Waiting, func(w proposal) bool { return now.Sub(w.At) > waitingAge })
	p.Heard = slices.DeleteFunc(p.Heard, func(h instruction) bool { return now.Sub(h.At) > waitingAge })
	p.Waiting = p.Waiting[max(0, len(p.Waiting)-mostWaiting):]
	slices.SortStableFunc(p.Heard, func(a, b instruction) int { return a.At.Compare(b.At) })
	p.Heard = p.Heard[max(0, len(p.Heard)-mostHeard):]
	oldest := slices.SortedFunc(maps.Keys(p.Settled), func(a, b string) int { return p.Settled[a].Compare(p.Settled[b]) })
	for _, id := range oldest[:max(0, len(oldest)-mostSettled)] {
		delete(p.Settled, id)
	}
}

// add appends a proposal, unless it waits already or a person settled it. It reports whether it did.
func (p *proposals) add(w proposal) bool {
	if !p.isNew(w.ID) {
		return false
	}
	p.Waiting = append(p.Waiting, w)
	return true
}

// isNew reports whether no proposal with this id waits or was settled.
func (p *proposals) isNew(id string) bool {
	_, settled := p.Settled[id]
	return !settled && !slices.ContainsFunc(p.Waiting, func(w proposal) bool { return w.ID == id })
}

// settle removes a proposal for good.
func (p *proposals) settle(id string, now time.Time) {
	p.Waiting = slices.DeleteFunc(p.Waiting, func(w proposal) bool { return w.ID == id })
	p.Settled[id] = now
}

// hear counts a session that was given an instruction, and returns the number of such sessions.
func (p *proposals) hear(id, session string, now time.Time) (sessions int, changed bool) {
	i := slices.IndexFunc(p.Heard, func(h instruction) bool { return h.ID == id })
	if i < 0 {
		p.Heard = append(p.Heard, instruction{ID: id})
		i = len(p.Heard) - 1
	}
	h := &p.Heard[i]
	if slices.Contains(h.Sessions, session) || len(h.Sessions) >= enoughSessions {
		return len(h.Sessions), false
	}
	h.Sessions, h.At = append(h.Sessions, session), now
	return len(h.Sessions), true
}

// enoughSessions is the number of sessions after which a repeated instruction is proposed as a fact.
const enoughSessions = 3

// proposalID returns the id of a proposal. The same kind and text give the same id.
func proposalID(kind, text string) string { return memory.HashID("proposal", kind, memory.Same(text)) }
