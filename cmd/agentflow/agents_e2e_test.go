//go:build e2e

package main_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentflow/internal/testing/modeltest"
)

// otherAgent is an agent other than Claude, with the properties that a test of the
// real program needs.
type otherAgent struct {
	name    string
	program func(modules string) string // for a shell
	more    string                      // the permission with which it may commit
	less    string                      // the one with which it may not write
	write   func(path, content string) modeltest.Turn
	shell   func(command string) modeltest.Turn
	tool    func(name string, input map[string]any) modeltest.Turn
	endless bool // it tries to reach a server that fails for longer than the test waits
}

var otherAgents = []otherAgent{
	{
		name:    "codex",
		program: func(modules string) string { return "'" + modules + "/.bin/codex'" },
		more:    "workspace-write", less: "read-only",
		write: func(path, content string) modeltest.Turn {
			return modeltest.Custom("apply_patch", "*** Begin Patch\n*** Add File: "+path+"\n+"+content+"\n*** End Patch")
		},
		shell: func(command string) modeltest.Turn {
			return modeltest.Use("exec_command", map[string]any{"cmd": command})
		},
		tool: func(name string, input map[string]any) modeltest.Turn {
			return modeltest.UseIn("mcp__agentflow", name, input)
		},
	},
	{
		name:    "gemini",
		program: func(modules string) string { return "node '" + modules + "/.bin/gemini'" },
		more:    "yolo", less: "default", endless: true,
		write: func(path, content string) modeltest.Turn {
			return modeltest.Use("write_file", map[string]any{"file_path": path, "content": content + "\n"})
		},
		shell: func(command string) modeltest.Turn {
			return modeltest.Use("run_shell_command", map[string]any{"command": command, "description": "Do it"})
		},
		tool: func(name string, input map[string]any) modeltest.Turn {
			return modeltest.Use("mcp_agentflow_"+name, input)
		},
	},
	{
		name:    "opencode",
		program: func(modules string) string { return "'" + modules + "/.bin/opencode'" },
		more:    "full", less: "read-only", endless: true,
		write: func(path, content string) modeltest.Turn {
			return modeltest.Use("write", map[string]any{"filePath": path, "content": content + "\n"})
		},
		shell: func(command string) modeltest.Turn {
			return modeltest.Use("bash", map[string]any{"command": command, "description": "Do it"})
		},
		tool: func(name string, input map[string]any) modeltest.Turn {
			return modeltest.Use("agentflow_"+name, input)
		},
	},
}

// TestOtherAgents runs the real agentflow with the real Codex, Gemini CLI and
// opencode, which talk to a server on loopback.
func TestOtherAgents(t *testing.T) {
	modules := os.Getenv("AGENT_MODULES")
	if modules == "" {
		t.Fatal("AGENT_MODULES names no agents; `make e2e-agents` installs them and sets it")
	}
	tools := tools{claude: "/bin/false", agentflow: build(t)}
	for _, a := range otherAgents {
		for _, c := range []struct {
			name string
			test func(*agentLab)
		}{
			{"edits and commits", (*agentLab).editsAndCommits},
			{"denied", (*agentLab).denied},
			{"refused key", (*agentLab).refusedKey},
			{"failing server", (*agentLab).failingServer},
			{"resume", (*agentLab).resume},
			{"interrupted", (*agentLab).interrupted},
			{"tools of memory", (*agentLab).memoryTools},
			{"connected", (*agentLab).connected},
		} {
			t.Run(a.name+"/"+c.name, func(t *testing.T) {
				l := &agentLab{lab: newLab(t, tools), otherAgent: a}
				program := filepath.Join(l.home, "bin", a.name)
				l.must(os.WriteFile(program, []byte("#!/bin/sh\nexec "+a.program(modules)+` "$@"`+"\n"), 0o755))
				l.config("[agent]\ndefault = \"" + a.name + "\"\n[agent.gemini]\nargs = [\"--skip-trust\"]\n" +
					"[agent.codex]\nmodel = \"gpt-5.5\"\nargs = ['-c', 'mcp_servers.agentflow.default_tools_approval_mode=\"approve\"']\n" +
					"[agent.prices.\"gpt-5.5\"]\ninput = 10\noutput = 100\ncached = 1\n[agent.prices.model]\ninput = 10\noutput = 100\ncached = 1\n")
				c.test(l)
			})
		}
	}
}

type agentLab struct {
	*lab
	otherAgent
	model *modeltest.Server
}

// answers starts the model with turns.
func (l *agentLab) answers(turns ...modeltest.Turn) { l.serve(modeltest.Script{Main: turns}) }

func (l *agentLab) serve(script modeltest.Script) {
	l.model = modeltest.New(l.T, script)
	l.extra = l.model.Programs(l.T, l.home)
}

// newest returns the last run's entry.
func (l *agentLab) newest() (e struct {
	Agent, Outcome  string
	CostUSD         float64 `json:"cost_usd"`
	Errors, Denials []string
	Commits         []any
	Changes         []struct{ Path, Certainty string }
}) {
	l.Helper()
	out := l.run(0, "show", "last", "--json").stdout
	if err := json.Unmarshal([]byte(out), &e); err != nil {
		l.Fatalf("%v in %s", err, out)
	}
	return e
}

