package executor

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"agentflow/executor/agent"
	"agentflow/executor/explain"
	"agentflow/memory"
	"agentflow/prompt"
)

// dialog is the part of a summary that only sessions have: what the user asked,
// turn by turn.
type dialog struct {
	prompts []Prompt  // in their order, redacted
	reasons []string  // those that say why the user refused a tool
	refused string    // the action that was refused last; empty: the agent did something since
	began   time.Time // of the turn
	worked  time.Duration
	changes bool // the turn wrote something, or ran a command that may have
	changed int  // turns before this one that did
}

// Prompt is what the user typed.
type Prompt struct {
	Text    string
	Refused string // the action that the user refused just before; empty: none
}

// maxPrompts bounds the prompts of one segment that are kept.
const maxPrompts = 200

func newSegmentSummary(extract func([]string, string) ([]memory.Fact, []string)) *runSummary {
	return &runSummary{extract: extract, dialog: &dialog{}}
}

// ask begins a turn. What went wrong in the turn before it is not how the
// segment ends.
func (t *runSummary) ask(text string, at time.Time) {
	if t.answered() { // otherwise the turn goes on: it was interrupted, or an action was refused
		t.turn, t.wrotes = t.turn+1, false
	}
	t.result, t.saying = nil, false
	d := t.dialog
	if d == nil {
		return
	}
	t.endTurn()
	d.began, t.last = at, time.Time{}
	if len(d.prompts) < maxPrompts {
		d.prompts = append(d.prompts, Prompt{text, d.refused})
		t.said = append(t.said, explain.Message{Text: text[:min(len(text), maxExplainBytes)], Turn: t.turn, Asked: true})
	}
	d.refused = ""
}

// goOn notes that the agent does something: the next prompt answers no refused action.
func (t *runSummary) goOn() {
	if t.dialog != nil {
		t.dialog.refused = ""
	}
}

// answered reports whether the last turn ended with words.
func (t *runSummary) answered() bool { return t.saying && t.said[len(t.said)-1].Final }

// refusedLast reports whether the person ended the last turn by refusing an action: what the
// agent did before is not undone by that, and the line of the denial says it.
func (t *runSummary) refusedLast() bool {
	return t.dialog != nil && t.dialog.refused != "" && t.result != nil && t.result.Cause == agent.CauseInterrupted
}

// stopped reports whether the person interrupted the last turn of a session.
func (t *runSummary) stopped() bool {
	return t.dialog != nil && t.result != nil && t.result.Failed && t.result.Cause == agent.CauseInterrupted && !t.refusedLast()
}

// endTurn counts the turn that is on.
func (t *runSummary) endTurn() {
	d := t.dialog
	if d.changes {
		d.changed++
	}
	if !d.began.IsZero() && t.last.After(d.began) {
		d.worked += t.last.Sub(d.began)
	}
	d.began, d.changes = time.Time{}, false
}

// onlyCommits matches a prompt that asks for no more than a commit of what was done.
var onlyCommits = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(please |now |ok(ay)?,? |yes,? |and )*(commit|push|commit and push)( (it|that|this|them|all|everything|the|changes?|work|now|please))*[.!]*$`)
})

// asked are the words of the segment's entry for what the user wanted: title and task by
// the first prompt that is more than a continuation, and the later ones that are.
func (t *runSummary) asked() (title, task string, then []string) {
	for _, p := range t.dialog.prompts {
		switch text := p.Text; {
		case slices.Contains(t.dialog.reasons, text): // the line of the denial says it
		case prompt.IsContinuation(text) || onlyCommits().MatchString(strings.TrimSpace(text)) || strings.HasPrefix(text, "/"):
		case task == "":
			task = text
		case text == task || slices.Contains(then, text): // once more
		default:
			then = append(then, text)
		}
	}
	if task == "" && len(t.dialog.prompts) > 0 {
		task = t.dialog.prompts[0].Text
	}
	if task == "" {
		return noPromptYet, "", nil
	}
	return memory.Heading(task), task, memory.LaterPrompts(then)
}

// Turns is what a segment's turns did until now.
type Turns struct {
	Asked   []Prompt  // that were read
	Changed int       // turns that wrote files, or ran commands that may have
	Calls   int       // tool calls that may have changed something
	Last    time.Time // of the last turn's latest event; zero for a time that cannot be: before the segment, or yet to come
	Facts   []memory.Fact
	Denials int  // of tools that are not ours
	Git     bool // a command ran git
	Said    string
}

// Turns sums up what was read of the segment.
func (s *Segment) Turns() Turns {
	t := s.run.summary
	facts, _ := t.memories()
	turns := Turns{Asked: slices.Clone(t.dialog.prompts), Changed: t.dialog.changed, Calls: len(t.calls) + len(t.open), Last: t.last, Facts: facts, Denials: t.refused(), Said: t.lastMessage}
	if t.last.Before(s.Started()) || t.last.After(s.run.deps.Now()) {
		turns.Last = time.Time{}
	}
	if t.dialog.changes {
		turns.Changed++
	}
	for _, call := range t.calls {
		turns.Git = turns.Git || call.Git
	}
	return turns
}

// asSession turns the entry of a run into that of a segment.
func (r *Begun) asSession(e *memory.Entry) {
	t := r.summary
	e.Kind, e.Session = memory.KindSession, r.journal.Segment.Session
	e.Title, e.Task, e.Then = t.asked()
	t.endTurn()
	e.Result.Duration, e.Result.CostUSD = min(t.dialog.worked.Truncate(time.Millisecond), r.duration()), 0 // the agent's clock may have jumped
}

// saysNothing reports whether a segment's entry would hold nothing that was changed,
// committed, discussed, remembered or refused; a refusal of a tool of ours does not count.
// Changes that could not be read count if anything was asked.
func (r *Begun) saysNothing(ctx context.Context, e *memory.Entry) bool {
	unread := strings.TrimSpace(e.Changes.Unread+e.Uncommitted.Unread) != "" && len(r.summary.dialog.prompts) > 0
	if len(e.Commits)+len(e.PossibleCommits)+len(e.Changes.Items)+len(e.Uncommitted.Items)+len(e.Elsewhere.Items) > 0 || unread {
		return false
	}
	if r.discusses(ctx, e) {
		e.Result.Outcome = memory.OutcomeDiscussed
		return false
	}
	return len(e.Facts)+r.summary.refused() == 0
}

// discusses reports whether the entry of a segment without changes decides or explains
// something that memory did not hold when the agent was given it.
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
