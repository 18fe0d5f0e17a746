package hook

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"agentflow/app/session"
)

// input is the input of a hook of Claude Code 2.1 or Codex 0.169, with the fields that are used
// here (code.claude.com/docs/en/hooks).
type input struct {
	Event      string `json:"hook_event_name"`
	Session    string `json:"session_id"`
	Transcript string `json:"transcript_path"`
	Dir        string `json:"cwd"`
	Source     string `json:"source"` // of SessionStart: startup, resume, clear or compact
	Prompt     string `json:"prompt"`
	Said       string `json:"last_assistant_message"`
	SubagentID string `json:"agent_id"`
}

// moments maps the names of hooks' events to moments.
var moments = map[string]session.Moment{
	"SessionStart":     session.SessionStarted,
	"UserPromptSubmit": session.SessionAsked,
	"Stop":             session.SessionStopped,
	"StopFailure":      session.SessionFailed,
	"SubagentStop":     session.SessionBeside,
	"PreCompact":       session.SessionCompacts,
	"PostCompact":      session.Compacted,
	"SessionEnd":       session.SessionEnded,
}

// readInput reads a hook's input. It reads everything, because the agent waits for that.
func readInput(r io.Reader) (in input, err error) {
	data, err := io.ReadAll(io.LimitReader(r, maxInput))
	if err == nil {
		_, err = io.Copy(io.Discard, r)
	}
	if err == nil {
		err = json.Unmarshal(data, &in)
	}
	if err == nil && (in.Session == "" || !filepath.IsAbs(in.Dir)) {
		err = fmt.Errorf("no session or folder in it")
	}
	return in, err
}

// event returns the session's event for a hook's input. It returns false for an unknown event,
// or one without an effect.
func (in input) event(agentName string, at time.Time) (session.Event, bool) {
	moment, known := moments[in.Event]
	ev := session.Event{Agent: agentName, Session: in.Session, Moment: moment, At: at, Prompt: in.Prompt, Tools: true}
	if filepath.IsAbs(in.Transcript) {
		ev.Transcript = in.Transcript
	}
	if moment == session.SessionStopped {
		ev.Said = in.Said
	}
	if strings.HasPrefix(in.Prompt, taskEnded) {
		ev.Prompt = ""
	}
	ev.Forgot = in.Source == "compact" || in.Source == "clear"
	return ev, known && moment != session.SessionBeside
}

// taskEnded is the start of a prompt that the Claude CLI sends to the model when a background
// task has ended. UserPromptSubmit runs for that too, although no user asks for memory about
// it.
const taskEnded = "<task-notification>"

// output is a hook's answer.
type output struct {
	Message  string    `json:"systemMessage,omitempty"`
	Specific *specific `json:"hookSpecificOutput,omitempty"`
}

type specific struct {
	Event   string `json:"hookEventName"`
	Context string `json:"additionalContext"`
}