func (l *agentLab) editsAndCommits() {
	l.answers(l.writing("notes.txt", "buy milk"), l.shell("git add -A && git commit -q -m 'take notes'"), l.writing("loose.txt", "not committed"), modeltest.Say("Took notes."))
	f := l.run(0, "run", "--permission-mode", l.more, "Take notes")
	if !strings.Contains(f.stdout, "Took notes.") {
		l.Errorf("stdout %q", f.stdout)
	}
	if subject := l.git("log", "-1", "--format=%s"); subject != "take notes" {
		l.Errorf("the last commit is %q\n%s", subject, f.stderr)
	}
	e := l.newest()
	if e.Agent != l.name || len(e.Commits) != 1 || e.CostUSD <= 0 {
		l.Errorf("entry %+v", e)
	}
	for _, c := range e.Changes {
		if c.Certainty != "shown" {
			l.Errorf("%s is %s", c.Path, c.Certainty)
		}
	}
}

// writing returns a turn that writes a file of the project.
func (l *agentLab) writing(name, content string) modeltest.Turn {
	return l.otherAgent.write(filepath.Join(l.project, name), content)
}

func (l *agentLab) denied() {
	l.answers(l.writing("notes.txt", "buy milk"), modeltest.Say("I may not."))
	f := l.run(3, "run", "--permission-mode", l.less, "Take notes")
	if e := l.newest(); len(e.Denials) != 1 || e.Outcome != "failed" || !strings.Contains(f.stderr, "[agent."+l.name+"]") {
		l.Errorf("entry %+v, stderr %s", e, f.stderr)
	}
}

func (l *agentLab) refusedKey() {
	l.serve(modeltest.Script{Main: []modeltest.Turn{modeltest.Fail(401, "scripted", "the key is not known")}, Always: true})
	f := l.run(3, "run", "Take notes")
	if !strings.Contains(f.stderr, "the key is not known") || !strings.Contains(f.stderr, "hint:") || !strings.Contains(f.stderr, "log") {
		l.Errorf("stderr %s", f.stderr)
	}
}

// failingServer: an agent that keeps trying without output is ended by the idle timeout.
func (l *agentLab) failingServer() {
	l.serve(modeltest.Script{Main: []modeltest.Turn{modeltest.Fail(500, "scripted", "out of order")}, Always: true})
	f := l.start("run", "--idle-timeout", "12s", "Take notes").wait()
	e := l.newest()
	if l.endless && (e.Outcome != "timeout" || !strings.Contains(f.stderr, "silent for 12s")) || !l.endless && e.Outcome != "failed" || f.took > 60*time.Second {
		l.Errorf("entry %+v after %v, stderr %s", e, f.took, f.stderr)
	}
}

func (l *agentLab) resume() {
	l.answers(modeltest.Say("First answer."), modeltest.Say("Second answer."))
	l.run(0, "run", "First question")
	first := l.newest()
	f := l.run(0, "run", "--resume", "last", "Second question")
	second := l.newest()
	if !strings.Contains(f.stdout, "Second answer.") || second.CostUSD != first.CostUSD {
		l.Errorf("%q, first %+v, second %+v", f.stdout, first, second)
	}
	requests := l.model.Requests(modeltest.Main)
	if last := string(requests[len(requests)-1].Body); !strings.Contains(last, "First answer.") || !strings.Contains(last, "Second question") {
		l.Error("the session did not go on")
	}
}

func (l *agentLab) interrupted() {
	l.answers(l.writing("half.txt", "half"), modeltest.Silence())
	s := l.start("run", "Go on for ever")
	select {
	case <-l.model.Arrived(2):
	case <-time.After(caseLimit):
		l.Fatal("the server was not asked")
	}
	l.must(s.cmd.Process.Signal(os.Interrupt))
	f := s.wait()
	if e := l.newest(); e.Outcome != "interrupted" || f.code == 0 {
		l.Errorf("exit code %d, entry %+v, stderr %s", f.code, e, f.stderr)
	}
}

func (l *agentLab) memoryTools() {
	l.run(0, "remember", "The login test depends on the clock")
	l.answers(
		l.tool("memory_search", map[string]any{"query": "login test clock"}),
		l.tool("memory_store", map[string]any{"text": "Milk is bought on Mondays"}),
		modeltest.Say("Searched and stored."),
	)
	if l.name == "gemini" { // takes them only from its own settings
		settings := filepath.Join(l.home, ".gemini", "settings.json")
		data, err := os.ReadFile(settings)
		l.must(err)
		server := `{"mcpServers": {"agentflow": {"command": "` + l.agentflow + `", "args": ["mcp"], "trust": true}}, `
		l.must(os.WriteFile(settings, []byte(strings.Replace(string(data), "{", server, 1)), 0o644))
	}
	f := l.run(0, "run", "--no-recall", "Look it up")
	requests := l.model.Requests(modeltest.Main)
	if len(requests) != 3 || !strings.Contains(string(requests[1].Body), "depends on the clock") {
		l.Errorf("%d requests; the model did not get what was searched: %.3000s", len(requests), requests[len(requests)-1].Body)
	}
	if out := l.run(0, "memory", "list").stdout; !strings.Contains(out, "Milk is bought on Mondays") {
		l.Errorf("nothing was stored: %s\n%s", out, f.stderr)
	}
}
