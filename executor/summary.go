package executor

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"agentflow/executor/agent"
	"agentflow/executor/explain"
	"agentflow/gitwatch/toolcalls"
	"agentflow/memory"
)

// Limits of a runSummary.
const (
	maxCalls        = 20000
	maxDenials      = 100
	extractWindow   = 1 << 20 // bytes of messages that are extracted together
	extractBehind   = 64 << 10
	maxGiven        = 4 << 20 // bytes of tags in texts that the agent was given
	maxExplain      = 200     // number of messages that may explain the change
	maxExplainBytes = 8 << 10 // of each message
)

// runSummary sums up a run's redacted events. A live run adds each event as it happens. A
// process that finishes another one's run reads them from events.jsonl, with the same result.
type runSummary struct {
	// extract returns the facts in messages, except those that are also in given. Nil finds
	// none.
	extract func(messages []string, given string) (facts []memory.Fact, cut []string)
	// dialog has the additional fields of a session; nil for a run.
	dialog *dialog
	// streams means that the agent is a program with one message as its output. No result
	// follows the message, and the end of the output is what counts.
	streams bool

	session, model string
	turns          int
	counted        string // the message that was counted last in turns
	cost           float64
	lastMessage    string // the last message, or its last agent.MaxMessage bytes
	inMessage      bool
	said           []explain.Message
	saying         bool   // the last item of said belongs to this turn
	recites        bool   // the prompt of this turn was a command of ours: the agent says what memory holds
	unrecited      string // lastMessage before that prompt
	turn           int    // number of prompts that followed an answer
	wrotes         bool   // files were written in this turn
	result         *agent.Event
	last           time.Time

	open         map[string]agent.Event // tool calls that have not ended
	calls        []toolcalls.Call       // tool calls that have ended
	checks       checksRun
	denials      []string
	ownDenied    int      // the denials of AgentFlow's tools
	left         []string // tasks that were still running in the background when the agent ended
	wrote        int      // number of successful calls of writing tools
	writesDenied int

	// messages holds the messages before extraction, with their total size in bytes. message is
	// the unfinished one.
	messages []string
	bytes    int
	message  []byte
	given    string // tags for facts in texts that the agent was given
	facts    []memory.Fact
	cut      []string
}

// add adds the next event, which is already redacted.
func (t *runSummary) add(ev agent.Event) {
	if ev.Kind == agent.Asked {
		t.ask(ev.Text, ev.Time)
	}
	if ev.Time.After(t.last) {
		t.last = ev.Time
	}
	switch ev.Kind {
	case agent.Session:
		t.session, t.model = ev.Session, cmp.Or(ev.Model, t.model)
	case agent.Usage:
		t.model = cmp.Or(ev.Model, t.model)
		switch ev.Call {
		case "":
			t.turns = ev.Turns
		case t.counted:
		default: // in a session's file Call is the message, so messages are counted
			t.turns, t.counted = t.turns+1, ev.Call
		}
	case agent.Said:
		t.addText(ev.Text, ev.More)
		t.goOn()
	case agent.Given:
		t.addGiven(ev.Text)
	case agent.ToolStarted:
		t.checks.add(ev.Checks)
		t.start(ev)
		t.goOn()
	case agent.ToolEnded:
		t.checks.add(ev.Checks)
		t.end(ev)
	case agent.Denied:
		t.deny(ev)
	case agent.Left:
		if len(t.left) < maxNamed {
			t.left = append(t.left, ev.Text)
		}
	case agent.Result:
		t.finish(ev)
	}
}

// leftRemark returns a remark with the tasks that were ended together with the agent's program.
func (t *runSummary) leftRemark() []string {
	if len(t.left) == 0 {
		return nil
	}
	return []string{"left running by the agent, and ended with it: " + strings.Join(t.left, ", ")}
}

