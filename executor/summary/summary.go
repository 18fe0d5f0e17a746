// Package summary sums up the events of a run or session.
package summary

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"agentflow/executor/agent"
	"agentflow/executor/explain"
	"agentflow/executor/internal/bounded"
	"agentflow/gitwatch/toolcalls"
	"agentflow/memory"
	"agentflow/memory/changeset"
)

// Limits of a runSummary.
const (
	maxCalls        = 20000
	maxDenials      = 100
	maxLeft         = 10      // background tasks that a remark names
	ExtractWindow   = 1 << 20 // bytes of messages that are extracted together
	extractBehind   = 64 << 10
	maxGiven        = 4 << 20 // bytes of tags in texts that the agent was given
	maxExplain      = 200     // number of messages that may explain the change
	maxExplainBytes = 8 << 10 // of each message
	maxPlanBytes    = 32 << 10
)

// Summary sums up a run's redacted events. A live run adds each event as it happens. A
// process that finishes another one's run reads them from events.jsonl, with the same result.
type Summary struct {
	// extract returns the facts in messages, except those that are also in given. Nil finds
	// none.
	Extract func(messages []string, given string) (facts []memory.Fact, cut []string)
	// dialog has the additional fields of a session; nil for a run.
	Dialog *dialog
	// streams means that the agent is a program with one message as its output. No result
	// follows the message, and the end of the output is what counts.
	Streams bool

	Session, Model string
	Turns          int
	counted        string // the message that was counted last in turns
	Cost           float64
	LastMessage    string // the last message, or its last agent.MaxMessage bytes
	inMessage      bool
	Said           []explain.Message
	plan           explain.Message // the last one; without text there is none
	planAt         int             // its place in Said
	saying         bool            // the last item of said belongs to this turn
	recites        bool            // the prompt of this turn was a command of ours: the agent says what memory holds
	unrecited      string          // lastMessage before that prompt
	turn           int             // number of prompts that followed an answer
	wrotes         bool            // files were written in this turn
	Result         *agent.Event
	Last           time.Time

	Open         map[string]agent.Event // tool calls that have not ended
	Calls        []toolcalls.Call       // tool calls that have ended
	Checks       checksRun
	Denials      []string
	ownDenied    int      // the denials of AgentFlow's tools
	left         []string // tasks that were still running in the background when the agent ended
	Wrote        int      // number of successful calls of writing tools
	WritesDenied int

	// messages holds the messages before extraction, with their total size in bytes. message is
	// the unfinished one.
	messages []string
	bytes    int
	message  []byte
	given    string // tags for facts in texts that the agent was given
	facts    []memory.Fact
	cut      []string
}

// Add adds the next event, which is already redacted.
func (t *Summary) Add(ev agent.Event) {
	if ev.Kind == agent.Asked {
		t.Ask(ev.Text, ev.Time)
	}
	if ev.Time.After(t.Last) {
		t.Last = ev.Time
	}
	switch ev.Kind {
	case agent.Session:
		t.Session, t.Model = ev.Session, cmp.Or(ev.Model, t.Model)
	case agent.Usage:
		t.Model = cmp.Or(ev.Model, t.Model)
		switch ev.Call {
		case "":
			t.Turns = ev.Turns
		case t.counted:
		default: // in a session's file Call is the message, so messages are counted
			t.Turns, t.counted = t.Turns+1, ev.Call
		}
	case agent.Said:
		t.addText(ev.Text, ev.More)
		t.goOn()
	case agent.Planned:
		t.planned(agent.ClipBytes(ev.Text, maxPlanBytes))
	case agent.Given:
		t.addGiven(ev.Text)
	case agent.ToolStarted:
		t.Checks.add(ev.Checks)
		t.start(ev)
		t.goOn()
	case agent.ToolEnded:
		t.Checks.add(ev.Checks)
		t.end(ev)
	case agent.Denied:
		t.deny(ev)
	case agent.Left:
		if len(t.left) < maxLeft {
			t.left = append(t.left, ev.Text)
		}
	case agent.Result:
		t.finish(ev)
	}
}

