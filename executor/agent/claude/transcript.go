package claude

import (
	"cmp"
	"encoding/json"
	"strings"
	"time"

	"agentflow/executor/agent"
)

// transcript decodes the CLI's file of a session, or of one of its subagents: one JSON object a
// line, as recorded in testdata/claude/transcripts and described in its README. Messages and
// tools have the form of the stream, so the stream's decoder reads them.
//
// Each line has a time, except a few that are not important. Their events get the time of the
// previous line.
type transcript struct {
	agent.LineReader
	stream decoder
	last   time.Time
}

// transcriptLine has the fields that a line of the stream does not have, or that have another
// name there.
type transcriptLine struct {
	streamLine
	UUID       string          `json:"uuid"`
	Sidechain  bool            `json:"isSidechain"` // of a subagent
	Meta       bool            `json:"isMeta"`      // added by the CLI
	Summary    bool            `json:"isCompactSummary"`
	ToolUse    json.RawMessage `json:"toolUseResult"`
	Origin     origin          `json:"origin"`
	Mode       string          `json:"permissionMode"` // only of prompts
	Attachment json.RawMessage `json:"attachment"`
}

// origin is the author of a prompt: human, or a part of the CLI. In print mode it is missing.
type origin struct {
	Kind string `json:"kind"`
}

func (o origin) human() bool { return o.Kind == "" || o.Kind == "human" }

func (c claude) Transcript() agent.Decoder {
	t := &transcript{}
	t.Object = t.decode
	return t
}

// Kept returns where the CLI keeps the sessions, by the folders in which they ran.
func (c claude) Kept() agent.Kept {
	return agent.Kept{Variable: "CLAUDE_CONFIG_DIR", Folder: ".claude", Pattern: "projects/*/{id}.jsonl"}
}

