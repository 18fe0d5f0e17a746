package hook

import (
	"bytes"
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"agentflow/internal/filelock"
	. "agentflow/internal/testing/sessiontest"
)

// slack is the maximum delay that a loaded machine may add to a limit. The test is about
// endless waits, and benchmarks measure the times.
const slack = 5 * time.Second

// TestNothingHoldsUpAPrompt breaks one part after another that memory needs.
func TestNothingHoldsUpAPrompt(t *testing.T) {
	for name, breakIt := range map[string]func(l *lab){
		"nothing is broken": func(*lab) {},
		"locks are held for ever": func(l *lab) {
			locks, err := filepath.Glob(l.Path(".git/agentflow/lock"))
			if err != nil || len(locks) == 0 {
				l.T.Fatal("no lock", err)
			}
			runs, _ := filepath.Glob(l.Path(".git/agentflow/runs/*/lock"))
			sessions, _ := filepath.Glob(l.Path(".git/agentflow/sessions/*/lock"))
			for _, name := range append(append(locks, runs...), sessions...) {
				lock, err := filelock.Acquire(l.T.Context(), name, filelock.Self("test", time.Now()), time.Second)
				if err != nil {
					l.T.Fatal(err)
				}
				l.T.Cleanup(func() { lock.Release() })
			}
		},
		"the index is damaged": func(l *lab) {
			l.Write(".agentflow/state/index.db", strings.Repeat("no database ", 4000))
		},
		"the index is a folder": func(l *lab) {
			l.Remove(".agentflow/state/index.db")
			l.Write(".agentflow/state/index.db/x", "")
		},
		"a memory file is a pipe": func(l *lab) { l.pipe(".agentflow/memory/2020-01-01.md") },
		"the settings are damaged": func(l *lab) {
			l.Settings("[session\n")
		},
		"the provider hangs": func(l *lab) {
			server := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
			server.Config.BaseContext = func(net.Listener) context.Context { return l.T.Context() }
			server.Start()
			l.T.Cleanup(server.Close)
			l.Settings("[embed]\nprovider = \"ollama\"\nmodel = \"m\"\nbase_url = \"" + server.URL + "\"\n")
		},
		"the state is a file": func(l *lab) {
			l.Remove(".git/agentflow/sessions")
			l.Write(".git/agentflow/sessions", "")
		},
		"the session's state is damaged": func(l *lab) {
			files, err := filepath.Glob(l.Path(".git/agentflow/sessions/*/*.json*"))
			if err != nil || len(files) == 0 {
				l.T.Fatal("no state", err)
			}
			for _, file := range files {
				l.Write(file, "{")
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			t.Cleanup(func() { // a recall that reached its deadline continues in this process, and may still write
				for deadline := time.Now().Add(10 * time.Second); os.RemoveAll(l.Repo) != nil && time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
				}
			})
			l.remember("The tokenizer splits identifiers at capital letters.")
			p := l.player()
			p.Start("startup")
			breakIt(l)
			l.later = true
			for _, event := range []string{"SessionStart", "UserPromptSubmit", "Stop", "PreCompact", "SessionEnd"} {
				began := time.Now()
				out := l.hook([]string{"CLAUDE_PROJECT_DIR=" + l.Repo}, p.Input(event, map[string]any{"prompt": "Why does the tokenizer split identifiers?", "source": "resume"}))
				if took := time.Since(began); took > limit+slack {
					t.Errorf("%s took %v", event, took)
				}
				if len(out) > 0 && !json.Valid(out) {
					t.Errorf("%s printed %q", event, out)
				}
				if bytes.Contains(out, []byte(`"decision"`)) || bytes.Contains(out, []byte(`"continue"`)) {
					t.Errorf("%s holds up the agent: %q", event, out)
				}
			}
		})
	}
}

// pipe makes a named pipe without a writer.
func (l *lab) pipe(name string) {
	l.T.Helper()
	if err := syscall.Mkfifo(l.Path(name), 0o600); err != nil {
		l.T.Fatal(err)
	}
}

// TestAFailureIsSaidOnce checks the messages to the user.
func TestAFailureIsSaidOnce(t *testing.T) {
	l := newLab(t)
	l.remember("The tokenizer splits identifiers at capital letters.")
	p := l.player()
	p.Start("startup")
	l.Settings("[embed]\nprovider = \"ollama\"\nmodel = \"m\"\nbase_url = \"http://127.0.0.1:1\"\n[session]\ndeadline = \"10s\"\n")
	var messages []string
	for _, prompt := range []string{"Why does the tokenizer split identifiers?", "Where does the tokenizer split them?", "How does the tokenizer work?", "Who wrote the tokenizer?"} {
		_, message := p.Turn(prompt, Say("Well."))
		if message != "" {
			messages = append(messages, message)
		}
	}
	if len(messages) != 1 || !strings.Contains(messages[0], "AgentFlow: ") {
		t.Errorf("the user is told %q", messages)
	}
	if data, err := os.ReadFile(l.Path(".git/agentflow/failures.jsonl")); err != nil || !bytes.Contains(data, []byte(`"session"`)) {
		t.Errorf("recorded: %s, %v", data, err)
	}
}
