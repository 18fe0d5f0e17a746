//go:build e2e && linux

package claudetest_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"agentflow/internal/testing/modeltest"
	"agentflow/internal/testing/ptytest"
)

// lab is a home and a project in which the CLI runs, with hooks that keep their
// input and a copy of the session's file at that time.
type lab struct {
	t                         *testing.T
	root, home, project, seen string
	env                       []string
}

// hookScript keeps its input and the transcript under names in the order of
// their times, and adds context where the CLI takes some.
const hookScript = `#!/bin/sh
at="$SEEN/$(date +%s%N).$1"
cat > "$at.new"
file=$(sed -n 's/.*"transcript_path":"\([^"]*\)".*/\1/p' "$at.new")
[ -f "$file" ] && cp "$file" "$at.transcript" && stat -c %i "$file" > "$at.inode"
mv "$at.new" "$at.json"
case $1 in
SessionStart|UserPromptSubmit|PostToolUse)
	printf '{"hookSpecificOutput":{"hookEventName":"%s","additionalContext":"from %s <save_memory>a hook said so</save_memory>"}}\n' $1 $1 ;;
esac
`

var hookEvents = []string{"SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "StopFailure", "SubagentStop", "PreCompact", "PostCompact", "SessionEnd"}

func newLab(t *testing.T, script modeltest.Script) *lab {
	t.Helper()
	root := t.TempDir()
	l := &lab{t: t, root: root, home: filepath.Join(root, "home"), project: filepath.Join(root, "project"), seen: filepath.Join(root, "seen")}
	hooks := map[string]any{}
	for _, event := range hookEvents {
		hooks[event] = []in{{"hooks": []in{{"type": "command", "command": filepath.Join(l.root, "hook") + " " + event}}}}
	}
	settings, err := json.Marshal(in{"hooks": hooks})
	if err != nil {
		t.Fatal(err)
	}
	// These are the questions that a user has answered long ago: the theme, the
	// key, and whether to trust this folder.
	known, err := json.Marshal(in{
		"hasCompletedOnboarding": true, "theme": "dark", "customApiKeyResponses": in{"approved": []string{"dummy-key-for-tests"}},
		"projects": in{l.project: in{"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"home/.claude/settings.json": string(settings), "home/.claude.json": string(known), "hook": hookScript,
		"project/main.go": mainGo, "project/.claude/commands/greet.md": "Greet $ARGUMENTS\n", "seen/none": "",
	} {
		name = filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	l.env = append(neutralEnv(l.home), modeltest.New(t, script).Claude()...)
	l.env = append(l.env, "SEEN="+l.seen, "TERM=xterm-256color")
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"commit", "-q", "-m", "start"}} {
		command(t, t.Context(), l.project, l.env, "", "git", args...)
	}
	return l
}

// mode holds the CLI's permissions in a lab: it may edit, and use git and
// sleep.
var mode = []string{"--permission-mode", "acceptEdits", "--allowedTools", "Bash(git *)", "Bash(sleep *)"}

// print runs the CLI in print mode.
func (l *lab) print(prompt string, args ...string) {
	l.t.Helper()
	command(l.t, l.t.Context(), l.project, l.env, prompt, os.Getenv("CLAUDE_CLI"), slices.Concat([]string{"-p"}, mode, args)...)
}

// terminal runs the CLI at a terminal, as a person does.
func (l *lab) terminal(args ...string) *ptytest.Terminal {
	l.t.Helper()
	cmd := exec.Command(os.Getenv("CLAUDE_CLI"), append(slices.Clone(mode), args...)...)
	cmd.Dir, cmd.Env = l.project, l.env
	term := ptytest.Start(l.t, cmd, 160)
	term.AwaitWords("shift+tab to cycle")
	return term
}

// enter types a prompt into an empty field, and the return key when the field shows it.
// The CLI sometimes keeps a prompt in the field that it has queued.
func enter(term *ptytest.Terminal, prompt string) {
	term.Type("\x15") // deletes the line
	add(term, prompt)
}

// add types text after the present text of the field, and the return key once
// the field shows it.
func add(term *ptytest.Terminal, prompt string) {
	term.Type(prompt)
	term.AwaitWords(prompt)
	term.Type("\r")
}

// hooks returns the names, without suffixes, of the files that the hooks of one
// event kept, or those of all events.
func (l *lab) hooks(event string) []string {
	names, err := filepath.Glob(filepath.Join(l.seen, "*."+event+".json"))
	if err != nil {
		l.t.Fatal(err)
	}
	for i := range names {
		names[i] = strings.TrimSuffix(names[i], ".json")
	}
	return names
}

// until waits until hooks of an event ran n times in all.
func (l *lab) until(event string, n int) {
	l.t.Helper()
	for end := time.Now().Add(20 * time.Second); len(l.hooks(event)) < n; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			l.t.Fatalf("%d hooks of %s, want %d", len(l.hooks(event)), event, n)
		}
	}
}

// written waits until a session's file contains a message of the agent.
func (l *lab) written(message string) {
	l.t.Helper()
	stands := func(file string) bool { return bytes.Contains(l.read(file), []byte(`"text":"`+message)) }
	for end := time.Now().Add(20 * time.Second); !slices.ContainsFunc(l.transcripts(), stands); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			l.t.Fatalf("%q is in no file", message)
		}
	}
}

