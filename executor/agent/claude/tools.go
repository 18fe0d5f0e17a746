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
	"agentflow/gitwatch/calls"
)

// toolCall describes one call of one of Claude's tools.
type toolCall struct {
	paths   []string // files that it writes
	writes  bool
	private bool // the files are Claude's own
	reads   bool // it changes no file itself
	command calls.Command
	text    string // of the command
	content string // that it writes
	detail  string
}

// toolInput holds the input fields that name the object of a call.
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
}

// readers are Claude's tools that change no file themselves. A subagent's
// own calls are reported one by one.
var readers = map[string]bool{
	"Read": true, "Glob": true, "Grep": true, "LS": true, "WebFetch": true, "WebSearch": true, "NotebookRead": true,
	"TodoWrite": true, "Agent": true, "Task": true, "BashOutput": true, "TaskOutput": true, "ToolSearch": true,
}

// describe is the one place that knows the names of Claude's tools.
func describe(name string, raw json.RawMessage) toolCall {
	var in toolInput
	// A field of another type leaves the others readable.
	_ = json.Unmarshal(raw, &in)
	switch name {
	case "Write", "Edit", "MultiEdit":
		return writing(in.FilePath, in.Content)
	case "NotebookEdit":
		return writing(in.NotebookPath, "")
	}
	call := toolCall{reads: readers[name]}
	if name == "Bash" {
		call.command, call.text = calls.Written(in.Command), in.Command
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

// maxDetail bounds, in runes, the description of one tool call.
const maxDetail = 200

func writing(path, content string) toolCall {
	call := toolCall{writes: true, private: isPrivate(path), content: content, detail: agent.Clip(path, maxDetail)}
	if path != "" {
		call.paths = []string{path}
	}
	return call
}

// isPrivate says whether Claude keeps a file for itself: a plan, its own memory of a
// project, or a file in the scratch folder of a session.
func isPrivate(path string) bool {
	path = filepath.ToSlash(path)
	return strings.Contains(path, "/.claude/plans/") || strings.Contains(path, "/.claude/projects/") || scratch().MatchString(path)
}

var scratch = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`/claude(-[0-9]+)?/[^/]+/[^/]+/scratchpad/`) })

// shell follows the tool calls of one run or session, and the shell of its Bash calls,
// which keeps its folder from call to call.
type shell struct {
	moved bool            // an earlier call changed the folder
	dir   string          // where it is now, as checks has it
	on    map[string]open // calls that have not ended
}

// open is a call that has not ended.
type open struct {
	tool   string
	detail string
	writes bool
	tells  bool         // what it prints are only names that it wrote
	text   string       // of a command
	alone  bool         // a subagent's, whose commands begin where the agent works
	wrote  *calls.Write // what its input says that it writes, where its result does not tell
}

// started is a call's first event. bare: results of this call's agent hold
// nothing but text, as those of subagents.
func (s *shell) started(b block, bare bool) agent.Event {
	call := describe(b.Name, b.Input)
	names := call.command.Names
	if s.moved {
		names = calls.BelowAny(names)
	}
	s.moved = s.moved || call.command.Moves
	if s.on == nil {
		s.on = map[string]open{}
	}
	now := open{tool: b.Name, detail: call.detail, writes: call.writes, tells: b.Name == "Bash" && !call.command.Lists, text: call.text, alone: bare}
	if bare && b.Name == "Write" && len(call.paths) > 0 {
		now.wrote = &calls.Write{Path: call.paths[0], After: calls.TextID([]byte(call.content))}
	}
	s.on[b.ID] = now
	list, _ := checks.Ended(call.text, s.folder(now), "", "")
	return agent.Event{
		Kind: agent.ToolStarted, Tool: b.Name, Call: b.ID, Paths: call.paths, Writes: call.writes, Private: call.private, Reads: call.reads, Detail: call.detail,
		Names: names, NamesIn: call.text, Git: call.command.Git, Background: call.command.Background, Checks: list,
	}
}

