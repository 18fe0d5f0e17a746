package gemini

import (
	"cmp"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"agentflow/executor/agent"
	"agentflow/internal/shellword"
)

// decoder decodes the CLI's stream-json: one JSON object a line, of type init, message,
// tool_use, tool_result, error or result, as recorded in testdata/gemini and described in its
// README. Unknown lines are activity.
type decoder struct {
	agent.LineReader
	errors  agent.Lines // standard error
	calls   agent.OpenCalls
	talking bool   // a message is not complete yet
	last    string // the last message, as far as it was received
}

func newDecoder() *decoder {
	d := &decoder{}
	d.Object = d.object
	return d
}

type streamLine struct {
	Type    string     `json:"type"`
	Time    time.Time  `json:"timestamp"`
	Session string     `json:"session_id"`
	Model   string     `json:"model"`
	Role    string     `json:"role"`
	Content string     `json:"content"`
	Tool    string     `json:"tool_name"`
	Call    string     `json:"tool_id"`
	Input   parameters `json:"parameters"`
	Status  string     `json:"status"` // success, error
	Output  string     `json:"output"`
	Error   struct {
		Type    string `json:"type"`
		Message string `json:"message"`
	} `json:"error"`
	Stats stats `json:"stats"`
}

// parameters are the input fields of tools that name the object of a call.
type parameters struct {
	FilePath  string `json:"file_path"`
	DirPath   string `json:"dir_path"`
	Path      string `json:"path"`
	Pattern   string `json:"pattern"`
	Query     string `json:"query"`
	Command   string `json:"command"`
	Prompt    string `json:"prompt"`
	Directory string `json:"directory"`
}

type counts struct {
	Input  int64 `json:"input_tokens"`
	Cached int64 `json:"cached"`
	Output int64 `json:"output_tokens"`
}

type stats struct {
	counts
	Models map[string]counts `json:"models"`
}

// model returns the model with the most input: the CLI also asks other models for small tasks.
func (s stats) model() (name string) {
	for _, model := range slices.Sorted(maps.Keys(s.Models)) {
		if name == "" || s.Models[model].Input > s.Models[name].Input {
			name = model
		}
	}
	return name
}

func (d *decoder) object(line []byte) []agent.Event {
	var l streamLine
	if !agent.Loosely(line, &l) {
		return nil
	}
	var events []agent.Event
	said := l.Type == "message" && l.Role == "assistant"
	if !said {
		events = d.endMessage()
	}
	switch {
	case l.Type == "init":
		model := l.Model
		if model == "auto" {
			model = "" // the result has the name
		}
		events = append(events, agent.Event{Kind: agent.Session, Session: l.Session, Model: model})
	case said && l.Content != "":
		events = append(events, d.say(l.Content))
	case l.Type == "tool_use":
		d.last = ""
		events = append(events, d.started(l))
	case l.Type == "tool_result":
		events = append(events, d.ended(l)...)
	case l.Type == "result":
		events = append(events, d.result(l)...)
	}
	return events
}

// Close also ends an incomplete message.
func (d *decoder) Close() []agent.Event { return append(d.LineReader.Close(), d.endMessage()...) }

func (d *decoder) say(text string) agent.Event {
	if !d.talking {
		d.talking, d.last = true, ""
	}
	if len(d.last) < agent.MaxMessage {
		d.last += text
	}
	return agent.Event{Kind: agent.Said, Text: text, More: true}
}

func (d *decoder) endMessage() []agent.Event {
	if !d.talking {
		return nil
	}
	d.talking = false
	return []agent.Event{{Kind: agent.Said}}
}

// readers lists the tools that change no file.
var readers = map[string]bool{
	"read_file": true, "read_many_files": true, "list_directory": true, "glob": true, "grep_search": true, "search_file_content": true,
	"google_web_search": true, "web_fetch": true, "update_topic": true, "write_todos": true, "activate_skill": true,
}

func (d *decoder) started(l streamLine) agent.Event {
	in := l.Input
	ev := agent.Event{Time: l.Time, Tool: l.Tool, Call: l.Call, Reads: readers[l.Tool]}
	ev.Detail = cmp.Or(in.Command, in.FilePath, in.Pattern, in.Query, in.DirPath, in.Path, in.Prompt)
	switch l.Tool {
	case "write_file", "replace", "edit":
		ev.Writes = true
		if in.FilePath != "" {
			ev.Paths = []string{in.FilePath}
		}
	case "run_shell_command":
		if folder := cmp.Or(in.DirPath, in.Directory); folder != "" {
			return d.calls.Start(ev, "cd "+shellword.Quote(folder)+" && "+in.Command)
		}
		return d.calls.Start(ev, in.Command)
	}
	return d.calls.Start(ev, "")
}

// ended returns a call's last events. If the approval mode withholds a tool, the CLI reports
// that it has no such tool.
func (d *decoder) ended(l streamLine) []agent.Event {
	ev := agent.Event{Call: l.Call, Failed: l.Status == "error"}
	if !l.Time.IsZero() {
		ev.Time = l.Time.Add(time.Millisecond) // the time is truncated to whole milliseconds
	}
	switch l.Error.Type {
	case "tool_not_registered", "policy_violation", "permission_denied":
		return d.calls.Deny(ev, l.Output)
	}
	return d.calls.End(ev, l.Output)
}

func (d *decoder) result(l streamLine) []agent.Event {
	c := l.Stats.counts
	usage := agent.Event{Kind: agent.Usage, Model: l.Stats.model()}
	end := agent.Event{Kind: agent.Result, Text: d.last, Tokens: agent.Tokens{Input: c.Input, Cached: c.Cached, Output: c.Output}}
	if l.Status != "success" {
		text, code := plainError(l.Error.Message)
		end.Failed, end.Text, end.Cause = true, cmp.Or(text, "the agent reported an error"), causeOf(code, text)
	}
	return []agent.Event{usage, end}
}

var apiError = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?s)^\[API Error: (\{.*\})\]$`) })

// plainError returns the message and the HTTP status in an API's answer that the CLI passes on.
func plainError(message string) (text string, code int) {
	var body struct {
		Error struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	m := apiError().FindStringSubmatch(message)
	if m == nil || json.Unmarshal([]byte(m[1]), &body) != nil {
		return strings.TrimSuffix(strings.TrimPrefix(message, "[API Error: "), "]"), 0
	}
	return cmp.Or(body.Error.Message, message), body.Error.Code
}

func causeOf(code int, text string) agent.Cause {
	switch {
	case code == 401 || code == 403 || strings.Contains(text, "API key not valid"):
		return agent.CauseLogin
	case code == 429 || code >= 500 || strings.Contains(text, "fetch failed") || strings.Contains(text, "quota"):
		return agent.CauseUnavailable
	}
	return ""
}
