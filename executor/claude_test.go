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

// TestClaudeTellsWhyItFailed holds lines of version 2.1.197, cut to what counts.
func TestClaudeTellsWhyItFailed(t *testing.T) {
	said := func(kind string) string {
		return `{"type":"assistant","message":{"model":"<synthetic>","content":[{"type":"text","text":"x"}]},"error":"` + kind + `"}` + "\n"
	}
	const failed = `{"type":"result","subtype":"success","is_error":true,"result":"x"}`
	for name, c := range map[string]struct {
		lines string
		want  Cause
	}{
		"login":                      {said("authentication_failed") + failed, CauseLogin},
		"overloaded":                 {said("overloaded") + failed, CauseUnavailable},
		"down":                       {said("server_error") + failed, CauseUnavailable},
		"bad request":                {said("unknown") + failed, ""},
		"budget":                     {`{"type":"result","subtype":"error_max_budget_usd","is_error":true,"errors":["Reached maximum budget ($0.01)"]}`, CauseCost},
		"session":                    {`{"type":"result","subtype":"error_during_execution","is_error":true,"errors":["No conversation found with session ID: 0"]}`, CauseSession},
		"an error that was overcome": {said("overloaded") + `{"type":"assistant","message":{"id":"m","model":"opus","content":[]}}` + "\n" + failed, ""},
		"success":                    {said("overloaded") + `{"type":"result","subtype":"success","result":"x"}`, ""},
	} {
		events := decode(NewClaude(), []byte(c.lines), 50)
		if last := events[len(events)-1]; last.Kind != EventResult || last.Cause != c.want {
			t.Errorf("%s: %+v, want the cause %q", name, last, c.want)
		}
	}
}

func TestClaudeTellsOfRetries(t *testing.T) {
	for line, want := range map[string]string{
		`{"type":"system","subtype":"api_retry","attempt":2,"max_retries":10,"error_status":529,"error":"overloaded"}`:   "retry the API is overloaded (529), retry 2 of 10",
		`{"type":"system","subtype":"api_retry","attempt":1,"max_retries":10,"error_status":null,"error":"unknown"}`:     "retry the API cannot be reached, retry 1 of 10",
		`{"type":"system","subtype":"api_retry","attempt":1,"max_retries":10,"error_status":429,"error":"rate_limit"}`:   "retry the API limits the rate (429), retry 1 of 10",
		`{"type":"system","subtype":"api_retry","attempt":1,"max_retries":10,"error_status":502,"error":"server_error"}`: "retry the API fails (502), retry 1 of 10",
	} {
		if events := decode(NewClaude(), []byte(line), 50); len(events) != 1 || brief(events[0]) != want {
			t.Errorf("%+v, want %s", events, want)
		}
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
