package modeltest

import "encoding/json"

// Script holds the server's answers, one turn per request.
type Script struct {
	Main   []Turn // the main conversation, across all runs against the server
	Sub    []Turn // subagents' conversations, in the order of their requests
	Side   []Turn // side requests, in order; further ones get the fixed text
	Always bool   // the last turn of Main answers all further requests too
}

// Turn is one answer of the model. The zero Turn is an empty message; build
// others with Say, Use, Custom, Fail and Silence, and chain:
// Say("…").Use("Write", …). Only the Messages API has the turns that Hold, Cut,
// Break, Stop, Tokens and Then return.
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

// block is a text or a tool call.
type block struct {
	text   string
	tool   string          // empty for text
	space  string          // namespace of the tool's name (Codex)
	input  json.RawMessage // sent verbatim; need not be JSON
	custom string          // input that is a text and not an object (Codex)
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

// Custom returns a turn that calls a tool with a text as input (Codex's
// apply_patch).
func Custom(tool, input string) Turn { return Turn{}.with(block{tool: tool, custom: input}) }

// UseIn returns a turn that calls a tool of a namespace (Codex's MCP servers).
func UseIn(space, tool string, input any) Turn {
	return Turn{}.with(block{tool: tool, space: space, input: encoded(input)})
}

// Fail returns a turn that is an API error instead of a message. The Claude CLI
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
func (t Turn) Say(text string) Turn { return t.with(block{text: text}) }

// Use adds a tool call to the turn.
func (t Turn) Use(tool string, input any) Turn {
	return t.with(block{tool: tool, input: encoded(input)})
}

// UseRaw adds a tool call with its input sent verbatim, whether or not it is
// JSON.
func (t Turn) UseRaw(tool, input string) Turn {
	return t.with(block{tool: tool, input: json.RawMessage(input)})
}

func (t Turn) with(b block) Turn {
	t.blocks = append(t.blocks[:len(t.blocks):len(t.blocks)], b)
	return t
}

func encoded(input any) json.RawMessage {
	raw, err := json.Marshal(input)
	if err != nil {
		panic("modeltest: tool input: " + err.Error())
	}
	return raw
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
