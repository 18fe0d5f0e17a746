package scriptedagent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
)

type object = map[string]any

// stream writes the lines of the protocol; in plain mode only messages, in
// final mode only the result. It ignores errors of the writer, like a program
// that prints: if the reader closes the pipe, SIGPIPE ends it.
type stream struct {
	mu      sync.Mutex // an interrupt writes its last lines from another goroutine
	out     io.Writer
	plain   bool
	final   bool
	session string
	started time.Time

	calls   int    // tool calls so far
	text    string // the last message
	denials []object
	cost    float64
	detail  object // structured result of the current tool, in addition to its text
}

func (s *stream) line(fields object) {
	if s.plain || s.final && fields["type"] != "result" {
		return
	}
	fields["session_id"] = s.session
	fields["uuid"] = uuid.NewString()
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(fields); err != nil {
		panic(err) // fields contain only strings, numbers and maps of them
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, _ = s.out.Write(unguard(buf.Bytes()))
}

func (s *stream) init(cwd, mode string) {
	s.line(object{
		"type": "system", "subtype": "init", "cwd": cwd, "model": "scripted", "permissionMode": mode,
		"tools": []string{"Bash", "Edit", "Read", "Task", "Write"}, "claude_code_version": "0.0.0 (scripted agent)",
	})
}

func (s *stream) say(text string) {
	s.text = text
	if s.plain {
		fmt.Fprintln(s.out, text)
		return
	}
	s.assistant(object{"type": "text", "text": guard(text)}, nil)
}

// fail ends as after an API error: with the CLI's message, and the kind of the
// error in a separate field.
func (s *stream) fail(text string) {
	s.text = text
	if s.plain {
		fmt.Fprintln(s.out, text)
		return
	}
	kind := "unknown"
	switch {
	case strings.HasPrefix(text, "Not logged in"), strings.HasPrefix(text, "Failed to authenticate"):
		kind = "authentication_failed"
	case strings.HasPrefix(text, "API Error: 529"):
		kind = "overloaded"
	}
	s.line(object{
		"type": "assistant", "parent_tool_use_id": nil, "error": kind,
		"message": object{"id": uuid.NewString(), "type": "message", "role": "assistant", "model": "<synthetic>",
			"content": []any{object{"type": "text", "text": guard(text)}}},
	})
	s.result(object{"is_error": true, "api_error_status": 400})
}

// tool reports a tool call, runs it, and reports its result.
func (s *stream) tool(name string, input object, do func() (string, error)) {
	s.calls++
	id := fmt.Sprintf("toolu_%04d", s.calls)
	s.assistant(object{"type": "tool_use", "id": id, "name": name, "input": input}, nil)
	s.detail = nil
	text, err := do()
	if err != nil {
		text += err.Error()
	}
	s.user(object{"type": "tool_result", "tool_use_id": id, "content": guard(text), "is_error": err != nil}, s.detail)
}

// denied is the message to the model, in Claude's words.
type denied string

func (d denied) Error() string {
	return fmt.Sprintf("Claude requested permissions to use %s, but you haven't granted it yet.", string(d))
}

func (s *stream) deny(name string, input object) {
	s.tool(name, input, func() (string, error) {
		return "", denied(name)
	})
	s.denials = append(s.denials, object{
		"tool_name": name, "tool_use_id": fmt.Sprintf("toolu_%04d", s.calls), "tool_input": input,
	})
}

// sub lets a subagent say text and return it.
func (s *stream) sub(text string) {
	s.tool("Agent", object{"description": "look around", "prompt": "Look around."}, func() (string, error) {
		s.assistant(object{"type": "text", "text": guard(text)}, fmt.Sprintf("toolu_%04d", s.calls))
		return text, nil
	})
}

func (s *stream) assistant(block object, parent any) {
	s.line(object{
		"type": "assistant", "parent_tool_use_id": parent,
		"message": object{
			"id": fmt.Sprintf("msg_%04d", s.calls), "type": "message", "role": "assistant", "model": "scripted",
			"content": []any{block}, "stop_reason": nil, "stop_sequence": nil,
		},
	})
}

// user writes a line of the user; detail is the structured result of a tool.
func (s *stream) user(block, detail object) {
	line := object{
		"type": "user", "parent_tool_use_id": nil, "timestamp": time.Now().UTC().Format("2006-01-02T15:04:05.000Z"),
		"message": object{"role": "user", "content": []any{block}},
	}
	if detail != nil {
		line["tool_use_result"] = detail
	}
	s.line(line)
}

// result writes the last line of the run; extra overrides its fields.
func (s *stream) result(extra object) {
	fields := object{
		"type": "result", "subtype": "success", "is_error": false, "num_turns": s.calls + 1, "result": guard(s.text),
		"duration_ms": time.Since(s.started).Milliseconds(), "total_cost_usd": s.cost, "permission_denials": s.denials,
		"terminal_reason": "completed",
	}
	for k, v := range extra {
		if fields[k] = v; v == nil {
			delete(fields, k)
		}
	}
	s.line(fields)
}

// A JSON encoder replaces invalid UTF-8. guard replaces each invalid byte by a
// rune of a private plane, and unguard restores the byte in the encoded line.
const guardBase = 0x10FF00

func guard(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	var out []rune
	for len(text) > 0 {
		r, n := utf8.DecodeRuneInString(text)
		if r == utf8.RuneError && n == 1 {
			r = guardBase + rune(text[0])
		}
		out = append(out, r)
		text = text[n:]
	}
	return string(out)
}

func unguard(line []byte) []byte {
	lead := []byte(string(rune(guardBase)))[:2] // shared by all guarded runes
	if !bytes.Contains(line, lead) {
		return line
	}
	out := make([]byte, 0, len(line))
	for len(line) > 0 {
		r, n := utf8.DecodeRune(line)
		if r >= guardBase && r <= guardBase+0xFF {
			out = append(out, byte(r-guardBase))
		} else {
			out = append(out, line[:n]...)
		}
		line = line[n:]
	}
	return out
}
