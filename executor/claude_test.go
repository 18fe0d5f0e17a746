package executor

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestClaudeCommandLine(t *testing.T) {
	cmd, err := NewClaude().Command(AgentRequest{
		Prompt: "p", Model: "opus", Permission: "acceptEdits", AllowedTools: []string{"Bash(git *)", "Edit"},
		Args: []string{"--debug"}, Resume: "abc", MaxCostUSD: 0.5,
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"claude", "-p", "--output-format", "stream-json", "--allowedTools", "Bash(git *)", "Edit", "--verbose",
		"--permission-mode", "acceptEdits", "--model", "opus", "--resume", "abc", "--max-budget-usd", "0.5", "--debug",
	}
	if !slices.Equal(cmd.Argv, want) {
		t.Errorf("got  %q\nwant %q", cmd.Argv, want)
	}
	if cmd.Raw {
		t.Error("claude's stream is not for people")
	}
}

func TestCommandSaysWhatItCannotDo(t *testing.T) {
	a, err := NewCommand("codex", []string{"codex"}, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Command(AgentRequest{Resume: "abc"}); err == nil || !strings.Contains(err.Error(), "codex") {
		t.Errorf("resume: error %v", err)
	}
	cmd, err := a.Command(AgentRequest{MaxCostUSD: 1})
	if err != nil || len(cmd.Notes) != 1 {
		t.Errorf("spend cap: notes %q, error %v", cmd.Notes, err)
	}
	for _, bad := range [][]string{nil, {""}} {
		if _, err := NewCommand("x", bad, ""); err == nil {
			t.Errorf("no error for the program %q", bad)
		}
	}
	if _, err := NewCommand("x", []string{"x"}, "xml"); err == nil {
		t.Error("no error for an unknown protocol")
	}
}

// TestClaudeBearsOddLines holds lines that no version has sent yet.
func TestClaudeBearsOddLines(t *testing.T) {
	const result = `{"type":"result","result":"fine","num_turns":1}`
	for name, lines := range map[string]string{
		"not json":          "Warning: something\n" + result,
		"cut in the middle": `{"type":"assistant","message":{"content":[{"ty` + "\n" + result,
		"wrong types":       `{"type":"assistant","message":7,"num_turns":"x"}` + "\n" + result,
		"wrong type inside": `{"type":"assistant","session_id":7,"message":{"content":[{"type":"text","text":"said"},{"type":5}]}}` + "\n" + result,
		"new type":          `{"type":"telemetry","x":1}` + "\n" + result,
		"windows ends":      "\r\n" + result + "\r\n",
		"no last line end":  result,
		"a huge line":       strings.Repeat("x", maxLine+10) + "\n" + result,
		"megabytes":         `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"a","content":"` + strings.Repeat("y", 5<<20) + `"}]}}` + "\n" + result,
	} {
		t.Run(name, func(t *testing.T) {
			events := decode(NewClaude(), []byte(lines), 64<<10)
			last := events[len(events)-1]
			if last.Kind != EventResult || last.Text != "fine" || last.Failed {
				t.Errorf("the last event is %+v", last)
			}
			said := slices.ContainsFunc(events, func(ev Event) bool { return ev.Kind == EventSaid && ev.Text == "said" })
			if name == "wrong type inside" && !said {
				t.Errorf("the text beside a wrong field was lost: %+v", events)
			}
		})
	}
}

func FuzzClaudeDecoder(f *testing.F) {
	for _, data := range recordings(f) {
		f.Add(data[:min(len(data), 8000)], 10)
	}
	f.Add([]byte(`{"type":"assistant","message":{"content":"plain"}}`), 3)
	f.Fuzz(func(t *testing.T, data []byte, size int) {
		size = max(1, min(size, len(data)+1))
		whole := decode(NewClaude(), data, len(data)+1)
		if cut := decode(NewClaude(), data, size); !reflect.DeepEqual(cut, whole) {
			t.Errorf("in pieces of %d: %v, whole: %v", size, cut, whole)
		}
		// What stands before does not change what a whole line means.
		after := decode(NewClaude(), append(slices.Clone(data), "\n{\"type\":\"result\",\"result\":\"end\"}\n"...), 50)
		last := after[len(after)-1]
		if last.Kind != EventResult || last.Text != "end" {
			t.Errorf("the last event is %+v", last)
		}
		for _, ev := range whole {
			if _, err := eventLine(ev); err != nil {
				t.Error(fmt.Errorf("%+v: %w", ev, err))
			}
		}
	})
}
