package summary

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agentflow/executor/agent"
	"agentflow/executor/explain"
	"agentflow/gitwatch/toolcalls"
	"agentflow/memory"
	"agentflow/prompt"
)

// dialog is the part of a summary that only sessions have: the user's prompts, turn by turn.
type dialog struct {
	Prompts []asked   // in their order, redacted
	reasons []string  // the prompts that explain why the user refused a tool
	refused string    // the last refused action; empty: the agent has continued since
	began   time.Time // of the turn
	Worked  time.Duration
	waited  time.Duration // of the turn: for the user's answers
	until   time.Time     // when the last answer came
	Changes bool          // the turn wrote a file, or ran a command that may have
	Changed int           // number of earlier turns with changes
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

// NewDialog returns the summary of a session with a person.
func NewDialog(extract func([]string, string) ([]memory.Fact, []string)) *Summary {
	return &Summary{Extract: extract, Dialog: &dialog{}}
}

// Ask begins a turn. A failure in the previous turn is not the outcome of the segment, nor are
// writes that the user put off in it.
func (t *Summary) Ask(text string, at time.Time) {
	if t.answered() || t.recites { // otherwise the turn continues: it was interrupted, or an action was refused
		t.turn, t.wrotes = t.turn+1, false
	}
	t.Result, t.saying, t.WritesDenied = nil, false, 0
	t.recites, t.unrecited = isOwnCommand(text), t.LastMessage
	d := t.Dialog
	if d == nil {
		return
	}
	t.EndTurn()
	d.began, t.Last = at, time.Time{}
	if len(d.Prompts) < maxPrompts {
		d.Prompts = append(d.Prompts, asked{Prompt: Prompt{text, d.refused}, turn: t.turn})
		if !t.recites {
			t.Said = append(t.Said, explain.Message{Text: text[:min(len(text), maxExplainBytes)], Turn: t.turn, Asked: true})
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
func (t *Summary) goOn() {
	if t.Dialog != nil {
		t.Dialog.refused = ""
	}
}

// answered reports whether the last turn ended with a message.
func (t *Summary) answered() bool { return t.saying && t.Said[len(t.Said)-1].Final }

// RefusedLast reports whether the user ended the last turn by refusing an action. The earlier
// actions of the turn still count, and the line of the denial reports the refusal.
func (t *Summary) RefusedLast() bool {
	return t.Dialog != nil && t.Dialog.refused != "" && t.Result != nil && t.Result.Cause == agent.CauseInterrupted
}

// Stopped reports whether the user interrupted the last turn of a session.
func (t *Summary) Stopped() bool {
	return t.Dialog != nil && t.Result != nil && t.Result.Failed && t.Result.Cause == agent.CauseInterrupted && !t.RefusedLast()
}

// EndTurn counts the current turn.
func (t *Summary) EndTurn() {
	d := t.Dialog
	if d.Changes {
		d.Changed++
	}
	if !d.began.IsZero() && t.Last.After(d.began) {
		d.Worked += max(0, t.Last.Sub(d.began)-d.waited)
	}
	d.began, d.Changes, d.waited = time.Time{}, false, 0
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
func asksUser(tool string) bool { return tool == "AskUserQuestion" || tool == plans }

// plans is the tool with which Claude presents a plan.
const plans = "ExitPlanMode"

// did notes what a successful call did.
func (d *dialog) did(started, ended agent.Event) {
	names := slices.Concat(started.Names, ended.Names)
	acted := started.Writes || started.Git || len(names) > 0
	d.Changes = d.Changes || acted
	if len(d.Prompts) == 0 {
		return
	}
	p := &d.Prompts[len(d.Prompts)-1]
	p.acted = p.acted || acted && !started.Private
	if started.Writes && !started.Private {
		names = append(names, started.Paths...)
	}
	p.wrote = append(p.wrote, names[:min(len(names), maxWrote-len(p.wrote))]...)
}

// Typed returns the prompts.
func (d *dialog) Typed() []Prompt {
	list := make([]Prompt, len(d.Prompts))
	for i, p := range d.Prompts {
		list[i] = p.Prompt
	}
	return list
}

// Asked returns the prompts for the segment's entry: title and task from the prompt that led to changes in
// the work tree, and the other prompts that are more than a continuation.
func (t *Summary) Asked(workTree string) (title, task string, then []string) {
	var requests []explain.Request
	for _, p := range t.Dialog.Prompts {
		aside := prompt.IsContinuation(p.Text) || prompt.OnlyCommits(p.Text) || slices.Contains(t.Dialog.reasons, p.Text) // the line of the denial has it
		wrote := slices.ContainsFunc(p.wrote, func(path string) bool { return mayBeBelow(workTree, path) })
		requests = append(requests, explain.Request{Text: p.Text, Turn: p.turn, Aside: aside, Own: isOwnCommand(p.Text), Wrote: wrote, Acted: p.acted})
	}
	if task, then = explain.Subject(requests); task == "" {
		return NoPromptYet, "", nil
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

// NoPromptYet is the title of a segment until its first prompt is read.
const NoPromptYet = "a session"
