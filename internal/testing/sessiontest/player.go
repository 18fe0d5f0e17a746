// Package sessiontest plays sessions of the Claude CLI: it runs the hooks that
// the CLI would run, writes the CLI's transcript of the session, and does the
// given acts of the agent. testdata/claude/transcripts has recordings of the
// real CLI.
package sessiontest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"agentflow/internal/testing/labtest"

	"github.com/google/uuid"
)

// Player plays one process of the CLI with a session.
type Player struct {
	*labtest.Lab
	// Hook runs a hook and returns its output. env holds the variables that the
	// CLI adds to the environment.
	Hook func(env []string, stdin []byte) []byte
	ID   string // of the session
	Dir  string // where it was started; absolute
	// Lag delays the lines of the file until this time after the hook at the
	// end of a turn has begun.
	Lag time.Duration
	// Skew is how far the clock of the CLI is ahead in the lines of its file.
	Skew time.Duration
	// Moved is the current path of the transcript; empty if it was not moved.
	Moved string
	// Greeting is what the last Start showed the user.
	Greeting string

	held  []byte // lines that are not yet in the file
	calls int
}

// New returns a player with a session that is not started.
func New(l *labtest.Lab, hook func(env []string, stdin []byte) []byte) *Player {
	return &Player{Lab: l, Hook: hook, ID: uuid.NewString(), Dir: l.Repo}
}

// Transcript returns the path of the CLI's file of the session.
func (p *Player) Transcript() string {
	return cmp.Or(p.Moved, filepath.Join(p.Home, ".claude", "projects", "project", p.ID+".jsonl"))
}

// envFile returns the path of the shell lines that run before each command.
func (p *Player) envFile() string { return filepath.Join(p.Home, ".claude", "session-env", p.ID+".sh") }

// Traces reports whether the hook at the start made git trace the agent's
// commands.
func (p *Player) Traces() bool {
	info, err := os.Lstat(p.envFile())
	return err == nil && info.Size() > 0 // a killed hook may have left it empty
}

// answer is the output of a hook.
type answer struct {
	Message  string `json:"systemMessage"`
	Specific struct {
		Context string `json:"additionalContext"`
	} `json:"hookSpecificOutput"`
}

// Input returns the input that the CLI gives a hook.
func (p *Player) Input(event string, fields map[string]any) []byte {
	p.T.Helper()
	in := map[string]any{"session_id": p.ID, "transcript_path": p.Transcript(), "cwd": p.Dir, "hook_event_name": event}
	for name, value := range fields {
		in[name] = value
	}
	stdin, err := json.Marshal(in)
	must(p.T, err)
	return stdin
}

// hook runs one hook with additional fields in its input.
func (p *Player) hook(event string, fields map[string]any) (context, message string) {
	p.T.Helper()
	env := []string{"CLAUDE_PROJECT_DIR=" + p.Dir, "CLAUDECODE=1", "CLAUDE_CODE_SESSION_ID=" + p.ID}
	if event == "SessionStart" {
		must(p.T, os.MkdirAll(filepath.Dir(p.envFile()), 0o700))
		env = append(env, "CLAUDE_ENV_FILE="+p.envFile())
	}
	out := p.Hook(env, p.Input(event, fields))
	var a answer
	if len(out) > 0 {
		if err := json.Unmarshal(out, &a); err != nil {
			p.T.Errorf("the %s hook printed %q", event, out)
		}
	}
	return a.Specific.Context, a.Message
}

// Start begins or continues the session: source is startup, resume, clear or
// compact.
func (p *Player) Start(source string) (context string) {
	p.T.Helper()
	context, p.Greeting = p.hook("SessionStart", map[string]any{"source": source})
	return context
}

// Turn plays one prompt and the acts of the agent, which must end with Say.
func (p *Player) Turn(prompt string, acts ...Act) (context, message string) {
	p.T.Helper()
	context, message = p.Ask(prompt, acts...)
	p.Stop()
	return context, message
}