func (t *runSummary) addText(text string, more bool) {
	if !t.inMessage && text != "" {
		t.lastMessage = ""
	}
	t.inMessage = more
	t.lastMessage += text
	if over := len(t.lastMessage) - agent.MaxMessage; over > 0 {
		t.lastMessage = strings.ToValidUTF8(t.lastMessage[over:], "")
	}
	t.message = append(t.message, text...)
	if t.bytes+len(t.message) > extractWindow {
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
func (t *runSummary) note() {
	if t.recites {
		t.lastMessage = t.unrecited
		return
	}
	if len(t.lastMessage) > maxExplainBytes {
		return
	}
	if len(t.said) >= maxExplain {
		t.said = t.said[1:]
	}
	t.said = append(t.said, explain.Message{Text: t.lastMessage, Turn: t.turn, Final: true, Wrote: t.wrotes})
	t.saying = true
}

// addGiven notes a text that the agent was given. It first extracts from the earlier messages,
// which cannot repeat that text.
func (t *runSummary) addGiven(text string) {
	t.extractSaid()
	if t.given += "\n" + text; len(t.given) > maxGiven {
		t.extract = nil
		t.cut = append(t.cut, "memories said after tools gave too many to the agent were left out")
	}
}

// addMessage adds a message that the agent wrote outside of its answer.
func (t *runSummary) addMessage(text string) {
	t.endMessage()
	t.messages = append(t.messages, text)
	t.bytes += len(text)
}

func (t *runSummary) endMessage() {
	if len(t.message) > 0 {
		t.messages = append(t.messages, string(t.message))
		t.bytes += len(t.message)
		t.message = t.message[:0]
	}
}

func (t *runSummary) start(ev agent.Event) {
	for i := len(t.said) - 1; t.saying && i >= 0 && t.said[i].Turn == t.turn; i-- {
		t.said[i].Final = false
	}
	if t.open == nil {
		t.open = map[string]agent.Event{}
	}
	if len(t.open) < maxCalls {
		t.open[ev.Call] = ev
	}
}

func (t *runSummary) end(ev agent.Event) {
	started, ok := t.open[ev.Call]
	delete(t.open, ev.Call)
	if !ok {
		return
	}
	if t.dialog != nil && asksUser(started.Tool) {
		t.dialog.wait(started.Time, ev.Time)
	}
	if started.Writes && !ev.Failed {
		t.wrote++
	}
	if started.Writes && !started.Private && !ev.Failed {
		t.wroteFiles()
	}
	if t.dialog != nil && !started.Reads && (!ev.Failed || !started.Writes) {
		t.dialog.did(started, ev)
	}
	if !started.Reads && len(t.calls) < maxCalls {
		t.calls = append(t.calls, t.callOf(started, ev))
	}
}

// wroteFiles notes that a tool wrote files after the turn's last message.
func (t *runSummary) wroteFiles() {
	t.wrotes = true
	if t.saying {
		t.said[len(t.said)-1].Acted = true
	}
}

func (t *runSummary) deny(ev agent.Event) {
	started, ok := t.open[ev.Call]
	if ok && t.dialog != nil {
		t.dialog.wait(started.Time, ev.Time)
	}
	if ok && ev.Text == "" {
		ev.Tool, ev.Writes = started.Tool, started.Writes
		ev.Text = strings.TrimSpace(started.Tool + " " + cmp.Or(started.Detail, strings.Join(started.Paths, " ")))
	}
	if ev.Text == "" {
		ev.Text = "a tool"
	}
	if ev.Writes {
		t.writesDenied++
	}
	if t.dialog != nil {
		t.dialog.refused = ev.Text
		if ev.Detail != "" {
			t.dialog.reasons = append(t.dialog.reasons, ev.Detail)
		}
	}
	if len(t.denials) < maxDenials {
		t.denials = append(t.denials, ev.Text+saidWhy(ev.Detail))
		if isOwn(ev) {
			t.ownDenied++
		}
	}
}

// refused returns the number of denied tools that are not AgentFlow's.
func (t *runSummary) refused() int { return len(t.denials) - t.ownDenied }

func (t *runSummary) finish(ev agent.Event) {
	t.result = &ev
	if ev.Session != "" {
		t.session = ev.Session
	}
	t.cost = memory.Dollars(ev.CostUSD)
	if ev.Turns > 0 {
		t.turns = ev.Turns
	}
}

// memories returns the facts found in all messages, and a line for each kind that was left out.
func (t *runSummary) memories() (facts []memory.Fact, cut []string) {
	t.endMessage()
	t.extractSaid()
	return t.facts, t.cut
}

// maxFacts limits the facts of one run, over all windows.
const maxFacts = 50

// extractSaid extracts the facts of the current window of messages. Windows overlap, so a fact
// may be found twice.
func (t *runSummary) extractSaid() {
	window := t.messages
	t.messages, t.bytes = nil, 0
	if len(t.message) > 0 {
		window = append(window, string(t.message))
	}
	if t.extract == nil || len(window) == 0 {
		return
	}
	facts, cut := t.extract(window, t.given)
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

// answer returns the explanation of the change from the agent's messages and those of its
// commits. For a program's output it returns the end. If there is no explanation, it returns
// the last commit's subject, or else the last message.
func (t *runSummary) answer(plain func(string) string, commits []memory.Commit, messages, files []string) string {
	if t.streams {
		return clipTail(plain(t.lastMessage), memory.MaxSummary)
	}
	last := t.lastMessage
	said := slices.Clone(t.said)
	if r := t.result; r != nil && !r.Failed && strings.TrimSpace(r.Text) != "" && r.Text != last {
		last = r.Text
		said = append(said, explain.Message{Text: last, Turn: t.turn, Final: true, Wrote: t.wrotes})
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

// paths returns the paths that a run changed.
func paths(set memory.ChangeSet) (list []string) {
	for _, l := range []memory.ChangeList{set.Changes, set.Uncommitted, set.Elsewhere} {
		for _, c := range l.Items {
			list = append(list, c.Path)
		}
	}
	return list
}
