package modeltest

import "encoding/json"

// Turn is one answer of the model. Build it with Say, Use, Custom, Fail and
// Silence, and chain: Say("…").Use("write_file", …).
type Turn struct {
	parts  []part
	status int // HTTP status of an error in place of an answer; 0 means none
	reason string
	hold   bool
}

// part is a text or a tool call.
type part struct {
	text   string
	tool   string
	space  string // namespace of the tool's name (Codex)
	input  any
	custom string // input that is a text and not an object
}

// Say returns a turn with a text.
func Say(text string) Turn { return Turn{}.Say(text) }

// Use returns a turn that calls a tool by its name in the API.
func Use(tool string, input any) Turn { return Turn{}.Use(tool, input) }

// Custom returns a turn that calls a tool with a text as input (Codex's
// apply_patch).
func Custom(tool, input string) Turn {
	return Turn{parts: []part{{tool: tool, custom: input}}}
}

// UseIn returns a turn that calls a tool of a namespace (Codex's MCP servers).
func UseIn(space, tool string, input any) Turn {
	return Turn{parts: []part{{tool: tool, space: space, input: input}}}
}

// Fail returns a turn that is an error of the API.
func Fail(status int, reason string) Turn { return Turn{status: status, reason: reason} }

// Silence returns a turn without an answer: the server holds the connection
// open until the client leaves or the server is closed.
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

// arguments returns the arguments of a call as JSON.
func (p part) arguments() string {
	data, err := json.Marshal(p.input)
	if err != nil {
		panic("modeltest: tool input: " + err.Error())
	}
	return string(data)
}
