//go:build e2e

package main_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agentflow/internal/testing/modeltest"
)

// alone has the arguments with which each agent works without a person.
var alone = map[string][]string{
	"codex":    {"exec", "--dangerously-bypass-hook-trust", "-s", "workspace-write", "-c", `mcp_servers.agentflow.default_tools_approval_mode="approve"`},
	"gemini":   {"--skip-trust", "--approval-mode", "yolo", "-p"},
	"opencode": {"run"},
}

// settingsFiles are the files that connect writes for each agent.
var settingsFiles = map[string][]string{
	"codex":    {".codex/config.toml", ".codex/hooks.json"},
	"gemini":   {".gemini/settings.json"},
	"opencode": {".config/opencode/opencode.json"},
}

// connected: an agent that a person starts has the tools that connect gave it;
// Codex's session becomes an entry, and its prompt is given memory. Disconnect
// leaves the settings as they were.
func (l *agentLab) connected() {
	l.run(0, "remember", "The login test depends on the clock")
	l.answers(
		l.tool("memory_search", map[string]any{"query": "login test clock"}),
		l.writing("notes.txt", "buy milk"),
		modeltest.Say("Looked up and written."),
	)
	before := l.settings()
	l.run(0, "connect", "--yes", l.name)
	l.byItself("Why does the login test fail on some days? Write notes")
	requests := l.model.Requests(modeltest.Main)
	if len(requests) < 3 || !strings.Contains(string(requests[1].Body), "depends on the clock") {
		l.Fatalf("%d requests; the model did not get what was searched", len(requests))
	}
	if l.name == "codex" {
		if !strings.Contains(string(requests[0].Body), "depends on the clock") {
			l.Errorf("the prompt was given nothing: %.3000s", requests[0].Body)
		}
		l.sessionTold()
	}
	l.run(0, "disconnect", "--yes", l.name)
	if after := l.settings(); !slices.Equal(after, before) {
		l.Errorf("the settings became\n%q\nand were\n%q", after, before)
	}
}

// settings returns the texts of the agent's files; empty for a missing file.
func (l *agentLab) settings() (texts []string) {
	for _, name := range settingsFiles[l.name] {
		text, err := os.ReadFile(filepath.Join(l.home, filepath.FromSlash(name)))
		if err != nil && !os.IsNotExist(err) {
			l.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	return texts
}

// byItself runs the agent without agentflow.
func (l *agentLab) byItself(prompt string) {
	l.Helper()
	cmd := exec.CommandContext(l.Context(), filepath.Join(l.home, "bin", l.name), append(slices.Clone(alone[l.name]), prompt)...)
	cmd.Dir, cmd.Env = l.project, l.env()
	limit := time.AfterFunc(caseLimit, func() { _ = cmd.Process.Kill() })
	defer limit.Stop()
	if out, err := cmd.CombinedOutput(); err != nil {
		l.Fatalf("%v\n%.4000s", err, out)
	}
}

// sessionTold waits for the entry of the session.
func (l *agentLab) sessionTold() {
	l.Helper()
	var log []struct{ ID string }
	for deadline := time.Now().Add(caseLimit); len(log) == 0; time.Sleep(100 * time.Millisecond) {
		if time.Now().After(deadline) {
			l.Fatal("the session became no entry")
		}
		if err := json.Unmarshal([]byte(l.run(0, "log", "--kind", "session", "--json").stdout), &log); err != nil {
			l.Fatal(err)
		}
	}
	text := l.run(0, "show", log[0].ID).stdout
	if len(log) != 1 || !strings.Contains(text, "notes.txt") || !strings.Contains(text, "Why does the login test fail") {
		l.Errorf("%d entries, the last:\n%s", len(log), text)
	}
}
