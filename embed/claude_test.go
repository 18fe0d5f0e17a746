package embed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"agentflow/internal/ask"
)

// modeVar makes the test binary play the Claude CLI.
const modeVar = "EMBED_TEST_CLAUDE"

func TestMain(m *testing.M) {
	if mode := os.Getenv(modeVar); mode != "" {
		playClaude(mode)
		return
	}
	os.Exit(m.Run())
}

func claudeEnviron(mode string) []string {
	return append(os.Environ(), modeVar+"="+mode)
}

// playClaude answers as the CLI does; lies change the answer.
func playClaude(mode string) {
	var texts []string
	input, _ := io.ReadAll(os.Stdin)
	json.Unmarshal(input, &texts)
	vectors := make([][]float64, len(texts))
	for i, text := range texts {
		vectors[i] = fakeVector(text, len(axes))
		for j, x := range vectors[i] {
			vectors[i][j] = max(-1, min(1, x/3))
		}
	}
	said, _ := json.Marshal(vectors)
	text, isError, subtype := string(said), false, "success"
	switch mode {
	case "fenced":
		text = "```json\n" + text + "\n```\n"
	case "few":
		said, _ = json.Marshal(vectors[1:])
		text = string(said)
	case "short":
		text = "[[0.5, 0.5], [1]]"
	case "large":
		text = strings.Replace(text, "0.", "7.", 1)
	case "zero":
		text = fmt.Sprintf("[[%s0]]", strings.Repeat("0,", len(axes)-1))
	case "null":
		text = fmt.Sprintf("[[%snull]]", strings.Repeat("1,", len(axes)-1))
	case "chat":
		text = "Sure! Here are the vectors: " + text
	case "denied":
		text, isError = "Invalid API key · Please run /login", true
	case "cut":
		subtype = "error_max_turns"
	case "crash":
		fmt.Fprintln(os.Stderr, "node: cannot open\x1b[31m module")
		os.Exit(7)
	case "silent":
		return
	case "flood":
		text = strings.Repeat("x", ask.MaxAnswer)
	case "slow":
		time.Sleep(time.Minute)
	case "arguments":
		dir, _ := os.Getwd()
		said, _ = json.Marshal(claudeStart{os.Args[1:], string(input), dir, os.Getenv("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC")})
		text = string(said)
	}
	json.NewEncoder(os.Stdout).Encode(map[string]any{"type": "result", "subtype": subtype, "is_error": isError, "result": text, "total_cost_usd": 0.001})
	if isError {
		os.Exit(1)
	}
}

func newTestClaude(t *testing.T, mode string, timeout time.Duration) Embedder {
	return mustNew(t, Options{Provider: "claude", Argv: []string{os.Args[0]}, Environ: claudeEnviron(mode), Timeout: timeout})
}

func TestClaudeAnswers(t *testing.T) {
	for mode, want := range map[string]string{
		"fenced": "", "few": "0 vectors for 1 texts", "short": "2 numbers for 24 axes", "large": "not within -1 and 1",
		"zero": "length 0", "null": "holds no vectors", "chat": "holds no vectors (Sure!", "denied": "Please run /login",
		"cut": "error_max_turns", "crash": "(node: cannot open [31m module)", "silent": "printed no result", "flood": "larger than",
	} {
		_, err := newTestClaude(t, mode, 0).Embed(t.Context(), Document, []string{"login test"})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: error %v, want %q", mode, err, want)
		}
		if err != nil && (!strings.Contains(err.Error(), "embed 1 texts with claude") || len(err.Error()) > 600) {
			t.Errorf("%s: error %v", mode, err)
		}
	}
}

func TestClaudeThatIsSlow(t *testing.T) {
	_, err := newTestClaude(t, "slow", 50*time.Millisecond).Embed(t.Context(), Query, []string{"login"})
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "timeout in [embed]") {
		t.Errorf("error %v", err)
	}
}

func TestClaudeThatIsNotThere(t *testing.T) {
	e := mustNew(t, Options{Provider: "claude", Argv: []string{"/nowhere/claude"}, Environ: []string{"A=b"}})
	if _, err := e.Embed(t.Context(), Query, []string{"login"}); err == nil || !strings.Contains(err.Error(), "/nowhere/claude") {
		t.Errorf("error %v", err)
	}
}

// claudeStart records how the CLI was started.
type claudeStart struct {
	Argv              []string
	Input, Dir, Quiet string
}

// It is given no tools, no settings of the repository, and texts as data.
func TestClaudeIsStartedApart(t *testing.T) {
	c, err := newClaude(Options{Argv: []string{os.Args[0], "first"}, Environ: claudeEnviron("arguments"), Model: "small"})
	if err != nil {
		t.Fatal(err)
	}
	answer, err := c.ask(t.Context(), []string{"a \"text\"\nof two lines"})
	if err != nil {
		t.Fatal(err)
	}
	var have claudeStart
	if err := json.Unmarshal([]byte(answer), &have); err != nil {
		t.Fatal(err)
	}
	want := []string{"first", "-p", "--output-format", "json", "--model", "small", "--system-prompt", instruction(), "--tools", "", "--strict-mcp-config", "--safe-mode", "--no-session-persistence"}
	if !slices.Equal(have.Argv, want) {
		t.Errorf("arguments %q", have.Argv)
	}
	if here, _ := os.Getwd(); have.Dir == here || have.Input != `["a \"text\"\nof two lines"]` || have.Quiet != "1" {
		t.Errorf("%+v", have)
	}
}

func TestClaudeAxes(t *testing.T) {
	text := instruction()
	for _, axis := range axes {
		if strings.Count(text, ". "+axis+"\n") != 1 {
			t.Errorf("%q does not stand in the instruction once", axis)
		}
	}
	if len(axes) != 24 {
		t.Errorf("%d axes: raise axesVersion", len(axes))
	}
}