// Ask is Turn without the end of the turn.
func (p *Player) Ask(prompt string, acts ...Act) (context, message string) {
	p.T.Helper()
	context, message = p.hook("UserPromptSubmit", map[string]any{"prompt": prompt, "permission_mode": "acceptEdits"})
	p.line(map[string]any{"type": "user", "permissionMode": "acceptEdits", "message": map[string]any{"role": "user", "content": prompt}})
	for _, act := range acts {
		act(p)
	}
	return context, message
}

// Stop ends a turn.
func (p *Player) Stop() {
	p.T.Helper()
	last := p.lastSaid()
	if p.Lag == 0 {
		p.flush()
		p.hook("Stop", map[string]any{"last_assistant_message": last, "stop_hook_active": false})
		return
	}
	written := make(chan struct{})
	time.AfterFunc(p.Lag, func() {
		defer close(written)
		p.flush()
	})
	p.hook("Stop", map[string]any{"last_assistant_message": last, "stop_hook_active": false})
	<-written
}

// Compact plays /compact.
func (p *Player) Compact() (context string) {
	p.T.Helper()
	p.hook("PreCompact", map[string]any{"trigger": "manual"})
	context = p.Start("compact")
	p.hook("PostCompact", map[string]any{"trigger": "manual", "compact_summary": "what was said"})
	return context
}

// End plays the end of the session: reason is clear, logout, prompt_input_exit
// or other.
func (p *Player) End(reason string) {
	p.T.Helper()
	p.flush()
	p.hook("SessionEnd", map[string]any{"reason": reason})
}

// Clear plays /clear: another session begins.
func (p *Player) Clear() (context string) {
	p.T.Helper()
	p.End("clear")
	p.ID = uuid.NewString()
	return p.Start("clear")
}

// Fork plays --fork-session: the hook at the start gets the old id, and the new
// file begins with the lines of the old one, dated a minute earlier.
func (p *Player) Fork() {
	p.T.Helper()
	p.Start("resume")
	old, err := os.ReadFile(p.Transcript())
	must(p.T, err)
	before := p.ID
	p.ID = uuid.NewString()
	text := strings.ReplaceAll(string(old), before, p.ID)
	text = timestamp.ReplaceAllStringFunc(text, func(s string) string {
		at, err := time.Parse(stampForm, s)
		must(p.T, err)
		return at.Add(-time.Minute).Format(stampForm)
	})
	must(p.T, os.WriteFile(p.Transcript(), []byte(text), 0o600))
}

// stampForm is the form of the times of lines.
const stampForm = `"timestamp":"2006-01-02T15:04:05.000Z"`

var timestamp = regexp.MustCompile(`"timestamp":"[^"]*"`)

// Act is an action of the agent.
type Act func(p *Player)

// Say lets the agent say a text. It first waits 15 ms, because no model answers
// faster than the clock of the file system advances, which separates earlier
// changes from later ones.
func Say(text string) Act {
	return func(p *Player) {
		for began := time.Now(); time.Since(began) < 15*time.Millisecond; {
			runtime.Gosched()
		}
		p.said(map[string]any{"type": "text", "text": text})
	}
}

// Write lets the agent write a file with its tool. For name see Lab.Path.
func Write(name, text string) Act {
	return func(p *Player) {
		path := p.Path(name)
		call := p.call("Write", map[string]any{"file_path": path, "content": text})
		result := map[string]any{"type": "create", "filePath": path, "content": text, "originalFile": nil, "structuredPatch": []any{}}
		if old, err := os.ReadFile(path); err == nil {
			result["type"], result["originalFile"], result["structuredPatch"] = "update", original(string(old)), patch(string(old), text)
		}
		p.Write(name, text)
		p.result(call, "File written", false, result)
	}
}

// Edit lets the agent replace a text in a file with its tool.
func Edit(name, old, text string) Act { return edit(name, old, text, false) }

// EditAll is Edit for all occurrences.
func EditAll(name, old, text string) Act { return edit(name, old, text, true) }