// ended is a call's last event: a block of a line that has the tool's own
// result beside it, and the agent's time.
func (s *shell) ended(b block, l streamLine) agent.Event {
	ev := agent.Event{Kind: agent.ToolEnded, Call: b.ToolUseID, Failed: b.IsError}
	if at, err := time.Parse(time.RFC3339, l.Timestamp); err == nil {
		ev.Time = at.Add(time.Millisecond) // it is cut to a whole one
	}
	call := s.on[b.ToolUseID]
	delete(s.on, b.ToolUseID)
	if call.tells {
		for _, text := range blocksOf(b.Content) {
			ev.Names = append(ev.Names, s.placed(calls.WrittenIn(text.Text))...)
			ev.NamesIn += text.Text + "\n"
		}
	}
	if call.text != "" {
		ev.Checks = s.checksOf(call, b, l)
	}
	if ev.Wrote = wrote(l.ToolResult); ev.Wrote == nil && call.wrote != nil && !b.IsError {
		if strings.HasPrefix(textOf(b.Content), "File created successfully at: ") {
			call.wrote.Before = calls.NoText
		}
		ev.Wrote = []calls.Write{*call.wrote}
	}
	return ev
}

// checksOf are the checks of a shell command, whose result is b. The CLI says when it takes
// the shell back to the project.
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

// folder is where a command begins.
func (s *shell) folder(call open) string {
	if call.alone {
		return ""
	}
	return s.dir
}

// exitLine is the line with which the CLI begins the output of a command that failed.
var exitLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^Exit code (\d+)\s*\n?`) })

// exitOf says how a shell command ended. The result of one that the CLI or the user put into
// the background is not its end.
func exitOf(b block, l streamLine, output string) checks.End {
	var result struct {
		Task        string `json:"backgroundTaskId"`
		Interrupted bool   `json:"interrupted"`
		Meaning     string `json:"returnCodeInterpretation"` // of a status that is no error
	}
	_ = json.Unmarshal(l.ToolResult, &result) // of a command that failed it is a text
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

// backgrounded matches the result of a command that has not ended, or was ended. The file
// of a subagent has no other sign of that.
var backgrounded = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^Command (running in background with|was manually backgrounded by) |<error>Command was aborted`)
})

// placed are the names of which it is known where they are: once the shell has
// changed its folder, the absolute ones.
func (s *shell) placed(names []string) []string {
	return slices.DeleteFunc(names, func(name string) bool { return s.moved && !filepath.IsAbs(name) })
}

// fileResult is the result of a file tool: as of CLI 2.1.197 it holds the text before, and of Write the text after, of Edit the
// strings.
type fileResult struct {
	FilePath     string  `json:"filePath"`
	OriginalFile *string `json:"originalFile"`
	Content      *string `json:"content"`
	OldString    *string `json:"oldString"`
	NewString    *string `json:"newString"`
	ReplaceAll   bool    `json:"replaceAll"`
	Type         string  `json:"type"` // of Write: create, update
}

// wrote reads the result of a file tool; nil when it is none.
func wrote(raw json.RawMessage) []calls.Write {
	var w fileResult
	if json.Unmarshal(raw, &w) != nil || w.FilePath == "" || w.Content == nil && w.OldString == nil {
		return nil
	}
	out := calls.Write{Path: w.FilePath}
	switch {
	case w.OriginalFile != nil:
		out.Before = calls.TextID([]byte(*w.OriginalFile))
	case w.Type == "create":
		out.Before = calls.NoText
	}
	switch {
	case w.Content != nil:
		out.After = calls.TextID([]byte(*w.Content))
	case w.OriginalFile != nil && w.NewString != nil:
		times := 1
		if w.ReplaceAll {
			times = -1
		}
		out.After = calls.TextID([]byte(strings.Replace(*w.OriginalFile, *w.OldString, *w.NewString, times)))
	}
	return []calls.Write{out}
}
