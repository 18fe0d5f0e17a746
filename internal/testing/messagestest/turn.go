package messagestest

import "encoding/json"

// Script holds the server's answers, one turn per request.
type Script struct {
	Main []Turn // the main conversation, across all runs against the server
	Sub  []Turn // subagents' conversations, in the order of their requests
	Side []Turn // side requests, in order; further ones get the fixed text
}

// Turn is one answer of the model. The zero Turn is an empty message; build
// others with Say, Use, Fail and Silence, and chain: Say("…").Use("Write", …).
type Turn struct {
	blocks []block
	fail   *failure
	hold   bool
	cut    bool     // the connection ends before the message
	broken *failure // an error event in place of the end of the message
	stop   string   // the stop reason; empty means that it follows from the blocks
	input  int      // tokens; 0: 100
	after  func()   // called before the message ends
}

type block struct {
	text  string
	tool  string          // empty for text
	input json.RawMessage // sent verbatim; need not be JSON
}

type failure struct {
	status  int
	kind    string
	message string
}

// Say returns a turn with a text. Text of any size is sent in pieces.
func Say(text string) Turn { return Turn{}.Say(text) }

// Use returns a turn that calls a tool by its name in the API ("Write", "Bash",
// "Agent"). It encodes input as JSON and panics if that fails.
func Use(tool string, input any) Turn { return Turn{}.Use(tool, input) }

// Fail returns a turn that is an API error instead of a message. The CLI
// retries 401, 408, 409, 429, 5xx and "overloaded_error" up to ten times over a
// minute or more; 400 "invalid_request_error" and 403 "permission_error" end
// its run immediately.
func Fail(status int, kind, message string) Turn {
	return Turn{fail: &failure{status, kind, message}}
}

// Silence returns a turn without an answer: the server holds the connection
// open until the client leaves or the server is closed.
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

// Hold makes the turn send its blocks without the end of the message, and keep
// the connection open like Silence.
func (t Turn) Hold() Turn {
	t.hold = true
	return t
}

// Cut makes the connection end after the turn's blocks, without the end of the
// message.
func (t Turn) Cut() Turn {
	t.cut = true
	return t
}

// Break replaces the end of the message by an error event.
func (t Turn) Break(kind, message string) Turn {
	t.broken = &failure{kind: kind, message: message}
	return t
}

// Stop sets the reason for which the message ends.
func (t Turn) Stop(reason string) Turn {
	t.stop = reason
	return t
}

// Tokens sets the number of input tokens.
func (t Turn) Tokens(n int) Turn {
	t.input = n
	return t
}

// Then calls f before the message ends.
func (t Turn) Then(f func()) Turn {
	t.after = f
	return t
}

// UseRaw adds a tool call with its input sent verbatim, whether or not it is
// JSON.
func (t Turn) UseRaw(tool, input string) Turn {
	t.blocks = append(t.blocks[:len(t.blocks):len(t.blocks)], block{tool: tool, input: json.RawMessage(input)})
	return t
}

func (t Turn) stopReason() string {
	if t.stop != "" {
		return t.stop
	}
	for _, b := range t.blocks {
		if b.tool != "" {
			return "tool_use"
		}
	}
	return "end_turn"
}
