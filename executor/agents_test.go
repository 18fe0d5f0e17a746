package executor

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"agentflow/executor/agent"
	"agentflow/executor/agent/codex"
	"agentflow/executor/agent/gemini"
	"agentflow/executor/agent/opencode"
	"agentflow/executor/supervise"
	"agentflow/memory"
)

// TestOutcomeOfOtherAgents replays the output of the real programs, with their exit codes: the
// outcome follows from the events in it.
func TestOutcomeOfOtherAgents(t *testing.T) {
	for _, c := range []struct {
		recording string
		exit      int
		outcome   memory.Outcome
		cause     agent.Cause
		denials   []string
	}{
		{"codex/edit-and-commit", 0, memory.OutcomeOK, "", nil},
		{"codex/denied", 0, memory.OutcomeFailed, agent.CauseDenied, []string{"apply_patch: writing is blocked by read-only sandbox"}},
		{"codex/unknown-session", 1, memory.OutcomeFailed, agent.CauseSession, nil},
		{"codex/api-401", 1, memory.OutcomeFailed, agent.CauseLogin, nil},
		{"codex/api-500", 1, memory.OutcomeFailed, agent.CauseUnavailable, nil},
		{"gemini/edit-and-commit", 0, memory.OutcomeOK, "", nil},
		{"gemini/denied", 0, memory.OutcomeFailed, agent.CauseDenied, []string{"write_file /home/dev/project/a.txt", "run_shell_command touch b.txt"}},
		{"gemini/api-401", 145, memory.OutcomeFailed, agent.CauseLogin, nil},
		{"gemini/unknown-session", 42, memory.OutcomeFailed, agent.CauseSession, nil},
		{"gemini/untrusted", 55, memory.OutcomeFailed, "", nil},
		{"opencode/edit-and-commit", 0, memory.OutcomeOK, "", nil},
		{"opencode/asked", 0, memory.OutcomeFailed, agent.CauseDenied, []string{"write /home/dev/project/a.txt"}},
		{"opencode/denied", 0, memory.OutcomeFailed, agent.CauseDenied, []string{"write", "bash"}},
		{"opencode/partly-denied", 0, memory.OutcomeOK, "", []string{"write /opt/agentflow-outside.txt", "bash touch b.txt"}},
		{"opencode/api-401", 1, memory.OutcomeFailed, agent.CauseLogin, nil},
		{"opencode/unknown-session", 1, memory.OutcomeFailed, agent.CauseSession, nil},
	} {
		t.Run(c.recording, func(t *testing.T) {
			rec := newLab(t).run(t, Request{Task: "Play it", Agent: played(t, c.recording, c.exit)})
			if rec.Outcome != c.outcome || rec.Cause != c.cause || !slices.Equal(rec.Entry.Denials, c.denials) {
				t.Errorf("outcome %q, cause %q, denials %q, errors %q", rec.Outcome, rec.Cause, rec.Entry.Denials, rec.Entry.Errors)
			}
		})
	}
}

// played returns an agent with a program that prints a recording.
func played(t *testing.T, recording string, exit int) agent.Agent {
	t.Helper()
	base, err := filepath.Abs(filepath.Join("..", "testdata", filepath.FromSlash(recording)))
	if err != nil {
		t.Fatal(err)
	}
	script := fmt.Sprintf("cat >/dev/null; cat '%s.jsonl' 2>/dev/null; cat '%s.stderr' >&2 2>/dev/null; exit %d", base, base, exit)
	argv := []string{"sh", "-c", script, "played"}
	name, _, _ := strings.Cut(recording, "/")
	return map[string]func(...string) agent.Agent{"codex": codex.New, "gemini": gemini.New, "opencode": opencode.New}[name](argv...)
}

// withSettings is an agent that takes a variable.
type withSettings struct{ agent.Agent }

func (a withSettings) Command(req agent.Request) (agent.Command, error) {
	cmd, err := a.Agent.Command(req)
	cmd.Env = []string{"ADDED=by the agent"}
	return cmd, err
}

// TestAgentGetsItsSettings: an agent's own variables reach it, and win.
func TestAgentGetsItsSettings(t *testing.T) {
	l := newLab(t)
	l.deps.Env = append(os.Environ(), "ADDED=before")
	rec := l.run(t, Request{Task: "Look", Agent: withSettings{sh(t, `echo "$ADDED"`)}})
	if want := "by the agent"; rec.Entry.Summary != want {
		t.Errorf("the agent saw %q, want %q", rec.Entry.Summary, want)
	}
}

// TestTriesAreNoActivity: an agent that only tries again, for ever, is silent.
func TestTriesAreNoActivity(t *testing.T) {
	begin := time.Now().Add(-time.Hour)
	for _, c := range []struct {
		name   string
		events []agent.Event
		alive  bool
	}{
		{"another try", []agent.Event{{Kind: agent.Retry}}, false},
		{"two", []agent.Event{{Kind: agent.Retry}, {Kind: agent.Retry}}, false},
		{"something beside it", []agent.Event{{Kind: agent.Retry}, {Kind: agent.Activity}}, true},
		{"part of a line", nil, true},
	} {
		s := &supervise.Supervisor{Dog: supervise.NewWatchdog(supervise.Limits{Idle: time.Minute}, begin)}
		s.NoteOutput(c.events)
		if alive := !s.Dog.LastOutput.Equal(begin); alive != c.alive {
			t.Errorf("%s: alive %v", c.name, alive)
		}
	}
}
