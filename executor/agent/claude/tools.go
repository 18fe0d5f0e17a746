package claude

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"agentflow/executor/agent"
	"agentflow/executor/agent/checks"
	"agentflow/executor/explain"
	"agentflow/gitwatch/toolcalls"
)

// toolCall describes one call of one of Claude's tools.
type toolCall struct {
	paths   []string // files that it writes
	writes  bool
	private bool // the files are Claude's own
	reads   bool // it changes no file itself
	command toolcalls.Command
	text    string // of the command
	edit    *toolcalls.Edit
	detail  string
	plan    string // the text of a plan
	inFile  string // that holds the plan; empty if unknown
}

// toolInput has the input fields that name the object of a call.
type toolInput struct {
	FilePath     string `json:"file_path"`
	NotebookPath string `json:"notebook_path"`
	Path         string `json:"path"`
	Pattern      string `json:"pattern"`
	Command      string `json:"command"`
	Content      string `json:"content"`
	Description  string `json:"description"`
	URL          string `json:"url"`
	Query        string `json:"query"`
	Skill        string `json:"skill"`
	Background   bool   `json:"run_in_background"`
	OldString    string `json:"old_string"`
	NewString    string `json:"new_string"`
	ReplaceAll   bool   `json:"replace_all"`
	Plan         string `json:"plan"` // the CLI reads it from the file
	PlanFile     string `json:"planFilePath"`
}

// readers lists Claude's tools that change no file themselves. The calls of a subagent are
// reported separately.
var readers = map[string]bool{
	"Read": true, "Glob": true, "Grep": true, "LS": true, "WebFetch": true, "WebSearch": true, "NotebookRead": true,
	"TodoWrite": true, "Agent": true, "Task": true, "BashOutput": true, "TaskOutput": true, "ToolSearch": true,
}

// describe returns a description of a call. No other function knows the names of Claude's
// tools.
func describe(name string, raw json.RawMessage) toolCall {
	var in toolInput
	// A field of an unexpected type does not affect the others.
	_ = json.Unmarshal(raw, &in)
	switch name {
	case "Write":
		call := writing(in.FilePath, &toolcalls.Edit{New: in.Content, Whole: true})
		if explain.IsPlan(filepath.ToSlash(in.FilePath)) {
			call.plan, call.inFile = in.Content, in.FilePath
		}
		return call
	case "Edit":
		return writing(in.FilePath, &toolcalls.Edit{Old: in.OldString, New: in.NewString, All: in.ReplaceAll})
	case "MultiEdit":
		return writing(in.FilePath, nil)
	case "NotebookEdit":
		return writing(in.NotebookPath, nil)
	}
	call := toolCall{reads: readers[name]}
	if name == "ExitPlanMode" {
		call.plan, call.inFile = in.Plan, in.PlanFile
	}
	if name == "Bash" {
		call.command, call.text = toolcalls.Written(in.Command), in.Command
		call.command.Background = call.command.Background || in.Background
	}
	for _, s := range []string{in.Command, in.FilePath, in.NotebookPath, in.Pattern, in.Path, in.URL, in.Query, in.Skill, in.Description} {
		if s != "" {
			first, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
			call.detail = agent.Clip(first, maxDetail)
			break
		}
	}
	return call
}

// maxDetail limits the description of one tool call, in runes.
const maxDetail = 200

func writing(path string, edit *toolcalls.Edit) toolCall {
	call := toolCall{writes: true, private: isPrivate(path), edit: edit, detail: agent.Clip(path, maxDetail)}
	if path != "" {
		call.paths = []string{path}
	}
	return call
}

// isPrivate reports whether a file is private to Claude: a plan, its memory of a project, or a
// file in the scratch folder of a session.
func isPrivate(path string) bool {
	path = filepath.ToSlash(path)
	return strings.Contains(path, "/.claude/plans/") || strings.Contains(path, "/.claude/projects/") || scratch().MatchString(path)
}

var scratch = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`/claude(-[0-9]+)?/[^/]+/[^/]+/scratchpad/`) })

