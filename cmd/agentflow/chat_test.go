package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"agentflow/api"
	"agentflow/internal/testing/labtest"
	"agentflow/internal/testing/messagestest"
)

// TestChatCommand asks and goes on, as a person and a program do.
func TestChatCommand(t *testing.T) {
	l := labtest.Repository(t)
	server := messagestest.New(t, messagestest.Script{Main: []messagestest.Turn{
		messagestest.Say("One moment.").Use("memory", map[string]any{"command": "create", "path": "/memories/a.md", "file_text": "a\n"}),
		messagestest.Say("It is\x1b[2J a."),
		messagestest.Say("As said: a."),
		messagestest.Say("From stdin."),
	}})
	l.Settings(fmt.Sprintf("[chat]\nbase_url = %q\nkey_env = \"MY_KEY\"\n", server.URL))
	chat := func(stdin string, args ...string) (stdout, stderr string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), filepath.Join(labtest.Programs(t), "agentflow"), append([]string{"chat"}, args...)...)
		var out, err bytes.Buffer
		cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = l.Repo, append(l.Env, "MY_KEY=k"), strings.NewReader(stdin), &out, &err
		if e := cmd.Run(); e != nil {
			t.Fatalf("%v: %v\n%s", args, e, &err)
		}
		return out.String(), err.String()
	}
	stdout, stderr := chat("", "what", "is", "it?")
	if stdout != "It is\x1b[2J a.\n" || !strings.Contains(stderr, "agentflow: stored /memories/a.md\n") {
		t.Errorf("answers %q, %q", stdout, stderr)
	}
	stdout, _ = chat("", "--json", "--continue", "again?")
	var answer api.ChatAnswer
	if err := json.Unmarshal([]byte(stdout), &answer); err != nil || answer.Answer != "As said: a." || answer.Turns != 1 || answer.StopReason != "end_turn" || answer.Changed == nil {
		t.Errorf("answers %s: %v", stdout, err)
	}
	if stdout, _ = chat("the question\n", "--resume", answer.ID); stdout != "From stdin.\n" {
		t.Errorf("answers %q", stdout)
	}
	requests := server.Requests(messagestest.Main)
	if n := len(requests[3].Messages); n != 7 || requests[3].Prompt() != "the question" || requests[0].Prompt() != "what is it?" {
		t.Errorf("%d messages, the last %q", n, requests[3].Prompt())
	}
}
