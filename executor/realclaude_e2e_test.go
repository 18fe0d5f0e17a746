//go:build e2e

package executor

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentflow/executor/agent"
	"agentflow/executor/agent/claude"
	"agentflow/executor/supervise"
	"agentflow/gitwatch/toolcalls"
	"agentflow/internal/proc"
	"agentflow/internal/testing/modeltest"
	"agentflow/memory"
)

// realClaude prepares a lab for the real CLI against a scripted server.
func realClaude(t *testing.T, turns ...modeltest.Turn) (*lab, *modeltest.Server, agent.Agent) {
	t.Helper()
	cli := os.Getenv("CLAUDE_CLI")
	if cli == "" {
		t.Fatal("CLAUDE_CLI must name the Claude CLI")
	}
	server := modeltest.New(t, modeltest.Script{Main: turns})
	l := newLab(t)
	l.deps.Env = append([]string{"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH")}, server.Claude()...)
	return l, server, claude.New(cli)
}

type input = map[string]any

func TestRealClaudeWritesAndRemembers(t *testing.T) {
	l, server, claude := realClaude(t,
		modeltest.Say("Writing.").Use("Write", input{"file_path": "a.txt", "content": "FACT{in a file}\n"}),
		modeltest.Say("Wrote it. FACT{said}"),
	)
	work := &fakeWork{}
	l.deps.Work = work
	rec := l.run(t, Request{Task: "write it\n", Agent: claude, Permission: "acceptEdits", AllowedTools: []string{"Bash(git *)"}, MaxCostUSD: 5})
	e := rec.Entry
	if rec.Outcome != memory.OutcomeOK || e.Session == "" || e.Model == "" || e.Result.Turns == 0 || e.Result.CostUSD == 0 {
		t.Errorf("outcome %q, entry %+v, result %+v", rec.Outcome, e, e.Result)
	}
	if len(e.Facts) != 1 || e.Facts[0].Text != "said" || l.out.String() != "Wrote it. FACT{said}\n" {
		t.Errorf("facts %+v, output %q", e.Facts, l.out)
	}
	// The CLI reports the content that it found and the content that it left.
	wrote := work.evidence.Calls[0].Wrote
	if len(wrote) != 1 || wrote[0].Before != toolcalls.NoText || wrote[0].After != toolcalls.TextID([]byte("FACT{in a file}\n")) {
		t.Errorf("wrote %+v", work.evidence.Calls)
	}
	if _, err := os.Stat(filepath.Join(l.deps.WorkTree, "a.txt")); err != nil {
		t.Error(err)
	}
	if got := server.Requests(modeltest.Main); len(got) != 2 {
		t.Errorf("%d requests", len(got))
	}
	// A second run continues the session of the first.
	l2, _, again := realClaude(t, modeltest.Say("Going on."))
	l2.deps.Env = append(l2.deps.Env, "HOME="+proc.Variable(l.deps.Env, "HOME"))
	l2.deps.WorkTree = l.deps.WorkTree
	if rec := l2.run(t, Request{Task: "go on", Agent: again, Resume: e.Session}); rec.Outcome != memory.OutcomeOK || rec.Entry.Summary != "Going on." {
		t.Errorf("resumed: %q, errors %q", rec.Outcome, rec.Entry.Errors)
	}
}

func TestRealClaudeDenied(t *testing.T) {
	l, _, claude := realClaude(t,
		modeltest.Use("Write", input{"file_path": "a.txt", "content": "a\n"}), modeltest.Say("I could not."))
	rec := l.run(t, Request{Task: "write it", Agent: claude, Permission: "default"})
	if rec.Outcome != memory.OutcomeFailed || len(rec.Entry.Denials) != 1 || rec.ExitCode != 0 {
		t.Errorf("outcome %q, denials %q, exit code %d", rec.Outcome, rec.Entry.Denials, rec.ExitCode)
	}
}

func TestRealClaudeInterrupted(t *testing.T) {
	l, _, claude := realClaude(t,
		modeltest.Use("Bash", input{"command": "nohup sleep 1003 >/dev/null 2>&1 & sleep 0.2"}), modeltest.Silence())
	ctx, cancel := context.WithCancelCause(t.Context())
	l.deps.Sink = func(ev agent.Event) {
		if ev.Kind == agent.ToolEnded {
			cancel(supervise.Interrupt{Signal: os.Interrupt})
		}
	}
	rec, err := Run(ctx, l.deps, Request{Task: "x", Agent: claude, Permission: "acceptEdits", AllowedTools: []string{"Bash"}})
	if err != nil {
		t.Fatal(err)
	}
	if rec.Outcome != memory.OutcomeInterrupted || len(rec.Entry.Errors) != 1 {
		t.Errorf("outcome %q, errors %q", rec.Outcome, rec.Entry.Errors)
	}
	if !strings.Contains(strings.Join(rec.Entry.Remarks, "\n"), "sleep 1003") || proc.Alive(rec.Entry.ID) {
		t.Errorf("remarks %q", rec.Entry.Remarks)
	}
}

func TestRealClaudeSilent(t *testing.T) {
	l, _, claude := realClaude(t, modeltest.Silence())
	rec := l.run(t, Request{Task: "x", Agent: claude, IdleTimeout: 4 * time.Second})
	if rec.Outcome != memory.OutcomeTimeout || !strings.Contains(rec.Entry.Errors[0], "silent for 4s") {
		t.Errorf("outcome %q, errors %q", rec.Outcome, rec.Entry.Errors)
	}
}

// TestRealClaudeTellsWhatItWrote lets the real CLI edit a file and run a command, and checks
// the evidence of that.
func TestRealClaudeTellsWhatItWrote(t *testing.T) {
	l, _, claude := realClaude(t,
		modeltest.Say("Reading.").Use("Read", input{"file_path": "old.txt"}),
		modeltest.Say("Editing.").Use("Edit", input{"file_path": "old.txt", "old_string": "two", "new_string": "2", "replace_all": true}),
		modeltest.Say("Running.").Use("Bash", input{"command": "echo soon; sleep 0.5; echo made > made.txt", "description": "make"}),
		modeltest.Say("Done."),
	)
	work := &fakeWork{}
	l.deps.Work = work
	const before = "one\r\ntwo\r\nand two\r\n"
	if err := os.WriteFile(filepath.Join(l.deps.WorkTree, "old.txt"), []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	l.run(t, Request{Task: "edit it\n", Agent: claude, Permission: "acceptEdits", AllowedTools: []string{"Bash"}})
	after, err := os.ReadFile(filepath.Join(l.deps.WorkTree, "old.txt"))
	if err != nil || string(after) != "one\r\n2\r\nand 2\r\n" {
		t.Fatalf("%v: %q", err, after)
	}
	all := work.evidence.Calls
	if len(all) != 2 {
		t.Fatalf("calls %+v", all)
	}
	if w := all[0].Wrote; len(w) != 1 || w[0].Before != toolcalls.TextID([]byte(before)) || w[0].After != toolcalls.TextID(after) {
		t.Errorf("edited: %+v", w)
	}
	made := filepath.Join(l.deps.WorkTree, "made.txt")
	c := all[1]
	if len(c.Saw) != 1 || c.Saw[0] != (toolcalls.FileState{Path: made}) || len(c.Left) != 1 || !c.Left[0].ChangedAt.After(c.Began) {
		t.Errorf("the command's file was looked at too late: %+v", c)
	}
}
