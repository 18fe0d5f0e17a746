// Package proposals keeps the changes of memory that wait for a person's decision. Its list is the content of one file
// of this machine, next to the log of memory. Proposals are not memory: they are not shared, not indexed, and not shown
// to an agent until a person accepts one.
//
// Guarantees: a proposal that a person settled is not added again, and a list stays within its bounds.
package proposals

import (
	"maps"
	"slices"
	"strings"
	"time"

	"agentflow/memory"
)

// Kind is the origin of a proposal.
type Kind string

// The kinds of proposals.
const (
	FromCorrection Kind = "correction" // a sentence that corrected an agent
	FromRepetition Kind = "repeated"   // an instruction that several sessions were given
	FromAgent      Kind = "agent"      // a fact that an agent stored, and that no person stated yet
	ForRetirement  Kind = "retirement" // a fact that is probably outdated
)

// Proposal is a suggested change of memory that waits for a person's decision.
type Proposal struct {
	ID       string    `json:"id"`
	Kind     Kind      `json:"kind"`
	Text     string    `json:"text"`               // of the proposed fact, or of the fact to retire
	Sentence string    `json:"sentence,omitempty"` // as the person typed it, redacted
	Refused  string    `json:"refused,omitempty"`  // the action that the sentence refused
	Agent    string    `json:"agent,omitempty"`
	Session  string    `json:"session,omitempty"`
	Entry    string    `json:"entry,omitempty"` // the id of the session's entry
	Turn     int       `json:"turn,omitempty"`  // of the entry, from 1
	At       time.Time `json:"at"`
	Fact     string    `json:"fact,omitempty"` // the id of the fact that a retirement removes, or that an accepted proposal added
	Reason   string    `json:"reason,omitempty"`
}

// Instruction counts the sessions that were given one instruction. It stores only a hash of the instruction.
type Instruction struct {
	ID       string    `json:"id"`
	Sessions []string  `json:"sessions"` // hashes
	At       time.Time `json:"at"`       // when the last session was counted
}

// List is the content of the file.
type List struct {
	Version int                  `json:"version"`
	Waiting []Proposal           `json:"waiting"`
	Settled map[string]time.Time `json:"settled"` // when a person settled an id, which is not proposed again
	Heard   []Instruction        `json:"heard"`
	// Accepted holds accepted proposals, with the facts that were stored or forgotten for them.
	Accepted []Proposal `json:"accepted,omitempty"`
}

// Version is the version of the file.
const Version = 1

// Bounds of the file.
const (
	MostWaiting = 100
	MostSettled = 2000
	MostHeard   = 500
	WaitingAge  = 90 * 24 * time.Hour
	maxProposed = 1000 // characters of each text
)

// IsMasked reports whether a purge has overwritten a line of the proposal.
func (p Proposal) IsMasked() bool {
	const mask = "*****"
	return strings.Contains(p.Text, mask) || strings.Contains(p.Sentence, mask) || strings.Contains(p.Reason, mask)
}

// Tidy removes the oldest items to keep the file within its bounds.
func (p *List) Tidy(now time.Time) {
	p.Version = Version
	for i, w := range p.Waiting {
		for _, text := range []*string{&w.Text, &w.Sentence, &w.Refused, &w.Reason} {
			*text = memory.Head(*text, maxProposed)
		}
		p.Waiting[i] = w
	}
	p.Waiting = slices.DeleteFunc(p.Waiting, func(w Proposal) bool { return now.Sub(w.At) > WaitingAge })
	p.Heard = slices.DeleteFunc(p.Heard, func(h Instruction) bool { return now.Sub(h.At) > WaitingAge })
	p.Waiting = p.Waiting[max(0, len(p.Waiting)-MostWaiting):]
	p.Accepted = p.Accepted[max(0, len(p.Accepted)-MostWaiting):]
	slices.SortStableFunc(p.Heard, func(a, b Instruction) int { return a.At.Compare(b.At) })
	p.Heard = p.Heard[max(0, len(p.Heard)-MostHeard):]
	oldest := slices.SortedFunc(maps.Keys(p.Settled), func(a, b string) int { return p.Settled[a].Compare(p.Settled[b]) })
	for _, id := range oldest[:max(0, len(oldest)-MostSettled)] {
		delete(p.Settled, id)
	}
}

// Add appends a proposal, unless it waits already or a person settled it. It reports whether it did.
func (p *List) Add(w Proposal) bool {
	if !p.IsNew(w.ID) {
		return false
	}
	p.Waiting = append(p.Waiting, w)
	return true
}

// IsNew reports whether no proposal with this id waits or was settled.
func (p *List) IsNew(id string) bool {
	_, settled := p.Settled[id]
	return !settled && !slices.ContainsFunc(p.Waiting, func(w Proposal) bool { return w.ID == id })
}

// Settle removes a proposal for good.
func (p *List) Settle(id string, now time.Time) {
	p.Waiting = slices.DeleteFunc(p.Waiting, func(w Proposal) bool { return w.ID == id })
	p.Settled[id] = now
}

// Accept settles a proposal, for which a fact was stored or forgotten.
func (p *List) Accept(id, fact string, now time.Time) {
	for _, w := range p.Waiting {
		if w.ID == id {
			w.Fact = fact
			p.Accepted = append(p.Accepted, w)
		}
	}
	p.Settle(id, now)
}

// Undone takes over an undo, which added and removed facts: accepted proposals without an effect wait again, and those
// with an effect again are settled. It reports whether it changed something.
func (p *List) Undone(added, removed []string, now time.Time) (changed bool) {
	for _, a := range p.Accepted {
		reverted, repeated := slices.Contains(removed, a.Fact), slices.Contains(added, a.Fact)
		if a.Kind == ForRetirement {
			reverted, repeated = repeated, reverted
		} else {
			a.Fact = ""
		}
		switch {
		case reverted:
			delete(p.Settled, a.ID)
			changed = p.Add(a) || changed
		case repeated:
			p.Settle(a.ID, now)
			changed = true
		}
	}
	return changed
}

// Hear counts a session that was given an instruction, and returns the number of such sessions.
func (p *List) Hear(id, session string, now time.Time) (sessions int, changed bool) {
	i := slices.IndexFunc(p.Heard, func(h Instruction) bool { return h.ID == id })
	if i < 0 {
		p.Heard = append(p.Heard, Instruction{ID: id})
		i = len(p.Heard) - 1
	}
	h := &p.Heard[i]
	if slices.Contains(h.Sessions, session) || len(h.Sessions) >= EnoughSessions {
		return len(h.Sessions), false
	}
	h.Sessions, h.At = append(h.Sessions, session), now
	return len(h.Sessions), true
}

// EnoughSessions counts the sessions after which a repeated instruction is proposed as a fact.
const EnoughSessions = 3

// ID returns the id of a proposal. The same kind and text give the same id.
func ID(kind, text string) string { return memory.HashID("proposal", kind, memory.Same(text)) }