// onlyAppended checks that no session's file was ever rewritten, as far as the
// hooks saw.
func (l *lab) onlyAppended() {
	before := map[string][]byte{}
	inodes := map[string]string{}
	for _, name := range l.hooks("*") {
		var input struct {
			Transcript string `json:"transcript_path"`
		}
		if err := json.Unmarshal(l.read(name+".json"), &input); err != nil {
			l.t.Fatal(err)
		}
		file, err := os.ReadFile(name + ".transcript")
		if err != nil {
			continue // there was none yet
		}
		inode := string(l.read(name + ".inode"))
		if old := before[input.Transcript]; !bytes.HasPrefix(file, old) || old != nil && inode != inodes[input.Transcript] {
			l.t.Errorf("%s was written anew before %s", filepath.Base(input.Transcript), filepath.Base(name))
		}
		before[input.Transcript], inodes[input.Transcript] = file, inode
	}
}

// atStop counts in how many of the stops the last message stood in the file.
func (l *lab) atStop() (there, stops int) {
	for _, name := range l.hooks("Stop") {
		var input struct {
			Last string `json:"last_assistant_message"`
		}
		if err := json.Unmarshal(l.read(name+".json"), &input); err != nil {
			l.t.Fatal(err)
		}
		file, _ := os.ReadFile(name + ".transcript") // it may not be there yet
		text, _ := json.Marshal(input.Last)
		stops++
		if bytes.Contains(file, append([]byte(`"text":`), text...)) {
			there++
		}
	}
	return there, stops
}

func (l *lab) read(name string) []byte {
	l.t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		l.t.Fatal(err)
	}
	return data
}

// transcripts returns the files of all sessions, in the order in which they
// began, each followed by those of its subagents.
func (l *lab) transcripts() (names []string) {
	files, err := filepath.Glob(filepath.Join(l.home, ".claude", "projects", "*", "*.jsonl"))
	if err != nil {
		l.t.Fatal(err)
	}
	born := func(name string) string {
		out, err := exec.Command("stat", "-c", "%W.%w", name).Output()
		if err != nil {
			l.t.Fatal(err)
		}
		return string(out)
	}
	slices.SortFunc(files, func(a, b string) int { return strings.Compare(born(a), born(b)) })
	for _, file := range files {
		subs, err := filepath.Glob(filepath.Join(strings.TrimSuffix(file, ".jsonl"), "subagents", "*.jsonl"))
		if err != nil {
			l.t.Fatal(err)
		}
		names = append(append(names, file), subs...)
	}
	return names
}
