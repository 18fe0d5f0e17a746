package claude

import (
	"cmp"
	"encoding/json"
	"strings"

	"agentflow/executor/agent"
)

// decoder decodes the CLI's stream-json: one JSON object a line, of type system, assistant,
// user or result, as recorded in testdata/claude and described in its README. Lines that are
// unknown, cannot be parsed or were cut are activity.
type decoder struct {
	agent.LineReader
	message string // id of the main agent's last message: each of its blocks is a line
	turns   int
	failure string // the kind of the last API error that the CLI reported
	shell   shell
	tasks   map[string]string // descriptions of the running background tasks, by their ids
	over    bool              // the result was received; usually only the ends of tasks follow
	past    int               // turns that earlier results counted
	denied  map[string]bool   // calls that earlier results named
}

// streamLine has the fields that are used of any line.
type streamLine struct {
	Type      string   `json:"type"`
	Subtype   string   `json:"subtype"`
	SessionID string   `json:"session_id"`
	Model     string   `json:"model"`
	Parent    *string  `json:"parent_tool_use_id"`
	Message   *message `json:"message"`

	Timestamp  string          `json:"timestamp"` // of tool results, to the millisecond
	ToolResult json.RawMessage `json:"tool_use_result"`

	IsError  bool            `json:"is_error"`
	Result   json.RawMessage `json:"result"`
	Errors   []string        `json:"errors"`
	Error    string          `json:"error"` // kind of an API error, in assistant and api_retry lines
	Attempt  int             `json:"attempt"`
	Retries  int             `json:"max_retries"`
	Status   int             `json:"error_status"` // of HTTP; 0: no answer
	Delay    float64         `json:"retry_delay_ms"`
	Terminal string          `json:"terminal_reason"`
	NumTurns int             `json:"num_turns"`
	Cost     float64         `json:"total_cost_usd"`
	Denials  []denial        `json:"permission_denials"`

	Task   string `json:"task_id"` // in task_started and task_notification lines
	Call   string `json:"tool_use_id"`
	Does   string `json:"description"`
	Ending string `json:"status"` // completed, failed, stopped
	Output string `json:"output"` // of a hook
}

type message struct {
	ID      string          `json:"id"`
	Model   string          `json:"model"`
	Content json.RawMessage `json:"content"`
}

type block struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	IsError   bool            `json:"is_error"`
	Content   json.RawMessage `json:"content"` // of a tool's result
}

type denial struct {
	Tool  string          `json:"tool_name"`
	Call  string          `json:"tool_use_id"`
	Input json.RawMessage `json:"tool_input"`
}

func (d *decoder) decode(line []byte) []agent.Event {
	var l streamLine
	if !agent.Loosely(line, &l) {
		return nil
	}
	switch {
	case l.Type == "system" && l.Subtype == "init":
		return []agent.Event{{Kind: agent.Session, Session: l.SessionID, Model: l.Model}}
	case l.Type == "system" && l.Subtype == "api_retry":
		return []agent.Event{retryOf(l)}
	case l.Type == "system" && l.Subtype == "task_started":
		d.begin(l)
	case l.Type == "system" && l.Subtype == "task_notification":
		return d.end(l)
	case l.Type == "assistant" && l.Message != nil:
		return d.assistant(l)
	case l.Type == "user" && l.Message != nil:
		return d.toolResults(l)
	case l.Type == "system" && l.Subtype == "hook_response":
		if given := agent.FactsGiven(l.Output); given != nil {
			return given
		}
	case l.Type == "result":
		return d.result(l)
	}
	return nil
}

// begin notes a background task, with the command of its call if that is known.
func (d *decoder) begin(l streamLine) {
	if d.tasks == nil {
		d.tasks = map[string]string{}
	}
	d.tasks[l.Task] = cmp.Or(d.shell.on[l.Call].detail, l.Does)
}

// end returns the events for the end of a background task. The CLI stops the tasks that still
// run after its last turn, a shell after five seconds. Only those were left running; the agent
// stopped the others, or they ended by themselves.
func (d *decoder) end(l streamLine) []agent.Event {
	does := d.tasks[l.Task]
	delete(d.tasks, l.Task)
	if d.over && l.Ending == "stopped" && does != "" {
		return []agent.Event{{Kind: agent.Left, Text: does}}
	}
	return []agent.Event{{Kind: agent.Activity}}
}

func (d *decoder) assistant(l streamLine) []agent.Event {
	// A message that the CLI generated (for example an API error) is not the agent's. The
	// result repeats the error.
	synthetic := l.Message.Model == "<synthetic>"
	d.failure, d.over = l.Error, false
	var events []agent.Event
	for _, b := range blocksOf(l.Message.Content) {
		switch {
		case b.Type == "text" && l.Parent == nil && !synthetic && strings.TrimSpace(b.Text) != "":
			events = append(events, agent.Event{Kind: agent.Said, Text: b.Text})
		case b.Type == "tool_use":
			events = append(events, d.shell.started(b, l.Parent != nil)...)
		case b.Type == "text" && l.Parent != nil: // of a subagent
			events = append(events, agent.FactsGiven(b.Text)...)
		}
	}
	// These lines have the token counts of the message's start. The correct counts come with
	// the result.
	if id := l.Message.ID; l.Parent == nil && !synthetic && id != d.message {
		d.message = id
		d.turns++
		events = append(events, agent.Event{Kind: agent.Usage, Model: l.Message.Model, Turns: d.turns})
	}
	if events == nil {
		events = []agent.Event{{Kind: agent.Activity}}
	}
	return events
}

// textOf returns the text of content.
func textOf(content json.RawMessage) string {
	var b strings.Builder
	for _, block := range blocksOf(content) {
		b.WriteString(block.Text + "\n")
	}
	return b.String()
}

// blocksOf decodes content, which is a list of blocks or a plain string.
func blocksOf(content json.RawMessage) []block {
	var list []json.RawMessage
	if json.Unmarshal(content, &list) != nil {
		var text string
		if json.Unmarshal(content, &text) != nil {
			return nil
		}
		return []block{{Type: "text", Text: text}}
	}
	blocks := make([]block, 0, len(list))
	for _, raw := range list {
		var b block
		if json.Unmarshal(raw, &b) == nil {
			blocks = append(blocks, b)
		}
	}
	return blocks
}

func (d *decoder) toolResults(l streamLine) []agent.Event {
	var events []agent.Event
	for _, b := range blocksOf(l.Message.Content) {
		if b.Type == "tool_result" {
			events = append(events, agent.FactsGiven(textOf(b.Content))...)
			events = append(events, d.shell.ended(b, l))
		} else {
			events = append(events, agent.FactsGiven(b.Text)...)
		}
	}
	if events == nil {
		return []agent.Event{{Kind: agent.Activity}}
	}
	return events
}
