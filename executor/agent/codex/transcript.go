package codex

import (
	"time"

	"agentflow/executor/agent"
)

// transcript decodes Codex's file of a session, one JSON object a line, as recorded in
// testdata/codex/transcripts: "event_msg" with events, "response_item" with the model's input
// and output, "session_meta" and "turn_context". If the file continues another session's file,
// the copied lines are decoded too. A prompt that the user typed is a separate item. Text that
// Codex and hooks add to it is only in response_item.
type transcript struct {
	agent.LineReader
	items   items
	session string
	model   string
	last    time.Time
}

type transcriptLine struct {
	Time    time.Time `json:"timestamp"`
	Type    string    `json:"type"`
	Payload struct {
		Type    string `json:"type"`
		ID      string `json:"id"`
		Model   string `json:"model"`
		Role    string `json:"role"`
		Name    string `json:"name"`
		Call    string `json:"call_id"`
		Reason  string `json:"reason"`
		Content []part `json:"content"`
		Output  string `json:"output"`
		Item    item   `json:"item"`
		Error   struct {
			Message string `json:"message"`
		} `json:"error"`
		Info struct {
			Total usage `json:"total_token_usage"`
		} `json:"info"`
		Began int64 `json:"started_at_ms"`
		Ended int64 `json:"completed_at_ms"`
	} `json:"payload"`
}

// Transcript returns a decoder of Codex's file of a session.
func (c codex) Transcript() agent.Decoder {
	t := &transcript{}
	t.Object = t.object
	return t
}

// Kept returns where Codex keeps the sessions, by the days on which they began.
func (c codex) Kept() agent.Kept {
	return agent.Kept{Variable: "CODEX_HOME", Folder: ".codex", Pattern: "sessions/*/*/*/rollout-*-{id}.jsonl"}
}

func (t *transcript) object(line []byte) []agent.Event {
	var l transcriptLine
	if !agent.Loosely(line, &l) {
		return nil
	}
	if !l.Time.IsZero() {
		t.last = l.Time
	}
	events := t.events(l)
	for i := range events {
		if events[i].Time.IsZero() {
			events[i].Time = t.last
		}
	}
	return events
}

func (t *transcript) events(l transcriptLine) []agent.Event {
	p := l.Payload
	switch l.Type + " " + p.Type {
	case "session_meta ":
		if t.session == "" && p.ID != "" && !t.last.IsZero() {
			t.session = p.ID
			return []agent.Event{{Kind: agent.Session, Session: p.ID}}
		}
	case "turn_context ":
		t.model = p.Model
	case "event_msg item_completed":
		return t.item(l)
	case "event_msg token_count":
		return []agent.Event{{Kind: agent.Usage, Model: t.model, Tokens: p.Info.Total.tokens()}}
	case "event_msg turn_aborted":
		return []agent.Event{{Kind: agent.Result, Failed: true, Text: "interrupted", Cause: agent.CauseInterrupted}}
	case "event_msg task_complete":
		if p.Error.Message != "" {
			return []agent.Event{failed(p.Error.Message)}
		}
	case "response_item message":
		if p.Role != "assistant" {
			return agent.FactsGiven(textOf(p.Content))
		}
	case "response_item custom_tool_call_output", "response_item function_call_output":
		if why, is := refusal(p.Output); is {
			return []agent.Event{denied(p.Call, why)}
		}
	}
	return nil
}

// item returns the events of an item that has ended. The first event of a tool call has the
// time at which the call began.
func (t *transcript) item(l transcriptLine) []agent.Event {
	it := l.Payload.Item
	if it.kind() == "usermessage" {
		text := textOf(it.Content)
		if text == "" || it.ID == "" {
			return nil
		}
		return []agent.Event{{Kind: agent.Asked, Text: text, Call: it.ID}}
	}
	events := t.items.completed(it)
	for i, ev := range events {
		switch {
		case ev.Kind == agent.ToolStarted && l.Payload.Began > 0:
			events[i].Time = time.UnixMilli(l.Payload.Began).UTC()
		case l.Payload.Ended > 0:
			events[i].Time = time.UnixMilli(l.Payload.Ended + 1).UTC() // the time is truncated to whole milliseconds
		}
	}
	return events
}
