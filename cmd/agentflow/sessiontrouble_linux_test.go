package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"agentflow/internal/testing/sessiontest"
)

// TestHooksInTrouble runs the hooks of a session on a file system that cannot be written.
// The agent continues, with or without an answer. Memory is whole afterwards.
func TestHooksInTrouble(t *testing.T) {
	const readOnly = `mount --bind "$dir" "$dir" && mount -o remount,ro,bind "$dir" "$dir"`
	const full = `mkdir -p "$dir" && cp -a "$dir" "$dir.aside" && mount -t tmpfs -o size=256k none "$dir" && cp -a "$dir.aside/." "$dir" && { yes | cat >"$dir/fill" || true; } 2>/dev/null`
	for name, c := range map[string]struct{ dir, mount string }{
		"full git directory":      {".git/agentflow", full},
		"full memory":             {".agentflow", full},
		"read-only git directory": {".git", readOnly},
		"read-only memory":        {".agentflow", readOnly},
		"read-only home":          {"$HOME", readOnly},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, "")
			l.Agentflow("init")
			l.Agentflow("remember", "The tokenizer splits identifiers at capital letters.")
			p := sessiontest.New(&l.Lab, nil)
			script := `dir="` + c.dir + `"; { ` + c.mount + `; } || exit 99; cd "$PWD"`
			for i, event := range []string{"SessionStart", "UserPromptSubmit", "Stop", "PreCompact", "SessionEnd"} {
				input := fmt.Sprintf("input%d.json", i)
				l.Write(input, string(p.Input(event, map[string]any{"source": "startup", "prompt": "Why does the tokenizer split identifiers?"})))
				script += fmt.Sprintf("\n%s session hook <%s && echo || exit 98", l.Command().Path, input)
			}
			cmd := l.shell(script)
			out, err := cmd.CombinedOutput()
			switch code := cmd.ProcessState.ExitCode(); {
			case code == 99:
				t.Logf("nothing can be mounted here: %v\n%s", err, out)
				return
			case code != 0:
				t.Fatalf("a hook failed: %v\n%s", err, out)
			}
			for line := range strings.Lines(string(out)) {
				if line = strings.TrimSpace(line); line != "" && !json.Valid([]byte(line)) {
					t.Errorf("a hook says %q", line)
				}
			}
			hooks{Lab: &l.Lab}.settle(t)
			if list := l.Agentflow("search", "tokenizer"); !strings.Contains(list, "capital letters") {
				t.Errorf("memory is not whole: %s", list)
			}
		})
	}
}
