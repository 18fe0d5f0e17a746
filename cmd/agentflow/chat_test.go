package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"agentflow/app/api"
	"agentflow/cmd/agentflow/cli"
	"agentflow/cmd/agentflow/doors"
	"agentflow/internal/testing/labtest"
	"agentflow/internal/testing/modeltest"
)

// TestChatCommand asks and continues, as a person and as a program.
func TestChatCommand(t *testing.T) {
	l := labtest.Repository(t)
	server := modeltest.New(t, modeltest.Script{Main: []modeltest.Turn{
		modeltest.Say("One moment.").Use("memory", map[string]any{"command": "create", "path": "/memories/a.md", "file_text": "a\n"}),
		modeltest.Say("It is\x1b[2J a."),
		modeltest.Say("As said: a."),
		modeltest.Say("From stdin."),
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
	long := l.Command("chat")
	long.Stdin, long.Env = strings.NewReader(strings.Repeat("word ", doors.MaxQuestion/5+1)), append(l.Env, "MY_KEY=k")
	if out, err := long.CombinedOutput(); long.ProcessState.ExitCode() != cli.ExitUsage || !strings.Contains(string(out), "longer than 1024 KB") {
		t.Errorf("a question that is too long: %v\n%s", err, out)
	}
	requests := server.Requests(modeltest.Main)
	if n := len(requests[3].Messages); n != 7 || !strings.HasSuffix(requests[3].Prompt(), "the question") || requests[0].Prompt() != "what is it?" {
		t.Errorf("%d messages, the last %q", n, requests[3].Prompt())
	}
}

// TestTwoProcessesGoOnWithOneConversation has both read the conversation before either stores
// its turn. Both turns are stored, one as another conversation, and chat reports that.
func TestTwoProcessesGoOnWithOneConversation(t *testing.T) {
	l := labtest.Repository(t)
	var server *modeltest.Server
	both := func() { <-server.Arrived(3) }
	server = modeltest.New(t, modeltest.Script{Main: []modeltest.Turn{modeltest.Say("Begun."), modeltest.Say("One.").Then(both), modeltest.Say("Two.").Then(both)}})
	l.Settings(fmt.Sprintf("[chat]\nbase_url = %q\n", server.URL))
	l.Env = append(l.Env, "ANTHROPIC_API_KEY=k")
	l.Agentflow("chat", "begin")
	first, second := l.Start("chat", "--continue", "the one"), l.Start("chat", "--continue", "the other")
	if err := errors.Join(first.Wait(), second.Wait()); err != nil {
		t.Fatalf("%v\n%s%s", err, &first.Err, &second.Err)
	}
	if n := strings.Count(first.Err.String()+second.Err.String(), "another process continued this conversation"); n != 1 {
		t.Errorf("said %d times:\n%s%s", n, &first.Err, &second.Err)
	}
	kept, err := filepath.Glob(l.Path(".git/agentflow/chats/*.json"))
	if err != nil || len(kept) != 2 {
		t.Fatalf("kept are %q, %v", kept, err)
	}
	all := l.Read(".git/agentflow/chats/"+filepath.Base(kept[0])) + l.Read(".git/agentflow/chats/"+filepath.Base(kept[1]))
	for text, n := range map[string]int{"begin": 2, "the one": 1, "the other": 1} {
		if got := strings.Count(all, `"text":"`+text+`"`); got != n {
			t.Errorf("%q is kept %d times, want %d", text, got, n)
		}
	}
}
