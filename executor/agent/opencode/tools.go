package opencode

import (
	"cmp"
	"strings"
	"time"

	"agentflow/executor/agent"
	"agentflow/executor/agent/checks"
	"agentflow/gitwatch/toolcalls"
)

// state describes a call, once it has ended.
type state struct {
	Status string `json:"status"` // completed, error
	Input  struct {
		FilePath    string  `json:"filePath"`
		Path        string  `json:"path"`
		Pattern     string  `json:"pattern"`
		Query       string  `json:"query"`
		URL         string  `json:"url"`
		Command     string  `json:"command"`
		Workdir     string  `json:"workdir"`
		Description string  `json:"description"`
		Content     *string `json:"content"` // of write
		Tool        string  `json:"tool"`    // of invalid: the tool that does not exist
	} `json:"input"`
	Output   string `json:"output"`
	Error    string `json:"error"`
	Metadata struct {
		Exit   *int  `json:"exit"`   // of bash
		Exists *bool `json:"exists"` // of write: the file existed before
		Files  []struct {
			Path string `json:"filePath"`
		} `json:"files"` // of apply_patch
	} `json:"metadata"`
	Time struct {
		Start int64 `json:"start"`
		End   int64 `json:"end"`
	} `json:"time"`
}

// readers lists tools that change no file themselves.
var readers = map[string]bool{
	"read": true, "glob": true, "grep": true, "list": true, "webfetch": true, "websearch": true, "todowrite": true, "todoread": true,
	"task": true, "skill": true, "question": true, "codesearch": true,
}

// writers lists tools that change files.
var writers = map[string]bool{"write": true, "edit": true, "multiedit": true, "apply_patch": true, "patch": true}

// The starts of opencode's messages about a tool that was not permitted, because it would have
// had to ask, or because a rule denies it.
const (
	nobodyAnswered = "The user rejected permission"
	ruleDenies     = "The user has specified a rule which prevents"
)

// tool returns the events of a call, which is reported when it has ended.
func (d *decoder) tool(p part) []agent.Event {
	s := p.State
	name := p.Tool
	withheld := name == "invalid" && (writers[s.Input.Tool] || s.Input.Tool == "bash" || s.Input.Tool == "webfetch")
	if withheld {
		name = s.Input.Tool
	}
	ev := agent.Event{Time: milliseconds(s.Time.Start), Tool: name, Call: p.Call, Reads: readers[name], Writes: writers[name], Late: true}
	ev.Detail = cmp.Or(s.Input.Command, s.Input.FilePath, s.Input.Pattern, s.Input.Query, s.Input.URL, s.Input.Path, s.Input.Description)
	if ev.Writes {
		ev.Paths = s.paths()
	}
	command := ""
	if name == "bash" && !withheld {
		command = s.Input.Command
		if s.Input.Workdir != "" {
			command = "cd '" + strings.ReplaceAll(s.Input.Workdir, "'", `'\''`) + "' && " + command
		}
	}
	start := d.calls.Start(ev, command)
	end := agent.Event{Call: p.Call, Failed: s.Status != "completed" || s.Metadata.Exit != nil && *s.Metadata.Exit != 0}
	if s.Metadata.Exit != nil {
		end.Exit = checks.OfExit(*s.Metadata.Exit)
	}
	if s.Time.End > 0 {
		end.Time = milliseconds(s.Time.End).Add(time.Millisecond) // the time is truncated to whole milliseconds
	}
	d.rejected = ""
	switch {
	case strings.HasPrefix(s.Error, nobodyAnswered):
		d.rejected = strings.TrimSpace(start.Tool + " " + start.Detail)
		return append([]agent.Event{start}, d.calls.Deny(end, s.Output)...)
	case withheld || strings.HasPrefix(s.Error, ruleDenies):
		return append([]agent.Event{start}, d.calls.Deny(end, s.Output)...)
	}
	if !end.Failed {
		end.Wrote = s.wrote(name)
	}
	return append([]agent.Event{start}, d.calls.End(end, s.Output)...)
}

func (s state) paths() (paths []string) {
	if s.Input.FilePath != "" {
		paths = append(paths, s.Input.FilePath)
	}
	for _, f := range s.Metadata.Files {
		if f.Path != "" {
			paths = append(paths, f.Path)
		}
	}
	return paths
}

// wrote returns the report of the tool that writes a complete file. Other tools only report
// lines.
func (s state) wrote(name string) []toolcalls.Write {
	if name != "write" || s.Input.Content == nil || s.Input.FilePath == "" {
		return nil
	}
	w := toolcalls.Write{Path: s.Input.FilePath, After: toolcalls.TextID([]byte(*s.Input.Content))}
	if s.Metadata.Exists != nil && !*s.Metadata.Exists {
		w.Before = toolcalls.NoText
	}
	return []toolcalls.Write{w}
}
