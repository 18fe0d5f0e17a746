package modeltest

import (
	"encoding/json"
	"net/http"
	"strings"
)

// Kind is the conversation that a request belongs to.
type Kind string

// The kinds of requests; see the package comment for how they are
// distinguished.
const (
	Main Kind = "main"
	Sub  Kind = "sub"
	Side Kind = "side"
)

// Request is one request as the server received it.
type Request struct {
	Kind     Kind
	Path     string
	Header   http.Header
	Body     []byte // the complete JSON
	Model    string
	Messages []Message // empty for other protocols than Anthropic's
}

// Message is one message of a request's conversation.
type Message struct {
	Role    string
	Content []Content
}

// Content is one block of a message; fields that its type lacks are empty.
type Content struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Name      string          `json:"name"`        // tool_use
	ToolUseID string          `json:"tool_use_id"` // tool_result
	IsError   bool            `json:"is_error"`    // tool_result
	Result    json.RawMessage `json:"content"`     // tool_result: a string or a list of blocks
}

// UnmarshalJSON accepts content as a list of blocks or as a string, which the
// API treats as one text block.
func (m *Message) UnmarshalJSON(data []byte) error {
	var raw struct {
		Role    string
		Content json.RawMessage
	}
	if err := json.Unmarshal(data, &raw); err != nil {
		return err
	}
	m.Role, m.Content = raw.Role, nil
	var text string
	if json.Unmarshal(raw.Content, &text) == nil {
		m.Content = []Content{{Type: "text", Text: text}}
		return nil
	}
	return json.Unmarshal(raw.Content, &m.Content)
}

// Prompt returns the user's last message in the conversation, without the CLI's
// reminders and without tool results.
func (r Request) Prompt() string {
	for i := len(r.Messages) - 1; i >= 0; i-- {
		if r.Messages[i].Role != "user" {
			continue
		}
		if text := said(r.Messages[i]); text != "" {
			return text
		}
	}
	return ""
}

func said(m Message) string {
	var b strings.Builder
	for _, c := range m.Content {
		if c.Type == "text" && !strings.HasPrefix(c.Text, "<system-reminder>") {
			b.WriteString(c.Text)
		}
	}
	return b.String()
}

// Results returns the tool results of the conversation's last user message, as
// JSON.
func (r Request) Results() []string {
	var out []string
	for i := len(r.Messages) - 1; i >= 0 && out == nil; i-- {
		for _, c := range r.Messages[i].Content {
			if c.Type == "tool_result" {
				out = append(out, string(c.Result))
			}
		}
	}
	return out
}

// shown returns the prompt, or the body if it has no messages of Anthropic's.
func (r Request) shown() string {
	if len(r.Messages) == 0 {
		return string(r.Body)
	}
	return r.Prompt()
}

func parseRequest(r *http.Request, body []byte) (Request, error) {
	var raw struct {
		Model string
		Tools []json.RawMessage
	}
	if err := json.Unmarshal(body, &raw); err != nil {
		return Request{}, err
	}
	req := Request{Kind: Main, Path: r.URL.EscapedPath(), Header: r.Header.Clone(), Body: body, Model: raw.Model}
	if model := r.PathValue("model"); model != "" {
		req.Model = model // Bedrock has it in the path
	}
	switch {
	case r.Header.Get("x-claude-code-agent-id") != "":
		req.Kind = Sub
	case len(raw.Tools) == 0:
		req.Kind = Side
	}
	return req, nil
}
