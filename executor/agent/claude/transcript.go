package claude

import (
	"cmp"
	"encoding/json"
	"strings"
	"time"

	"agentflow/executor/agent"
)

// transcript reads the CLI's own file of a session, or of one of its subagents:
// one JSON object a line, as recorded in testdata/claude/transcripts and described
// in its README. What it holds of messages and tools it holds in the stream's
// form, and the stream's decoder reads it.
//
// Each line has a time, but for a few that tell nothing: their events have the
// time of the line before.
type transcript struct {
	agent.LineReader
	stream decoder
	last   time.Time
}

// transcriptLine holds the fields that a line of the stream has not, or has by
// another name.
type transcriptLine struct {
	streamLine
	UUID       string          `json:"uuid"`
	Sidechain  bool            `json:"isSidechain"` // of a subagent
	Meta       bool            `json:"isMeta"`      // put in by the CLI
	Summary    bool            `json:"isCompactSummary"`
	ToolUse    json.RawMessage `json:"toolUseResult"`
	Origin     origin          `json:"origin"`
	Mode       string          `json:"permissionMode"` // of prompts alone
	Attachment json.RawMessage `json:"attachment"`
}

// origin says who wrote a prompt: human, or one of the CLI's own parts. Print
// mode has none.
type origin struct {
	Kind string `json:"kind"`
}

func (o origin) human() bool { return o.Kind == "" || o.Kind == "human" }

func (c claude) Transcript() agent.Decoder {
	t := &transcript{}
	t.Object = t.decode
	return t
}

// Kept says where the CLI keeps the sessions, by the folders in which they were.
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

// assistant adds the end of a turn that an API error ended: the CLI says that
// in a message of its own.
func (t *transcript) assistant(l transcriptLine) []agent.Event {
	events := t.stream.assistant(l.streamLine)
	for i := range events {
		if events[i].Kind == agent.Usage {
			events[i].Call, events[i].Turns = l.Message.ID, 0
		}
	}
	if l.Error != "" && l.Parent == nil {
		text := strings.TrimSuffix(strings.TrimSpace(textOf(l.Message.Content)), loginHint)
		text = strings.TrimPrefix(text, strings.TrimPrefix(loginHint, " · ")+" · ") // at a terminal it stands first
		return []agent.Event{{Kind: agent.Result, Failed: true, Text: text, Cause: causeOf(streamLine{}, l.Error)}}
	}
	return events
}

// user reads a line that the model got as the user's: results of tools, prompts,
// and what the CLI and its commands put in.
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
	if l.Mode == "" || l.Origin.Kind == "" && strings.HasPrefix(text, notified) { // not typed as it stands
		text = commandOf(text)
	}
	if text == "" {
		return given
	}
	return append(given, agent.Event{Kind: agent.Asked, Text: text, Call: l.UUID})
}

// notified begins what the CLI says of a task that ended. Versions up to 2.1.42 at least call
// it a prompt that was typed, and name no origin.
const notified = "<task-notification>"

// results are the stream's events for results of tools, behind what was denied. A
// call that began before the first line that was read is denied without a name:
// its start, with the same Call, tells the rest.
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

// refusals begin what the CLI says instead of a tool that was not allowed to run.
var refusals = []string{
	"Claude requested permissions to ", "Permission to use ", "The user doesn't want to ", "This command requires approval",
}

// userSaid stands between the CLI's words and the user's where somebody refuses a
// call and says what to do instead.
const userSaid = "To tell you how to proceed, the user said:\n"

// userNote begins what the CLI may add behind.
const userNote = "\n\nNote: The user's next message may "

// refused tells a tool that was not allowed to run from one that failed, by the
// text of its error: a command that ran tells its exit code, and an input that
// is wrong has a tag around.
func refused(tool, text string) bool {
	for _, begin := range refusals {
		if strings.HasPrefix(text, begin) {
			return true
		}
	}
	return tool == "Bash" && !strings.HasPrefix(text, "Exit code ") && !strings.HasPrefix(text, "<tool_use_error>") && !strings.HasPrefix(text, "[Request interrupted")
}

// image stands for a picture in a prompt that has no words.
const image = "[Image]"

// typed is the text of a prompt, without what the CLI and editors put beside it.
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

// commandOf is a text as the user typed it, which may have been a slash command:
// "/name args". It is empty for what the CLI wrote: commands that it answered
// itself, which begin with the name, and what they printed.
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

// attachment is what stands beside the messages. The prompt is one that the user
// typed while the agent worked; it is a text, or blocks.
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
	// A field of another type leaves the others readable.
	_ = json.Unmarshal(l.Attachment, &a)
	switch a.Type {
	case "queued_command":
		text := typed(blocksOf(a.Prompt))
		given := agent.FactsGiven(text)
		if a.Mode != "prompt" || a.Meta || l.Sidechain || !a.Origin.human() || text == "" || a.Origin.Kind == "" && strings.HasPrefix(text, notified) {
			return given
		}
		return append(given, agent.Event{Kind: agent.Asked, Text: text, Call: cmp.Or(a.UUID, l.UUID)})
	case "hook_success", "hook_additional_context": // text that hooks added, less what they printed otherwise
		var texts []string
		if json.Unmarshal(a.Content, &texts) != nil {
			texts = []string{textOf(a.Content)}
		}
		return agent.FactsGiven(strings.Join(texts, "\n"))
	}
	return agent.FactsGiven(string(l.Attachment))
}
