//go:build e2e

package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestE2E runs the real agentflow with the real Claude CLI, which talks to a
// Messages API server on loopback. The test reads and writes only its temporary
// folders, and sends nothing to the network.
func TestE2E(t *testing.T) {
	tools := tools{claude: claudeCLI(t), agentflow: build(t)}
	for _, c := range []struct {
		name string
		test func(*lab)
	}{
		{"writes a file", writesFile},
		{"edits and commits", editsAndCommits},
		{"saves memories", savesMemories},
		{"tags that the agent did not say", tagsNotSaid},
		{"permission denied", permissionDenied},
		{"denied commands", deniedCommands},
		{"API error mid-run", apiErrorMidRun},
		{"not logged in", notLoggedIn},
		{"silent server", silentServer},
		{"background processes", backgroundProcesses},
		{"subagents' work", subagentsWork},
		{"megabytes of output", megabytes},
		{"Ctrl-C", ctrlC},
		{"resume", resume},
		{"slash command", slashCommand},
		{"second run knows the first", secondRunKnowsFirst},
		{"in work trees", inWorktrees},
		{"learns of a run", learnsOfARun},
		{"asks to consolidate", asksToConsolidate},
		{"uses the tools of memory", usesTools},
		{"hooks within a run", hooksWithinARun},
		{"may only read", mayOnlyRead},
		{"session in print mode", sessionInPrintMode},
		{"session of checks", sessionOfChecks},
		{"session by the plugin", sessionByThePlugin},
		{"auto memory of Claude", autoMemoryOfClaude},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel() // most of a case is waiting for the CLI to start
			c.test(newLab(t, tools))
		})
	}
}

type tools struct{ claude, agentflow string }

func claudeCLI(t *testing.T) string {
	path := os.Getenv("CLAUDE_CLI")
	if path == "" {
		t.Fatal("CLAUDE_CLI must name the Claude CLI; `make e2e` installs it and sets it")
	}
	if !filepath.IsAbs(path) {
		t.Fatalf("CLAUDE_CLI must be an absolute path, and is %s", path)
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("CLAUDE_CLI: %v", err)
	}
	return path
}

func build(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "agentflow")
	if out, err := exec.Command("go", "build", "-o", path, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return path
}
