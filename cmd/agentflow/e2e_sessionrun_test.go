//go:build e2e

package main_test

import (
	"os"
	"path/filepath"
	"strings"

	. "agentflow/internal/testing/modeltest"
)

// hooksWithinARun: the CLI also runs its hooks in a run of agentflow, and in the question
// after the run. They do nothing there: the run is remembered once, by its
// entry, and the model gets only the prompt. Outside of a run they work.
func hooksWithinARun(l *lab) {
	l.hookSettings("Bash(git *)")
	l.config(allowAll + learning)
	l.run(0, "init")
	l.answer(Script{
		Main: []Turn{
			Use("Write", in{"file_path": l.project + "/new.txt", "content": "new\n"}),
			Say("Wrote it, and nothing else was needed for it to be there as it was asked for."),
			Use("Write", in{"file_path": l.project + "/other.txt", "content": "other\n"}),
			Say("Wrote the other one."),
		},
		Side: []Turn{Say(`{"facts": []}`)},
	})
	seen := filepath.Join(l.home, ".local", "state", "agentflow", "sessions", "claude.seen")
	sessions := filepath.Join(l.project, ".git", "agentflow", "sessions")
	r := l.runJSON(0, "Write a file")
	l.settled()
	for _, path := range []string{seen, sessions} {
		if _, err := os.Stat(path); err == nil {
			l.Errorf("a hook within the run made %s", path)
		}
	}
	if n := strings.Count(l.memory(), "\n## "); n != 1 || !strings.Contains(l.memory(), "kind=run") {
		l.Errorf("%d entries:\n%s", n, l.memory())
	}
	if body := l.told(0); strings.Contains(body, "SessionStart") || strings.Contains(body, "UserPromptSubmit") {
		l.Errorf("the model was given context of a hook: %s", body)
	}
	if len(l.server.Requests(Side)) == 0 {
		l.Error("nothing was asked after the run")
	}

	l.ask("Write the other file", "--resume", r.SessionID)
	l.settled()
	if _, err := os.Stat(seen); err != nil {
		l.Errorf("outside of a run the hooks do not work: %v", err)
	}
	if !strings.Contains(l.memory(), "Write the other file") || !strings.Contains(l.memory(), "kind=session") || strings.Count(l.memory(), "new.txt") != 1 {
		l.Errorf("memory:\n%s", l.memory())
	}
}