// planned notes a plan, which takes the place of the one before it. If it has the same title, the work on that one
// was work on it: agents write a plan again to tick off its steps.
func (t *Summary) planned(text string) {
	title := func(text string) string { first, _, _ := strings.Cut(text, "\n"); return first }
	acted := t.plan.Acted && title(t.plan.Text) == title(text)
	t.plan, t.planAt = explain.Message{Text: text, Turn: t.turn, Plan: true, Acted: acted}, len(t.Said)
}

// LeftRemark returns a remark with the tasks that were ended together with the agent's program.
func (t *Summary) LeftRemark() []string {
	if len(t.left) == 0 {
		return nil
	}
	return []string{"left running by the agent, and ended with it: " + strings.Join(t.left, ", ")}
}

func (t *Summary) addText(text string, more bool) {
	if !t.inMessage && text != "" {
		t.LastMessage = ""
	}
	t.inMessage = more
	t.LastMessage += text
	if over := len(t.LastMessage) - agent.MaxMessage; over > 0 {
		t.LastMessage = strings.ToValidUTF8(t.LastMessage[over:], "")
	}
	t.message = append(t.message, text...)
	if t.bytes+len(t.message) > ExtractWindow {
		t.extractSaid()
		// A fact may extend across the window's end.
		t.message = append(t.message[:0], t.message[max(0, len(t.message)-extractBehind):]...)
	}
	if !more {
		t.endMessage()
		t.note()
	}
}

// note keeps the message that just ended, for the summary. It skips a very long one, which is
// output and not an explanation.
func (t *Summary) note() {
	if t.recites {
		t.LastMessage = t.unrecited
		return
	}
	if len(t.LastMessage) > maxExplainBytes {
		return
	}
	if len(t.Said) >= maxExplain {
		t.Said, t.planAt = t.Said[1:], max(0, t.planAt-1)
	}
	t.Said = append(t.Said, explain.Message{Text: t.LastMessage, Turn: t.turn, Final: true, Wrote: t.wrotes})
	t.saying = true
}

// addGiven notes a text that the agent was given. It first extracts from the earlier messages,
// which cannot repeat that text.
func (t *Summary) addGiven(text string) {
	t.extractSaid()
	if t.given += "\n" + text; len(t.given) > maxGiven {
		t.Extract = nil
		t.cut = append(t.cut, "memories said after tools gave too many to the agent were left out")
	}
}

// AddMessage adds a message that the agent wrote outside of its answer.
func (t *Summary) AddMessage(text string) {
	t.endMessage()
	t.messages = append(t.messages, text)
	t.bytes += len(text)
}

func (t *Summary) endMessage() {
	if len(t.message) > 0 {
		t.messages = append(t.messages, string(t.message))
		t.bytes += len(t.message)
		t.message = t.message[:0]
	}
}

func (t *Summary) start(ev agent.Event) {
	for i := len(t.Said) - 1; t.saying && i >= 0 && t.Said[i].Turn == t.turn; i-- {
		t.Said[i].Final = false
	}
	if t.Open == nil {
		t.Open = map[string]agent.Event{}
	}
	if len(t.Open) < maxCalls {
		t.Open[ev.Call] = ev
	}
}

func (t *Summary) end(ev agent.Event) {
	started, ok := t.Open[ev.Call]
	delete(t.Open, ev.Call)
	if !ok {
		return
	}
	if t.Dialog != nil && asksUser(started.Tool) {
		t.Dialog.wait(started.Time, ev.Time)
	}
	if started.Writes && !ev.Failed {
		t.Wrote++
	}
	if t.plan.Text != "" && !ev.Failed && !started.Private {
		written := slices.Concat(started.Names, ev.Names)
		if started.Writes {
			written = append(written, started.Paths...)
		}
		t.plan.Acted = t.plan.Acted || slices.ContainsFunc(written, func(path string) bool { return !explain.IsPlan(path) })
	}
	if started.Writes && !started.Private && !ev.Failed {
		t.wroteFiles()
	}
	if t.Dialog != nil && !started.Reads && (!ev.Failed || !started.Writes) {
		t.Dialog.did(started, ev)
	}
	if !started.Reads && len(t.Calls) < maxCalls {
		t.Calls = append(t.Calls, t.CallOf(started, ev))
	}
}

// wroteFiles notes that a tool wrote files after the turn's last message.
func (t *Summary) wroteFiles() {
	t.wrotes = true
	if t.saying {
		t.Said[len(t.Said)-1].Acted = true
	}
}

