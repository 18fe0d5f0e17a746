package executor

import (
	"context"
	"slices"
	"strings"
	"time"

	"agentflow/executor/explain"
	"agentflow/executor/summary"
	"agentflow/memory"
)

// Turns sums up the turns of a segment until now.
type Turns struct {
	Asked   []summary.Prompt // that were read
	Changed int              // turns that wrote files, or ran commands that may have
	Calls   int              // tool calls that may have changed a file
	Last    time.Time        // of the last turn's latest event; zero if that is before the segment or in the future
	Facts   []memory.Fact
	Denials int  // of tools that are not AgentFlow's
	Git     bool // a command ran git
	Said    string
}

// Turns sums up the events that were read of the segment.
func (s *Segment) Turns() Turns {
	t := s.run.summary
	facts, _ := t.Memories()
	turns := Turns{Asked: t.Dialog.Typed(), Changed: t.Dialog.Changed, Calls: len(t.Calls) + len(t.Open), Last: t.Last, Facts: facts, Denials: t.Refused(), Said: t.LastMessage}
	if t.Last.Before(s.Started()) || t.Last.After(s.run.deps.Now()) {
		turns.Last = time.Time{}
	}
	if t.Dialog.Changes {
		turns.Changed++
	}
	for _, call := range t.Calls {
		turns.Git = turns.Git || call.Git
	}
	return turns
}

// asSession turns the entry of a run into the entry of a segment.
func (r *Begun) asSession(e *memory.Entry) {
	t := r.summary
	e.Kind, e.Session = memory.KindSession, r.journal.Segment.Session
	e.Title, e.Task, e.Then = t.Asked(r.journal.WorkTree)
	e.Denials = summary.ReadableDenials(e.Denials)
	t.EndTurn()
	e.Result.Duration, e.Result.CostUSD = min(t.Dialog.Worked.Truncate(time.Millisecond), r.duration()), 0 // the agent's clock may have jumped
}

// saysNothing reports whether a segment's entry would contain no change, commit, discussion,
// fact or refusal. A refusal of one of our tools does not count. Changes that could not be read
// count if there was a prompt.
func (r *Begun) saysNothing(ctx context.Context, e *memory.Entry) bool {
	unread := strings.TrimSpace(e.Changes.Unread+e.Uncommitted.Unread) != "" && len(r.summary.Dialog.Prompts) > 0
	if len(e.Commits)+len(e.PossibleCommits)+len(e.Changes.Items)+len(e.Uncommitted.Items)+len(e.Elsewhere.Items) > 0 || unread {
		return false
	}
	if r.discusses(ctx, e) {
		e.Result.Outcome = memory.OutcomeDiscussed
		return false
	}
	return len(e.Facts)+r.summary.Refused() == 0
}

// discusses reports whether the entry of a segment without changes has a decision or
// explanation that memory did not have when the agent was shown its items.
func (r *Begun) discusses(ctx context.Context, e *memory.Entry) bool {
	if !e.Result.Success || !explain.Discusses(e.Summary, nil) {
		return false
	}
	var held []string
	if r.deps.Held != nil {
		held = r.deps.Held(ctx, slices.Concat(r.journal.Hits, r.journal.Facts))
	}
	return explain.Discusses(e.Summary, held)
}
