package messagestest

import "encoding/json"

// Script is what the server answers, a turn a request.
type Script struct {
	Main []Turn // the main conversation, over all runs against the server
	Sub  []Turn // subagents' conversations, in the order their requests come
	Side []Turn // side requests, in that order; those beyond get the fixed text
}

// Turn is one answer of the model. The zero Turn is an empty message; build
// others with Say, Use, Fail and Silence, and chain: Say("…").Use("Write", …).
type Turn struct {
	blocks []block
	fail   *failure
	hold   bool
}

type block struct {
	text  string
	tool  string // empty for text
	input json.RawMessage
}

type failure struct {
	status  int
	kind    string
	message string
}

// Say is a turn that says text. Text of any size is sent in pieces.
func Say(text string) Turn { return Turn{}.Say(text) }

// Use is a turn that calls a tool by its name in the API ("Write", "Bash",
// "Agent"); input is marshalled as JSON and panics when it cannot be.
func Use(tool string, input any) Turn { return Turn{}.Use(tool, input) }

// Fail is an API error instead of a message. The CLI retries 401, 408, 409,
// 429, 5xx and "overloaded_error", up to ten times over a minute or more; 400
// "invalid_request_error" and 403 "permission_error" end its run at once.
func Fail(status int, kind, message string) Turn {
	return Turn{fail: &failure{status, kind, message}}
}

// Silence answers nothing at all and holds the connection open until the
// client leaves or the server is closed.
func Silence() Turn { return Turn{hold: true} }

// Say adds a text block to the turn.
func (t Turn) Say(text string) Turn {
	t.blocks = append(t.blocks[:len(t.blocks):len(t.blocks)], block{text: text})
	return t
}

// Use adds a tool call to the turn.
func (t Turn) Use(tool string, input any) Turn {
	raw, err := json.Marshal(input)
	if err != nil {
		panic("messagestest: tool input: " + err.Error())
	}
	t.blocks = append(t.blocks[:len(t.blocks):len(t.blocks)], block{tool: tool, input: raw})
	return t
}

// Hold makes the turn send its blocks, never end the message, and keep the
// connection open as Silence does.
func (t Turn) Hold() Turn {
	t.hold = true
	return t
}

func (t Turn) stopReason() string {
	for _, b := range t.blocks {
		if b.tool != "" {
			return "tool_use"
		}
	}
	return "end_turn"
}
