package codex

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"agentflow/executor/agent"
	"agentflow/executor/agent/checks"
	"agentflow/gitwatch/toolcalls"
)

// patchTool names Codex's tool that changes files.
const patchTool = "apply_patch"

// item is an item of a turn. Its type is "file_change" in the stream and "FileChange" in a
// session's file, and a few fields differ.
type item struct {
	ID        string          `json:"id"`
	Type      string          `json:"type"`
	Status    string          `json:"status"` // in_progress, completed, failed, declined
	Text      string          `json:"text"`
	Content   []part          `json:"content"`
	Command   json.RawMessage `json:"command"` // a text, or a list of arguments
	Output    string          `json:"aggregated_output"`
	Exit      *int            `json:"exit_code"` // of a command
	Folder    string          `json:"cwd"`       // of a command, as a file URL; only in a session's file
	Changes   json.RawMessage `json:"changes"`   // a list, or an object with paths as keys
	Server    string          `json:"server"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	Query     string          `json:"query"`
	Result    struct {
		Content []part `json:"content"`
	} `json:"result"`
	Error struct {
		Message string `json:"message"`
	} `json:"error"`
}

type part struct {
	Text string `json:"text"`
}

func textOf(parts []part) string {
	var texts []string
	for _, p := range parts {
		if p.Text != "" {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// kind returns the item's type in a form that is the same for both.
func (it item) kind() string { return strings.ToLower(strings.ReplaceAll(it.Type, "_", "")) }

// command returns the text of a shell command.
func (it item) command() string {
	var text string
	var argv []string
	switch {
	case json.Unmarshal(it.Command, &text) == nil:
		return text
	case json.Unmarshal(it.Command, &argv) != nil || len(argv) == 0:
		return ""
	case len(argv) == 3 && (argv[1] == "-lc" || argv[1] == "-c"):
		return argv[2]
	}
	return strings.Join(argv, " ")
}

// dir returns the folder of a shell command, or "" if it is unknown.
func (it item) dir() string { return strings.TrimPrefix(it.Folder, "file://") }

// change describes the change of a file by a patch.
type change struct {
	Path    string  `json:"path"`
	Kind    string  `json:"kind"` // add, update, delete; in a session's file it is Type
	Type    string  `json:"type"`
	Content *string `json:"content"` // of a file that was added
	Moved   string  `json:"move_path"`
}

func (it item) changes() []change {
	var list []change
	if json.Unmarshal(it.Changes, &list) == nil {
		return list
	}
	var byPath map[string]change
	if json.Unmarshal(it.Changes, &byPath) != nil {
		return nil
	}
	for _, path := range slices.Sorted(maps.Keys(byPath)) {
		c := byPath[path]
		c.Path, c.Kind = path, c.Type
		list = append(list, c)
		if c.Moved != "" {
			list = append(list, change{Path: c.Moved, Kind: "update"})
		}
	}
	return list
}

// wrote returns the tool's report of a written file.
func (c change) wrote() toolcalls.Write {
	w := toolcalls.Write{Path: c.Path}
	switch c.Kind {
	case "add":
		w.Before = toolcalls.NoText
		if c.Content != nil {
			w.After = toolcalls.TextID([]byte(*c.Content))
		}
	case "delete":
		w.After = toolcalls.NoText
	}
	return w
}

// items turns items into events, and tracks the open calls.
type items struct{ calls agent.OpenCalls }

// started returns the events of an item that began. Only tool calls have events.
func (s *items) started(it item) []agent.Event {
	ev := agent.Event{Call: it.ID, Dir: it.dir()}
	switch it.kind() {
	case "commandexecution":
		ev.Tool, ev.Detail = "shell", it.command()
		if argv := strings.SplitN(ev.Detail, " -lc ", 2); len(argv) == 2 { // for people
			ev.Detail = strings.Trim(argv[1], `'"`)
		}
		return []agent.Event{s.calls.Start(ev, it.command())}
	case "filechange":
		ev.Tool, ev.Writes = patchTool, true
		for _, c := range it.changes() {
			if c.Path != "" {
				ev.Paths = append(ev.Paths, c.Path)
			}
		}
		ev.Detail = strings.Join(ev.Paths, ", ")
	case "mcptoolcall":
		ev.Tool, ev.Detail = it.Server+"."+it.Tool, string(it.Arguments)
	case "websearch":
		ev.Tool, ev.Detail, ev.Reads = "web_search", it.Query, true
	default:
		return nil
	}
	return []agent.Event{s.calls.Start(ev, "")}
}

// completed returns the events of an item that has ended, even if its beginning was not
// reported.
func (s *items) completed(it item) []agent.Event {
	if it.kind() == "agentmessage" {
		if text := it.Text + textOf(it.Content); strings.TrimSpace(text) != "" {
			return []agent.Event{{Kind: agent.Said, Text: text}}
		}
		return nil
	}
	var events []agent.Event
	if !s.calls.On(it.ID) {
		events = s.started(it)
		for i := range events {
			events[i].Late = true
		}
	}
	ev := agent.Event{Call: it.ID, Dir: it.dir(), Failed: it.Status == "failed" || it.Status == "declined"}
	if it.Exit != nil {
		ev.Exit = checks.OfExit(*it.Exit)
	}
	output := it.Output + textOf(it.Result.Content)
	if it.Status == "declined" || strings.Contains(it.Error.Message, "requires approval") || strings.Contains(it.Error.Message, "user rejected") {
		return append(events, s.calls.Deny(ev, output)...)
	}
	if it.kind() == "filechange" && !ev.Failed {
		for _, c := range it.changes() {
			ev.Wrote = append(ev.Wrote, c.wrote())
		}
	}
	return append(events, s.calls.End(ev, output)...)
}
