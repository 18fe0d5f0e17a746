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
	cut    bool     // the connection ends before the message does
	broken *failure // an error event in place of the message's end
	stop   string   // the reason; empty: what the blocks make it
	input  int      // tokens; 0: 100
	after  func()   // called before the message ends
}

type block struct {
	text  string
	tool  string          // empty for text
	input json.RawMessage // as it is sent: need not be JSON
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

// Cut makes the connection end behind the turn's blocks, without an end of the
// message.
func (t Turn) Cut() Turn {
	t.cut = true
	return t
}

// Break makes an error event stand in place of the message's end.
func (t Turn) Break(kind, message string) Turn {
	t.broken = &failure{kind: kind, message: message}
	return t
}

// Stop makes the message end for another reason than its blocks are.
func (t Turn) Stop(reason string) Turn {
	t.stop = reason
	return t
}

// Tokens says how many tokens the request had.
func (t Turn) Tokens(n int) Turn {
	t.input = n
	return t
}

// Then calls f before the message ends.
func (t Turn) Then(f func()) Turn {
	t.after = f
	return t
}

// UseRaw adds a tool call whose input is sent as it is, JSON or not.
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