func edit(name, old, text string, all bool) Act {
	return func(p *Player) {
		p.T.Helper()
		path := p.Path(name)
		call := p.call("Edit", map[string]any{"file_path": path, "old_string": old, "new_string": text, "replace_all": all})
		before := strings.ReplaceAll(p.Read(name), "\r\n", "\n")
		n := strings.Count(before, old)
		if n == 0 || n > 1 && !all {
			p.T.Fatalf("%s holds %q %d times", name, old, n)
		}
		after := strings.ReplaceAll(before, old, text)
		p.Write(name, strings.ReplaceAll(after, "\n", ending(p.Read(name))))
		p.result(call, "The file was updated", false, map[string]any{
			"filePath": path, "oldString": old, "newString": text, "replaceAll": all, "originalFile": original(before), "structuredPatch": patch(before, after), "userModified": false,
		})
	}
}

// ending returns how the lines of a text end.
func ending(text string) string {
	if strings.Contains(text, "\r\n") {
		return "\r\n"
	}
	return "\n"
}

// maxOriginal limits the text before a change that the CLI writes into its file, in characters.
const maxOriginal = 10000

func original(text string) any {
	if len(text) > maxOriginal {
		return nil
	}
	return text
}

// patch describes a change by one hunk without context.
func patch(before, after string) []any {
	was, is := slices.Collect(strings.Lines(before)), slices.Collect(strings.Lines(after))
	same := 0
	for same < min(len(was), len(is)) && was[same] == is[same] {
		same++
	}
	was, is = was[same:], is[same:]
	for len(was) > 0 && len(is) > 0 && was[len(was)-1] == is[len(is)-1] {
		was, is = was[:len(was)-1], is[:len(is)-1]
	}
	var lines []string
	add := func(sign string, list []string) {
		for _, line := range list {
			text := strings.TrimLeft(strings.TrimSuffix(line, "\n"), "\t")
			tabs := len(line) - len(strings.TrimLeft(line, "\t"))
			lines = append(lines, sign+strings.Repeat("  ", tabs)+text)
		}
	}
	add("-", was)
	add("+", is)
	return []any{map[string]any{"oldStart": same + 1, "oldLines": len(was), "newStart": same + 1, "newLines": len(is), "lines": lines}}
}

// Run lets the agent run a shell command with its Bash tool.
func Run(command string) Act { return RunDuring(command, func() {}) }

// RunDuring is Run, and calls meanwhile before the command ends.
func RunDuring(command string, meanwhile func()) Act {
	return func(p *Player) {
		call := p.call("Bash", map[string]any{"command": command, "description": "Work"})
		meanwhile()
		cmd := exec.Command("sh", "-c", fmt.Sprintf("[ ! -f '%[1]s' ] || . '%[1]s'\n%[2]s", p.envFile(), command))
		cmd.Dir, cmd.Env = p.Dir, p.Env
		out, err := cmd.CombinedOutput()
		text := string(out)
		if err != nil {
			text = "Exit code 1\n" + text
		}
		p.result(call, text, err != nil, map[string]any{"stdout": string(out), "stderr": "", "interrupted": false})
	}
}

// Commit lets the agent commit files.
func Commit(message string, names ...string) Act {
	return Run(fmt.Sprintf("git add -- %s && git commit -q -m '%s' -- %[1]s", strings.Join(names, " "), message))
}

// Denied lets the agent request a tool that the user refuses.
func Denied(tool string, input map[string]any) Act {
	return DeniedSaying(tool, input, "")
}

// DeniedSaying is Denied with the user's instructions; empty means none.
func DeniedSaying(tool string, input map[string]any, words string) Act {
	return func(p *Player) {
		text := "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). "
		if words == "" {
			text += "STOP what you are doing and wait for the user to tell you how to proceed."
		} else {
			text += "To tell you how to proceed, the user said:\n" + words
		}
		p.result(p.call(tool, input), text, true, "Error: "+text)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
