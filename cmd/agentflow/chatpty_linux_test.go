package main

import (
	"fmt"
	"strings"
	"testing"

	"agentflow/cmd/agentflow/cli"
	"agentflow/internal/testing/labtest"
	"agentflow/internal/testing/modeltest"
	"agentflow/internal/testing/ptytest"
)

// atTerminal starts a conversation at a terminal, with a model that answers with
// turns.
func atTerminal(t *testing.T, turns []modeltest.Turn, args ...string) (*labtest.Lab, *modeltest.Server, *ptytest.Terminal) {
	t.Helper()
	l := labtest.Repository(t)
	server := modeltest.New(t, modeltest.Script{Main: turns})
	l.Settings(fmt.Sprintf("[chat]\nbase_url = %q\n", server.URL))
	l.Env = append(l.Env, "ANTHROPIC_API_KEY=k", "TERM=xterm")
	cmd := l.Command(append([]string{"chat"}, args...)...)
	return l, server, ptytest.Start(t, cmd, 80)
}

// TestChatAtATerminal has a conversation, interrupts an answer with
// Ctrl-C, continues, and ends the conversation with two of them. All of it is
// recorded.
func TestChatAtATerminal(t *testing.T) {
	l, server, p := atTerminal(t, []modeltest.Turn{
		modeltest.Say("Let me note that.").Use("memory", map[string]any{"command": "create", "path": "/memories/deploy.md", "file_text": "Deploys are on Tuesday.\n"}),
		modeltest.Say("Noted:\x1b[2J Tuesday."),
		modeltest.Say("This continues").Hold(),
		modeltest.Say("half").Cut(),
		modeltest.Say("Here I am."),
	}, "Deploys", "are", "on", "Tuesday")
	p.Await("Let me note that.\n", "agentflow: stored /memories/deploy.md\n", "Noted: Tuesday.\n", "> ")
	p.Type("and now for long\n")
	p.Await("This continues")
	p.Type(ptytest.Interrupt)
	p.Await("^C\n", "agentflow: error: the answer was ended\n", "> ")
	p.Type("are you there?\n")
	p.Await("half\nagentflow: asking anthropic: the answer broke off", "Here I am.\n", "> ")
	p.Type(ptytest.Interrupt)
	p.Await("^C\nagentflow: once more, or /quit, ends the conversation", "> ")
	p.Type(ptytest.Interrupt)
	p.Await("chat --resume ")
	if code := p.Ended(); code != cli.ExitOK {
		t.Errorf("it ends with %d", code)
	}
	requests := server.Requests(modeltest.Main)
	if last := requests[len(requests)-1]; !strings.HasSuffix(last.Prompt(), "are you there?") || len(last.Messages) < 5 || !l.Exists(".agentflow/memory/notes/deploy.md") {
		t.Errorf("the last request is %+v", last.Messages)
	}
	if strings.Contains(p.Screen(), "\x1b[2J") {
		t.Error("the model clears the screen")
	}
}

// TestChatWithoutAKeyAtATerminal: chat says which setting is missing and ends, before it
// asks for a question.
func TestChatWithoutAKeyAtATerminal(t *testing.T) {
	l := labtest.Repository(t)
	p := ptytest.Start(t, l.Command("chat"), 80)
	p.Await("no key is set: the variable ANTHROPIC_API_KEY is empty", "hint: put your key into ANTHROPIC_API_KEY")
	if code := p.Ended(); code != cli.ExitUsage {
		t.Errorf("it ends with %d", code)
	}
}
