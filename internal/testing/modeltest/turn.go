package modeltest

import "encoding/json"

// Turn is one answer of the model. Build it with Say, Use, Custom, Fail and
// Silence, and chain: Say("…").Use("write_file", …).
type Turn struct {
	parts  []part
	status int // of HTTP, for an error in place of an answer; 0: none
	reason string
	hold   bool
}

// part is a text, or a call of a tool.
type part struct {
	text   string
	tool   string
	space  string // of the tool's name (Codex)
	input  any
	custom string // input that is a text and no object
}

// Say is a turn that says text.
func Say(text string) Turn { return Turn{}.Say(text) }

// Use is a turn that calls a tool by its name in the API.
func Use(tool string, input any) Turn { return Turn{}.Use(tool, input) }

// Custom is a turn that calls a tool whose input is a text (Codex's apply_patch).
func Custom(tool, input string) Turn {
	return Turn{parts: []part{{tool: tool, custom: input}}}
}

// UseIn is a turn that calls a tool of a namespace (Codex's MCP servers).
func UseIn(space, tool string, input any) Turn {
	return Turn{parts: []part{{tool: tool, space: space, input: input}}}
}

// Fail is an error of the API in place of an answer.
func Fail(status int, reason string) Turn { return Turn{status: status, reason: reason} }

// Silence answers nothing at all and holds the connection open until the client
// leaves or the server is closed.
func Silence() Turn { return Turn{hold: true} }

// Say adds a text to the turn.
func (t Turn) Say(text string) Turn {
	t.parts = append(t.parts[:len(t.parts):len(t.parts)], part{text: text})
	return t
}

// Use adds a tool call to the turn.
func (t Turn) Use(tool string, input any) Turn {
	t.parts = append(t.parts[:len(t.parts):len(t.parts)], part{tool: tool, input: input})
	return t
}

// arguments are a call's, as JSON.
func (p part) arguments() string {
	data, err := json.Marshal(p.input)
	if err != nil {
		panic("modeltest: tool input: " + err.Error())
	}
	return string(data)
}