func (t *transcript) decode(line []byte) []agent.Event {
	var l transcriptLine
	if !agent.Loosely(line, &l) {
		return nil
	}
	if at, err := time.Parse(time.RFC3339, l.Timestamp); err == nil {
		t.last = at
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
	l.ToolResult = l.ToolUse
	if l.Sidechain {
		l.Parent = new(string)
	}
	switch {
	case l.Type == "assistant" && l.Message != nil:
		return t.assistant(l)
	case l.Type == "user" && l.Message != nil:
		return t.user(l)
	case l.Type == "attachment":
		return attached(l)
	}
	return nil
}

// assistant adds the end of a turn that failed because of an API error. The CLI reports that in
// a separate message.
func (t *transcript) assistant(l transcriptLine) []agent.Event {
	events := t.stream.assistant(l.streamLine)
	for i := range events {
		if events[i].Kind == agent.Usage {
			events[i].Call, events[i].Turns = l.Message.ID, 0
		}
	}
	if l.Error != "" && l.Parent == nil {
		text := strings.TrimSuffix(strings.TrimSpace(textOf(l.Message.Content)), loginHint)
		text = strings.TrimPrefix(text, strings.TrimPrefix(loginHint, " · ")+" · ") // at a terminal the hint comes first
		return []agent.Event{{Kind: agent.Result, Failed: true, Text: text, Cause: causeOf(streamLine{}, l.Error)}}
	}
	return events
}

// user decodes a line that the model got as the user's: results of tools, prompts, and text
// that the CLI and its commands added.
func (t *transcript) user(l transcriptLine) []agent.Event {
	blocks := blocksOf(l.Message.Content)
	for _, b := range blocks {
		if b.Type == "tool_result" {
			return t.results(l, blocks)
		}
	}
	text := typed(blocks)
	given := agent.FactsGiven(text)
	if l.Parent != nil || l.Meta || l.Summary || !l.Origin.human() {
		return given
	}
	switch text {
	case "[Request interrupted by user]", "[Request interrupted by user for tool use]":
		return []agent.Event{{Kind: agent.Result, Failed: true, Text: "interrupted", Cause: agent.CauseInterrupted}}
	}
	if l.Mode == "" || l.Origin.Kind == "" && strings.HasPrefix(text, notified) { // not exactly what the user typed
		text = commandOf(text)
	}
	if text == "" {
		return given
	}
	return append(given, agent.Event{Kind: agent.Asked, Text: text, Call: l.UUID})
}

// notified begins the CLI's message about a task that ended. Versions up to at least
// 2.1.42 report it as a typed prompt, without an origin.
const notified = "<task-notification>"

// results returns the stream's events for results of tools, after those for denied calls. If a
// call began before the first line that was read, its denial has no name; its start, with the
// same Call, has it.
func (t *transcript) results(l transcriptLine, blocks []block) []agent.Event {
	var events []agent.Event
	for _, b := range blocks {
		call := t.stream.shell.on[b.ToolUseID]
		text := textOf(b.Content)
		if !b.IsError || !refused(call.tool, text) {
			continue
		}
		_, words, _ := strings.Cut(text, userSaid)
		words, _, _ = strings.Cut(words, userNote)
		words = strings.TrimSpace(words)
		events = append(events, agent.Event{Kind: agent.Denied, Tool: call.tool, Call: b.ToolUseID, Text: strings.TrimSpace(call.tool + " " + call.detail), Detail: words, Writes: call.writes})
		if l.Parent == nil && words != "" {
			events = append(events, agent.Event{Kind: agent.Asked, Text: words, Call: l.UUID})
		}
	}
	return append(events, t.stream.toolResults(l.streamLine)...)
}

// refusals begin the CLI's messages about a tool that was not permitted.
var refusals = []string{
	"Claude requested permissions to ", "Permission to use ", "The user doesn't want to ", "This command requires approval",
}

// userSaid separates the CLI's words from the user's, if the user refuses a call and says what
// to do instead.
const userSaid = "To tell you how to proceed, the user said:\n"

// userNote begins a note that the CLI may add.
const userNote = "\n\nNote: The user's next message may "

// refused reports whether a tool was not permitted, as opposed to failed, from the text of its
// error. A command that ran has an exit code there, and a wrong input is in a tag.
func refused(tool, text string) bool {
	for _, begin := range refusals {
		if strings.HasPrefix(text, begin) {
			return true
		}
	}
	return tool == "Bash" && !strings.HasPrefix(text, "Exit code ") && !strings.HasPrefix(text, "<tool_use_error>") && !strings.HasPrefix(text, "[Request interrupted")
}

// image represents a prompt that has only a picture.
const image = "[Image]"

// typed returns the text of a prompt, without the parts that the CLI and editors add.
func typed(blocks []block) string {
	var texts []string
	pictures := false
	for _, b := range blocks {
		pictures = pictures || b.Type == "image"
		if b.Text != "" && !strings.HasPrefix(b.Text, "<system-reminder>") && !strings.HasPrefix(b.Text, "<ide_") {
			texts = append(texts, b.Text)
		}
	}
	text := strings.TrimSpace(strings.Join(texts, "\n"))
	if text == "" && pictures {
		return image
	}
	return text
}

// commandOf returns a text as the user typed it, which may have been a slash command: "/name
// args". It returns "" for text from the CLI: commands that it answered by itself, which begin
// with the name, and their output.
func commandOf(text string) string {
	if strings.HasPrefix(text, "<command-message>") {
		return strings.TrimSpace(between(text, "<command-name>", "</command-name>") + " " + between(text, "<command-args>", "</command-args>"))
	}
	for _, tag := range []string{"<command-name>", "<local-command-", "<bash-", "<task-notification>", "<user-memory-input>", "<teammate-message", "<channel", "<cross-session-message"} {
		if strings.HasPrefix(text, tag) {
			return ""
		}
	}
	return text
}

func between(text, begin, end string) string {
	_, text, _ = strings.Cut(text, begin)
	text, _, _ = strings.Cut(text, end)
	return text
}

// attachment is a line other than a message. Prompt is a prompt that the user typed while the
// agent worked: a text, or blocks.
type attachment struct {
	Type    string          `json:"type"`
	Content json.RawMessage `json:"content"`
	Prompt  json.RawMessage `json:"prompt"`
	UUID    string          `json:"source_uuid"`
	Mode    string          `json:"commandMode"`
	Origin  origin          `json:"origin"`
	Meta    bool            `json:"isMeta"`
}

func attached(l transcriptLine) []agent.Event {
	var a attachment
	// A field of an unexpected type does not affect the others.
	_ = json.Unmarshal(l.Attachment, &a)
	switch a.Type {
	case "queued_command":
		text := typed(blocksOf(a.Prompt))
		given := agent.FactsGiven(text)
		if a.Mode != "prompt" || a.Meta || l.Sidechain || !a.Origin.human() || text == "" || a.Origin.Kind == "" && strings.HasPrefix(text, notified) {
			return given
		}
		return append(given, agent.Event{Kind: agent.Asked, Text: text, Call: cmp.Or(a.UUID, l.UUID)})
	case "hook_success", "hook_additional_context": // only the text that hooks added, not their other output
		var texts []string
		if json.Unmarshal(a.Content, &texts) != nil {
			texts = []string{textOf(a.Content)}
		}
		return agent.FactsGiven(strings.Join(texts, "\n"))
	}
	return agent.FactsGiven(string(l.Attachment))
}
