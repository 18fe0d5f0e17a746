package executor

import (
	"context"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"agentflow/executor/agent"
	"agentflow/executor/explain"
	"agentflow/gitwatch/toolcalls"
	"agentflow/memory"
	"agentflow/prompt"
)

// dialog is the part of a summary that only sessions have: the user's prompts, turn by turn.
type dialog struct {
	prompts []asked   // in their order, redacted
	reasons []string  // the prompts that explain why the user refused a tool
	refused string    // the last refused action; empty: the agent has continued since
	began   time.Time // of the turn
	worked  time.Duration
	waited  time.Duration // of the turn: for the user's answers
	until   time.Time     // when the last answer came
	changes bool          // the turn wrote a file, or ran a command that may have
	changed int           // number of earlier turns with changes
}

// Prompt is a prompt that the user typed.
type Prompt struct {
	Text    string
	Refused string // the action that the user refused just before; empty: none
}

// asked is a prompt of a segment, and what the agent did until the next one.
type asked struct {
	Prompt
	turn  int
	wrote []string // files, as the calls name them
	acted bool     // a call wrote a file, or may have
}

// maxWrote limits the files of one prompt.
const maxWrote = 100

// maxPrompts limits the prompts of one segment that are kept.
const maxPrompts = 200

func newSegmentSummary(extract func([]string, string) ([]memory.Fact, []string)) *runSummary {
	return &runSummary{extract: extract, dialog: &dialog{}}
}

// ask begins a turn. A failure in the previous turn is not the outcome of the segment, nor are
// writes that the user put off in it.
func (t *runSummary) ask(text string, at time.Time) {
	if t.answered() || t.recites { // otherwise the turn continues: it was interrupted, or an action was refused
		t.turn, t.wrotes = t.turn+1, false
	}
	t.result, t.saying, t.writesDenied = nil, false, 0
	t.recites, t.unrecited = isOwnCommand(text), t.lastMessage
	d := t.dialog
	if d == nil {
		return
	}
	t.endTurn()
	d.began, t.last = at, time.Time{}
	if len(d.prompts) < maxPrompts {
		d.prompts = append(d.prompts, asked{Prompt: Prompt{text, d.refused}, turn: t.turn})
		if !t.recites {
			t.said = append(t.said, explain.Message{Text: text[:min(len(text), maxExplainBytes)], Turn: t.turn, Asked: true})
		}
	}
	d.refused = ""
}

// isOwnCommand reports whether a prompt is a command of ours. The answer repeats what memory holds, and is no
// explanation of the session's work.
func isOwnCommand(text string) bool {
	_, _, own := prompt.OwnCommand(text)
	return own
}

// goOn notes an action of the agent: the next prompt is not an answer to a refused action.
func (t *runSummary) goOn() {
	if t.dialog != nil {
		t.dialog.refused = ""
	}
}

// answered reports whether the last turn ended with a message.
func (t *runSummary) answered() bool { return t.saying && t.said[len(t.said)-1].Final }

// refusedLast reports whether the user ended the last turn by refusing an action. The earlier
// actions of the turn still count, and the line of the denial reports the refusal.
func (t *runSummary) refusedLast() bool {
	return t.dialog != nil && t.dialog.refused != "" && t.result != nil && t.result.Cause == agent.CauseInterrupted
}

// stopped reports whether the user interrupted the last turn of a session.
func (t *runSummary) stopped() bool {
	return t.dialog != nil && t.result != nil && t.result.Failed && t.result.Cause == agent.CauseInterrupted && !t.refusedLast()
}

// endTurn counts the current turn.
func (t *runSummary) endTurn() {
	d := t.dialog
	if d.changes {
		d.changed++
	}
	if !d.began.IsZero() && t.last.After(d.began) {
		d.worked += max(0, t.last.Sub(d.began)-d.waited)
	}
	d.began, d.changes, d.waited = time.Time{}, false, 0
}

// wait notes that the turn waited for the user from when a tool was called until the answer. Calls that
// wait at the same time count once. The time that a person took to permit a call is not known.
func (d *dialog) wait(from, until time.Time) {
	if from.Before(d.until) {
		from = d.until
	}
	if !d.began.IsZero() && from.After(d.began) && until.After(from) {
		d.waited, d.until = d.waited+until.Sub(from), until
	}
}

