//go:build e2e

package main_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"

	. "agentflow/internal/testing/modeltest"
)

// autoMemoryIn finds the folder of the auto memory in Claude's system prompt.
var autoMemoryIn = regexp.MustCompile("memory[^`]*at `([^`]+)`")

// autoMemoryOfClaude: agentflow reads the folder that the real CLI names in its system
// prompt. A line that the model writes there reaches other agents, and Claude reads it from
// that file only.
func autoMemoryOfClaude(l *lab) {
	const fact = "The zebra service listens on port 7421."
	l.hookSettings()
	l.run(0, "init")
	l.run(0, "config", "set", "index.include", "claude-auto-memory")

	l.answer(Script{Main: []Turn{Say("It is in the system prompt.")}})
	l.ask("Where is your auto memory of this repository?")
	l.settled()
	match := autoMemoryIn.FindStringSubmatch(l.told(0))
	if match == nil {
		l.Fatalf("no folder of an auto memory is in %.20000s", l.told(0))
	}
	folder := filepath.Clean(match[1])

	l.answer(Script{Main: []Turn{
		Use("Write", in{"file_path": filepath.Join(folder, "MEMORY.md"), "content": "- " + fact + "\n"}),
		Say("Saved it."),
		Say("The tests pass."),
	}})
	l.ask("Remember the port of the zebra service")
	l.settled()
	if text, err := os.ReadFile(filepath.Join(folder, "MEMORY.md")); err != nil || !strings.Contains(string(text), fact) {
		l.Fatalf("MEMORY.md has %q, %v", text, err)
	}
	l.ask("Which port does the zebra service use?")
	l.settled()
	if n := strings.Count(l.told(2), fact); n != 1 {
		l.Errorf("Claude was sent the fact %d times: %s", n, l.told(2))
	}
	if sent := l.told(2); strings.Contains(sent, "Claude's auto memory") {
		l.Errorf("agentflow sent Claude its own auto memory: %s", sent)
	}
	if out := l.run(0, "preview", "Use the zebra service on port 7421").stdout; !strings.Contains(out, fact+"  left out: Claude's auto memory says it") {
		l.Errorf("preview for Claude: %s", out)
	}
	l.extra = append(l.extra, "AGENTFLOW_AGENT_DEFAULT=codex")
	if out := l.run(0, "preview", "--text").stdout; !strings.Contains(out, "[stated] by Claude's auto memory\n> - "+fact+"\n") {
		l.Errorf("preview for Codex: %s", out)
	}
	l.autoMemoryElsewhere(fact)
}

// autoMemoryElsewhere: agentflow follows the settings by which the real CLI keeps its auto memory in
// another folder, or keeps none.
func (l *lab) autoMemoryElsewhere(fact string) {
	folder := filepath.Join(l.home, "notes")
	l.must(os.MkdirAll(folder, 0o755))
	l.must(os.WriteFile(filepath.Join(folder, "MEMORY.md"), []byte("- Elsewhere: "+fact+"\n"), 0o600))
	for _, settings := range []string{`"autoMemoryDirectory": "~/notes"`, `"autoMemoryEnabled": false`} {
		l.hookSettings()
		path := filepath.Join(l.home, ".claude", "settings.json")
		text, err := os.ReadFile(path)
		l.must(err)
		l.must(os.WriteFile(path, []byte(strings.Replace(string(text), "{", "{"+settings+",", 1)), 0o600))
		l.answer(Script{Main: []Turn{Say("It is in the system prompt.")}})
		l.ask("Where is your auto memory of this repository now?")
		l.settled()
		elsewhere := strings.Contains(settings, "notes")
		match := autoMemoryIn.FindStringSubmatch(l.told(0))
		if elsewhere != (match != nil) || elsewhere && filepath.Clean(match[1]) != folder {
			l.Errorf("with %s the CLI names %q", settings, match)
		}
		if out := l.run(0, "preview", "--text").stdout; strings.Contains(out, "Elsewhere: "+fact) != elsewhere || !elsewhere && strings.Contains(out, fact) {
			l.Errorf("with %s, preview for Codex: %s", settings, out)
		}
	}
}