// shell tracks the tool calls of one run or session, and the shell of its Bash calls, which
// keeps its folder from call to call.
type shell struct {
	moved bool            // an earlier call changed the folder
	dir   string          // its current folder, in the form of package checks
	on    map[string]open // calls that have not ended
}

// open is a call that has not ended.
type open struct {
	tool   string
	detail string
	writes bool
	tells  bool             // its output consists only of names that it wrote
	text   string           // of a command
	alone  bool             // a call of a subagent: its commands begin where the agent works
	wrote  *toolcalls.Write // the write according to its input, if its result does not report it
}

// started returns the events of a call's beginning. bare means that results of this call have only text, as
// those of subagents do; a subagent's plan is not the session's.
func (s *shell) started(b block, bare bool) []agent.Event {
	call := describe(b.Name, b.Input)
	names := call.command.Names
	if s.moved {
		names = toolcalls.BelowAny(names)
	}
	s.moved = s.moved || call.command.Moves
	if s.on == nil {
		s.on = map[string]open{}
	}
	now := open{tool: b.Name, detail: call.detail, writes: call.writes, tells: b.Name == "Bash" && !call.command.Lists, text: call.text, alone: bare}
	if bare && call.edit != nil && len(call.paths) > 0 {
		now.wrote = &toolcalls.Write{Path: call.paths[0], Edit: call.edit}
		if call.edit.Whole {
			now.wrote.After = toolcalls.TextID([]byte(call.edit.New))
		}
	}
	s.on[b.ID] = now
	list, _ := checks.Ended(call.text, s.folder(now), "", "")
	var events []agent.Event
	if call.plan != "" && !bare {
		planned := agent.Event{Kind: agent.Planned, Text: agent.ClipBytes(call.plan, 2*agent.MaxMessage)}
		if call.inFile != "" {
			planned.Paths = []string{call.inFile}
		}
		events = append(events, planned)
	}
	return append(events, agent.Event{
		Kind: agent.ToolStarted, Tool: b.Name, Call: b.ID, Paths: call.paths, Writes: call.writes, Private: call.private, Reads: call.reads, Detail: call.detail,
		Names: names, NamesIn: call.text, Git: call.command.Git, Background: call.command.Background, Checks: list,
	})
}

// ended returns a call's last event. The line of b also has the tool's result, and the agent's
// time.
func (s *shell) ended(b block, l streamLine) agent.Event {
	ev := agent.Event{Kind: agent.ToolEnded, Call: b.ToolUseID, Failed: b.IsError}
	if at, err := time.Parse(time.RFC3339, l.Timestamp); err == nil {
		ev.Time = at.Add(time.Millisecond) // the time is truncated to whole milliseconds
	}
	call := s.on[b.ToolUseID]
	delete(s.on, b.ToolUseID)
	if call.tells {
		for _, text := range blocksOf(b.Content) {
			ev.Names = append(ev.Names, s.placed(toolcalls.WrittenIn(text.Text))...)
			ev.NamesIn += text.Text + "\n"
		}
	}
	if call.text != "" {
		ev.Checks = s.checksOf(call, b, l)
	}
	if ev.Wrote = wrote(l.ToolResult); ev.Wrote == nil && call.wrote != nil && !b.IsError {
		if strings.HasPrefix(textOf(b.Content), "File created successfully at: ") {
			call.wrote.Before = toolcalls.NoText
		}
		ev.Wrote = []toolcalls.Write{*call.wrote}
	}
	return ev
}

// checksOf returns the checks of a shell command with the result b. The CLI reports when it
// resets the shell to the project's folder.
func (s *shell) checksOf(call open, b block, l streamLine) []checks.Check {
	output := strings.TrimSpace(textOf(b.Content))
	list, dir := checks.Ended(call.text, s.folder(call), exitOf(b, l, output), exitLine().ReplaceAllString(output, ""))
	switch {
	case call.alone:
	case strings.Contains(output, "Shell cwd was reset to "):
		s.dir = ""
	default:
		s.dir = dir
	}
	return list
}