// asksUser reports whether a tool does nothing but wait for the user's answer.
func asksUser(tool string) bool { return tool == "AskUserQuestion" || tool == "ExitPlanMode" }

// did notes what a successful call did.
func (d *dialog) did(started, ended agent.Event) {
	names := slices.Concat(started.Names, ended.Names)
	acted := started.Writes || started.Git || len(names) > 0
	d.changes = d.changes || acted
	if len(d.prompts) == 0 {
		return
	}
	p := &d.prompts[len(d.prompts)-1]
	p.acted = p.acted || acted && !started.Private
	if started.Writes && !started.Private {
		names = append(names, started.Paths...)
	}
	p.wrote = append(p.wrote, names[:min(len(names), maxWrote-len(p.wrote))]...)
}

// typed returns the prompts.
func (d *dialog) typed() []Prompt {
	list := make([]Prompt, len(d.prompts))
	for i, p := range d.prompts {
		list[i] = p.Prompt
	}
	return list
}

// onlyCommits matches a prompt that only asks to commit the work.
var onlyCommits = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(please |now |ok(ay)?,? |yes,? |and )*(commit|push|commit and push)( (it|that|this|them|all|everything|the|changes?|work|now|please))*[.!]*$`)
})

// asked returns the prompts for the segment's entry: title and task from the prompt that led to changes in
// the work tree, and the other prompts that are more than a continuation.
func (t *runSummary) asked(workTree string) (title, task string, then []string) {
	var requests []explain.Request
	for _, p := range t.dialog.prompts {
		aside := prompt.IsContinuation(p.Text) || onlyCommits().MatchString(strings.TrimSpace(p.Text)) || slices.Contains(t.dialog.reasons, p.Text) // the line of the denial has it
		wrote := slices.ContainsFunc(p.wrote, func(path string) bool { return mayBeBelow(workTree, path) })
		requests = append(requests, explain.Request{Text: p.Text, Turn: p.turn, Aside: aside, Own: isOwnCommand(p.Text), Wrote: wrote, Acted: p.acted})
	}
	if task, then = explain.Subject(requests); task == "" {
		return noPromptYet, "", nil
	}
	return memory.Title(task), task, memory.LaterPrompts(then)
}

// mayBeBelow reports whether a path that a call names may be in a folder.
func mayBeBelow(folder, path string) bool {
	if strings.HasPrefix(path, toolcalls.Anywhere) {
		return true
	}
	if filepath.IsAbs(path) {
		rel, err := filepath.Rel(folder, path)
		return err == nil && filepath.IsLocal(rel)
	}
	return filepath.IsLocal(filepath.FromSlash(path))
}

// Turns sums up the turns of a segment until now.
type Turns struct {
	Asked   []Prompt  // that were read
	Changed int       // turns that wrote files, or ran commands that may have
	Calls   int       // tool calls that may have changed a file
	Last    time.Time // of the last turn's latest event; zero if that is before the segment or in the future
	Facts   []memory.Fact
	Denials int  // of tools that are not AgentFlow's
	Git     bool // a command ran git
	Said    string
}

// Turns sums up the events that were read of the segment.
func (s *Segment) Turns() Turns {
	t := s.run.summary
	facts, _ := t.memories()
	turns := Turns{Asked: t.dialog.typed(), Changed: t.dialog.changed, Calls: len(t.calls) + len(t.open), Last: t.last, Facts: facts, Denials: t.refused(), Said: t.lastMessage}
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

// asSession turns the entry of a run into the entry of a segment.
func (r *Begun) asSession(e *memory.Entry) {
	t := r.summary
	e.Kind, e.Session = memory.KindSession, r.journal.Segment.Session
	e.Title, e.Task, e.Then = t.asked(r.journal.WorkTree)
	e.Denials = readableDenials(e.Denials)
	t.endTurn()
	e.Result.Duration, e.Result.CostUSD = min(t.dialog.worked.Truncate(time.Millisecond), r.duration()), 0 // the agent's clock may have jumped
}

// saysNothing reports whether a segment's entry would contain no change, commit, discussion,
// fact or refusal. A refusal of one of our tools does not count. Changes that could not be read
// count if there was a prompt.
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
