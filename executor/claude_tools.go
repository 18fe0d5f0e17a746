package executor

import (
	"encoding/json"
	"strings"
)

// toolCall is what is known of one call of one of Claude's tools.
type toolCall struct {
	paths  []string // files that it writes
	writes bool
	detail string
}

// claudeInput holds the input fields that say what a call is about.
type claudeInput struct {
	FilePath     string `json:"file_path"`
	NotebookPath string `json:"notebook_path"`
	Path         string `json:"path"`
	Pattern      string `json:"pattern"`
	Command      string `json:"command"`
	Description  string `json:"description"`
	URL          string `json:"url"`
	Query        string `json:"query"`
	Skill        string `json:"skill"`
}

func toolStarted(b claudeBlock) Event {
	call := claudeTool(b.Name, b.Input)
	return Event{Kind: EventToolStarted, Tool: b.Name, Call: b.ID, Paths: call.paths, Writes: call.writes, Detail: call.detail}
}

// claudeTool is the one place that knows the names of Claude's tools.
func claudeTool(name string, raw json.RawMessage) toolCall {
	var in claudeInput
	// A field of another type leaves the others readable.
	_ = json.Unmarshal(raw, &in)
	switch name {
	case "Write", "Edit", "MultiEdit":
		return writing(in.FilePath)
	case "NotebookEdit":
		return writing(in.NotebookPath)
	}
	for _, s := range []string{in.Command, in.FilePath, in.NotebookPath, in.Pattern, in.Path, in.URL, in.Query, in.Skill, in.Description} {
		if s != "" {
			first, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
			return toolCall{detail: clip(first, maxDetail)}
		}
	}
	return toolCall{}
}

// maxDetail bounds, in runes, what is said about one tool call.
const maxDetail = 200

func writing(path string) toolCall {
	call := toolCall{writes: true, detail: clip(path, maxDetail)}
	if path != "" {
		call.paths = []string{path}
	}
	return call
}
