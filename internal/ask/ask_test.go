package ask_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"agentflow/internal/ask"
)

// modeVar makes the test binary play a CLI.
const modeVar = "ASK_TEST"

func TestMain(m *testing.M) {
	if mode := os.Getenv(modeVar); mode != "" {
		play(mode)
		return
	}
	os.Exit(m.Run())
}

// play answers as the Claude CLI does; the mode selects how it lies or fails.
func play(mode string) {
	input, _ := io.ReadAll(os.Stdin)
	text, isError, subtype := "yes", false, "success"
	switch mode {
	case "cut":
		subtype = "error_max_budget_usd"
	case "denied":
		text, isError = "Invalid API key · Please run /login", true
	case "crash":
		fmt.Fprintln(os.Stderr, "node: cannot open\x1b[31m module")
		os.Exit(7)
	case "silent":
		return
	case "noise":
		fmt.Println("warning: {\"type\": \"result\"} is not this line")
	case "endless":
		line := strings.Repeat("x", 1<<16)
		for {
			fmt.Print(line)
		}
	case "hang":
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), modeVar+"=child")
		_ = child.Start()
		time.Sleep(time.Minute)
	case "child":
		_ = os.WriteFile(os.Getenv("ASK_TEST_FILE"), fmt.Append(nil, os.Getpid()), 0o600)
		time.Sleep(time.Minute)
	case "start":
		dir, _ := os.Getwd()
		files, _ := os.ReadDir(".")
		told, _ := json.Marshal(start{os.Args[1:], string(input), dir, len(files), os.Environ()})
		text = string(told)
	case "plain":
		fmt.Printf("%s", input)
		return
	}
	_ = json.NewEncoder(os.Stdout).Encode(map[string]any{
		"type": "result", "subtype": subtype, "is_error": isError, "result": text, "total_cost_usd": 0.25})
	if isError {
		os.Exit(1)
	}
}

// start records how the CLI was started.
type start struct {
	Argv       []string
	Input, Dir string
	Files      int
	Environ    []string
}

func cli(mode string, environ ...string) ask.CLI {
	return ask.CLI{Argv: []string{os.Args[0]}, Environ: append(append(os.Environ(), modeVar+"="+mode), environ...)}
}

func TestAnswers(t *testing.T) {
	for mode, want := range map[string]string{
		"honest": "", "noise": "", "cut": "error_max_budget_usd", "denied": "Please run /login",
		"crash": "exit code 7 (node: cannot open [31m module)", "silent": "printed no result", "endless": "larger than",
	} {
		a, err := cli(mode).Ask(t.Context(), ask.Question{})
		if want == "" && (err != nil || a.Text != "yes") || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %+v, error %v, want %q", mode, a, err, want)
		}
		if cost := slices.Contains([]string{"honest", "noise", "cut", "denied"}, mode); cost != (a.CostUSD == 0.25) {
			t.Errorf("%s: cost %v", mode, a.CostUSD)
		}
	}
	if _, err := (ask.CLI{Argv: []string{"/nowhere/claude"}}).Ask(t.Context(), ask.Question{}); err == nil || !strings.Contains(err.Error(), "/nowhere/claude") {
		t.Errorf("a program that is not there: %v", err)
	}
}

// It gets no tools, no settings of a repository, and data as data.
func TestHowItIsStarted(t *testing.T) {
	c := cli("start")
	c.Argv = append(c.Argv, "first")
	c.Model, c.MaxCostUSD, c.MaxTokens = "small", 0.05, 300
	a, err := c.Ask(t.Context(), ask.Question{Instruction: "do it", Data: "with\nthis"})
	var have start
	if err := errors.Join(err, json.Unmarshal([]byte(a.Text), &have)); err != nil {
		t.Fatal(err)
	}
	want := []string{"first", "-p", "--output-format", "json", "--model", "small", "--max-budget-usd", "0.05", "--system-prompt", "do it",
		"--tools", "", "--strict-mcp-config", "--safe-mode", "--no-session-persistence"}
	if !slices.Equal(have.Argv, want) {
		t.Errorf("arguments %q", have.Argv)
	}
	for _, pair := range []string{"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "CLAUDE_CODE_MAX_OUTPUT_TOKENS=300", "MAX_THINKING_TOKENS=0"} {
		if !slices.Contains(have.Environ, pair) {
			t.Errorf("%s is not in its environment", pair)
		}
	}
	if have.Input != "with\nthis" || have.Files != 0 || !strings.Contains(have.Dir, "agentflow-ask-") {
		t.Errorf("%+v", have)
	}
	if _, err := os.Stat(have.Dir); err == nil {
		t.Errorf("%s was left", have.Dir)
	}
	if !ask.Inside(have.Environ) || ask.Inside(os.Environ()) {
		t.Error("it does not know that it is asked, or we believe to be")
	}
	if _, err := (ask.CLI{Argv: c.Argv, Environ: have.Environ}).Ask(t.Context(), ask.Question{}); !errors.Is(err, ask.ErrInside) {
		t.Errorf("a question inside a question: %v", err)
	}
}

// A program that reads but one text gets what to do behind the data.
func TestAnyProgramIsAsked(t *testing.T) {
	c := cli("plain")
	c.Plain, c.Model = true, "none of its business"
	a, err := c.Ask(t.Context(), ask.Question{Instruction: "Do it.", Data: "with this"})
	if err != nil || !strings.HasSuffix(a.Text, "\n\nDo it.\n") || strings.Index(a.Text, "with this") > strings.Index(a.Text, "Do it.") || a.CostUSD != 0 {
		t.Errorf("%+v, %v", a, err)
	}
	c = cli("crash")
	c.Plain = true
	if _, err := c.Ask(t.Context(), ask.Question{}); err == nil || !strings.Contains(err.Error(), "exit code 7") {
		t.Errorf("a program that failed: %v", err)
	}
}

// TestNothingIsLeftBehind checks that ending the CLI leaves no process, and
// that the context gives the reason.
func TestNothingIsLeftBehind(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pid")
	over := errors.New("out of patience")
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		for {
			if _, err := os.Stat(file); err == nil || ctx.Err() != nil {
				cancel(over)
				return
			}
			<-time.After(5 * time.Millisecond)
		}
	}()
	_, err := cli("hang", "ASK_TEST_FILE="+file).Ask(ctx, ask.Question{})
	if !errors.Is(err, over) {
		t.Fatalf("error %v", err)
	}
	pid, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if alive(string(pid)) {
		t.Errorf("process %s is left", pid)
	}
}