func (t *Summary) deny(ev agent.Event) {
	started, ok := t.Open[ev.Call]
	if ok && t.Dialog != nil {
		t.Dialog.wait(started.Time, ev.Time)
	}
	if ok && ev.Text == "" {
		ev.Tool, ev.Writes = started.Tool, started.Writes
		ev.Text = strings.TrimSpace(started.Tool + " " + cmp.Or(started.Detail, strings.Join(started.Paths, " ")))
	}
	if ev.Text == "" {
		ev.Text = "a tool"
	}
	if ev.Writes {
		t.WritesDenied++
	}
	if ok && started.Tool == plans && ev.Detail != "" {
		t.plan = explain.Message{}
	}
	if t.Dialog != nil {
		t.Dialog.refused = ev.Text
		if ev.Detail != "" {
			t.Dialog.reasons = append(t.Dialog.reasons, ev.Detail)
		}
	}
	if len(t.Denials) < maxDenials {
		t.Denials = append(t.Denials, ev.Text+saidWhy(ev.Detail))
		if isOwn(ev) {
			t.ownDenied++
		}
	}
}

// Refused returns the number of denied tools that are not AgentFlow's.
func (t *Summary) Refused() int { return len(t.Denials) - t.ownDenied }

func (t *Summary) finish(ev agent.Event) {
	t.Result = &ev
	if ev.Session != "" {
		t.Session = ev.Session
	}
	t.Cost = memory.Dollars(ev.CostUSD)
	if ev.Turns > 0 {
		t.Turns = ev.Turns
	}
}

// Memories returns the facts found in all messages, and a line for each kind that was left out.
func (t *Summary) Memories() (facts []memory.Fact, cut []string) {
	t.endMessage()
	t.extractSaid()
	return t.facts, t.cut
}

// maxFacts limits the facts of one run, over all windows.
const maxFacts = 50

// extractSaid extracts the facts of the current window of messages. Windows overlap, so a fact
// may be found twice.
func (t *Summary) extractSaid() {
	window := t.messages
	t.messages, t.bytes = nil, 0
	if len(t.message) > 0 {
		window = append(window, string(t.message))
	}
	if t.Extract == nil || len(window) == 0 {
		return
	}
	facts, cut := t.Extract(window, t.given)
	for _, f := range facts {
		if slices.ContainsFunc(t.facts, func(g memory.Fact) bool { return g.Text == f.Text }) {
			continue
		}
		if len(t.facts) == maxFacts {
			cut = append(cut, fmt.Sprintf("memories beyond the first %d were left out", maxFacts))
			break
		}
		t.facts = append(t.facts, f)
	}
	for _, line := range cut {
		if !slices.Contains(t.cut, line) {
			t.cut = append(t.cut, line)
		}
	}
}

// Answer returns the explanation of the change from the agent's messages and those of its
// commits. For a program's output it returns the end. If there is no explanation, it returns
// the last commit's subject, or else the last message.
func (t *Summary) Answer(plain func(string) string, commits []changeset.Commit, messages, files []string) string {
	if t.Streams {
		return bounded.ClipTail(plain(t.LastMessage), memory.MaxSummary)
	}
	last := t.LastMessage
	said := slices.Clone(t.Said)
	if r := t.Result; r != nil && !r.Failed && strings.TrimSpace(r.Text) != "" && r.Text != last {
		last = r.Text
		said = append(said, explain.Message{Text: last, Turn: t.turn, Final: true, Wrote: t.wrotes})
	}
	if t.plan.Text != "" {
		said = slices.Insert(said, t.planAt, t.plan)
	}
	for i := range said {
		said[i].Text = plain(said[i].Text)
	}
	subject := ""
	if n := len(commits); n > 0 {
		subject = commits[n-1].Subject
	}
	return memory.Head(cmp.Or(explain.Summary(slices.Concat(explain.Commits(messages), said), files), subject, plain(last)), memory.MaxSummary)
}

// Paths returns the paths that a run changed.
func Paths(set changeset.Set) (list []string) {
	for _, l := range []changeset.List{set.Changes, set.Uncommitted, set.Elsewhere} {
		for _, c := range l.Items {
			list = append(list, c.Path)
		}
	}
	return list
}