// folder returns the folder in which a command begins.
func (s *shell) folder(call open) string {
	if call.alone {
		return ""
	}
	return s.dir
}

// exitLine matches the first line of a failed command's output, which the CLI adds.
var exitLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^Exit code (\d+)\s*\n?`) })

// exitOf returns how a shell command ended. If the CLI or the user put the command into the
// background, its result is not its end.
func exitOf(b block, l streamLine, output string) checks.End {
	var result struct {
		Task        string `json:"backgroundTaskId"`
		Interrupted bool   `json:"interrupted"`
		Meaning     string `json:"returnCodeInterpretation"` // of a status that is not an error
	}
	_ = json.Unmarshal(l.ToolResult, &result) // for a failed command it is a text
	m := exitLine().FindStringSubmatch(output)
	switch {
	case b.IsError && m != nil:
		status, err := strconv.Atoi(m[1])
		if err != nil || status == 0 {
			return ""
		}
		return checks.OfExit(status)
	case b.IsError, result.Task != "", result.Interrupted, result.Meaning != "", backgrounded().MatchString(output):
		return ""
	}
	return checks.Passed
}

// backgrounded matches the result of a command that has not ended, or was aborted. The file of
// a subagent has no other sign of that.
var backgrounded = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^Command (running in background with|was manually backgrounded by) |<error>Command was aborted`)
})

// placed returns the names with a known location: once the shell has changed its folder, only
// the absolute ones.
func (s *shell) placed(names []string) []string {
	return slices.DeleteFunc(names, func(name string) bool { return s.moved && !filepath.IsAbs(name) })
}

// fileResult is the result of a file tool. As of CLI 2.1.197 it has the text before, for Write
// also the text after, and for Edit the replaced strings. The CLI's file of a session leaves out a
// text before of more than 10,000 characters.
type fileResult struct {
	FilePath     string                    `json:"filePath"`
	OriginalFile lenient[*string]          `json:"originalFile"`
	Content      *string                   `json:"content"`
	OldString    *string                   `json:"oldString"`
	NewString    string                    `json:"newString"`
	ReplaceAll   bool                      `json:"replaceAll"`
	Patch        lenient[[]toolcalls.Hunk] `json:"structuredPatch"`
	Type         lenient[string]           `json:"type"`         // of Write: create, update
	UserModified bool                      `json:"userModified"` // the person changed the edit before it was made
}

// lenient is a value that the result may leave out. In JSON of another type it is empty, and the
// other fields are read.
type lenient[T any] struct{ value T }

// UnmarshalJSON never fails.
func (l *lenient[T]) UnmarshalJSON(raw []byte) error {
	var v T
	if json.Unmarshal(raw, &v) == nil {
		l.value = v
	}
	return nil
}

// wrote decodes the result of a file tool. It returns nil for other results.
func wrote(raw json.RawMessage) []toolcalls.Write {
	var w fileResult
	if json.Unmarshal(raw, &w) != nil || w.FilePath == "" || w.Content == nil && w.OldString == nil {
		return nil
	}
	out := toolcalls.Write{Path: w.FilePath, Edit: w.edit()}
	original := w.OriginalFile.value
	switch {
	case original != nil:
		out.Before = toolcalls.TextID([]byte(*original))
	case w.Type.value == "create":
		out.Before = toolcalls.NoText
	}
	switch {
	case w.Content != nil:
		out.After = toolcalls.TextID([]byte(*w.Content))
	case original != nil:
		if after, ok := out.Edit.Apply(*original); ok {
			out.After = toolcalls.TextID([]byte(after))
		}
	}
	if w.UserModified {
		out.After, out.Edit = "", nil // not all of it is the agent's
	}
	return []toolcalls.Write{out}
}

func (w fileResult) edit() *toolcalls.Edit {
	if w.Content != nil {
		return &toolcalls.Edit{New: *w.Content, Whole: true, Patch: w.Patch.value}
	}
	return &toolcalls.Edit{Old: *w.OldString, New: w.NewString, All: w.ReplaceAll, Patch: w.Patch.value}
}
