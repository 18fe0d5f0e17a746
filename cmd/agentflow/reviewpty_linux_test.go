package main

import (
	"strings"
	"testing"

	"agentflow/cmd/agentflow/cli"
	"agentflow/internal/testing/labtest"
	"agentflow/internal/testing/ptytest"
)

// storing returns an MCP client's request to store a fact.
func storing(text string) string { return calling("memory_store", `{"text":"`+text+`"}`) }

// calling returns an MCP client's request to call a tool.
func calling(tool, arguments string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"robot","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments + `}}
`
}

// TestReviewAtATerminal accepts one fact of an agent with a key, drops another, skips a third
// with an arrow and ends with Ctrl-C.
func TestReviewAtATerminal(t *testing.T) {
	l := labtest.Repository(t)
	l.Env = append(l.Env, "TERM=xterm")
	for _, text := range []string{"The seal eats fish.", "The okapi eats leaves.", "The parser is recursive.", "The cache is warm."} {
		cmd := l.Command("mcp")
		cmd.Stdin = strings.NewReader(storing(text))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v", out, err)
		}
	}
	p := ptytest.Start(t, l.Command("review"), 120)
	p.Await("1 of 4  ", "[a]ccept, [e]dit, [d]rop, [s]kip, [q]uit? ")
	p.Type("a")
	p.Await("accepted ", "2 of 4  ", "[q]uit? ")
	p.Type("d")
	p.Await("dropped ", "brings it back", "3 of 4  ", "[q]uit? ")
	p.Type("\x1b[A") // the key for up: one key, none of those asked for
	p.Await("4 of 4  ", "[q]uit? ")
	p.Type(ptytest.Interrupt)
	if code := p.Ended(); code != cli.ExitOK {
		t.Errorf("it ends with %d", code)
	}
	if out := l.Agentflow("review"); strings.Count(out, "said by an agent") != 2 {
		t.Errorf("left:\n%s", out)
	}
}

// TestRememberOffersToReplace replaces the close fact that the person names by its number.
func TestRememberOffersToReplace(t *testing.T) {
	l := labtest.Repository(t)
	l.Env = append(l.Env, "TERM=xterm")
	l.Agentflow("remember", "Use pnpm, never npm")
	p := ptytest.Start(t, l.Command("remember", "Use npm, pnpm was dropped"), 120)
	p.Await("about the same thing:", "1  ", "Use pnpm, never npm", "Enter to keep all: ")
	p.Type("1\n")
	p.Await("struck ", "which it replaces")
	if code := p.Ended(); code != cli.ExitOK {
		t.Errorf("it ends with %d", code)
	}
	if out := l.Agentflow("memory", "list"); !strings.Contains(out, "pnpm was dropped") || strings.Contains(out, "never npm") {
		t.Errorf("memory holds:\n%s", out)
	}
}
