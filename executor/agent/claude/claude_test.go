package claude

import (
	"encoding/json"
	"flag"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"agentflow/executor/agent"
	"agentflow/gitwatch/toolcalls"
	"agentflow/internal/testing/agenttest"
)

var update = flag.Bool("update", false, "write testdata/recordings.txt anew")

const root = "../../.."

func TestContract(t *testing.T) {
	for name, a := range map[string]agent.Agent{"claude": New(), "path": New("/opt/claude", "--debug")} {
		t.Run(name, func(t *testing.T) { agenttest.Contract(t, a, agenttest.Recordings(t, root)) })
	}
}

// TestRecordingsSayWhatHappened compares the decoder's events for the recordings with
// testdata/recordings.txt, which people have checked. Run with -update to rewrite that file.
func TestRecordingsSayWhatHappened(t *testing.T) {
	agenttest.SayWhatHappened(t, New(), agenttest.Recordings(t, root), agenttest.Brief, filepath.Join("testdata", "recordings.txt"), *update)
}

func TestClaudeCommandLine(t *testing.T) {
	cmd, err := New().Command(agent.Request{
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

// TestClaudeGetsTools: the tools that read are allowed in addition to the user's, and neither
// list includes later arguments.
func TestClaudeGetsTools(t *testing.T) {
	tools := agent.Tools{Name: "agentflow", Argv: []string{"/opt/agent flow", "mcp", "--x=\"y\""}, Reading: []string{"memory_search"}}
	cmd, err := New().Command(agent.Request{AllowedTools: []string{"Edit"}, Tools: tools, Args: []string{"--debug"}})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"claude", "-p", "--output-format", "stream-json", "--allowedTools", "Edit", "mcp__agentflow__memory_search",
		"--mcp-config", `{"mcpServers":{"agentflow":{"type":"stdio","command":"/opt/agent flow","args":["mcp","--x=\"y\""],"alwaysLoad":true}}}`, "--verbose", "--debug",
	}
	if !slices.Equal(cmd.Argv, want) {
		t.Errorf("got  %q\nwant %q", cmd.Argv, want)
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
		"a huge line":       strings.Repeat("x", agent.MaxLine+10) + "\n" + result,
		"megabytes":         `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"a","content":"` + strings.Repeat("y", 5<<20) + `"}]}}` + "\n" + result,
	} {
		t.Run(name, func(t *testing.T) {
			events := agenttest.Decode(New(), []byte(lines), 64<<10)
			last := events[len(events)-1]
			if last.Kind != agent.Result || last.Text != "fine" || last.Failed {
				t.Errorf("the last event is %+v", last)
			}
			said := slices.ContainsFunc(events, func(ev agent.Event) bool { return ev.Kind == agent.Said && ev.Text == "said" })
			if name == "wrong type inside" && !said {
				t.Errorf("the text beside a wrong field was lost: %+v", events)
			}
		})
	}
}

// TestClaudeTellsWhyItFailed uses lines of version 2.1.197, reduced to the relevant fields.
func TestClaudeTellsWhyItFailed(t *testing.T) {
	said := func(kind string) string {
		return `{"type":"assistant","message":{"model":"<synthetic>","content":[{"type":"text","text":"x"}]},"error":"` + kind + `"}` + "\n"
	}
	const failed = `{"type":"result","subtype":"success","is_error":true,"result":"x"}`
	for name, c := range map[string]struct {
		lines string
		want  agent.Cause
	}{
		"login":                      {said("authentication_failed") + failed, agent.CauseLogin},
		"overloaded":                 {said("overloaded") + failed, agent.CauseUnavailable},
		"down":                       {said("server_error") + failed, agent.CauseUnavailable},
		"bad request":                {said("unknown") + failed, ""},
		"budget":                     {`{"type":"result","subtype":"error_max_budget_usd","is_error":true,"errors":["Reached maximum budget ($0.01)"]}`, agent.CauseCost},
		"session":                    {`{"type":"result","subtype":"error_during_execution","is_error":true,"errors":["No conversation found with session ID: 0"]}`, agent.CauseSession},
		"an error that was overcome": {said("overloaded") + `{"type":"assistant","message":{"id":"m","model":"opus","content":[]}}` + "\n" + failed, ""},
		"success":                    {said("overloaded") + `{"type":"result","subtype":"success","result":"x"}`, ""},
	} {
		events := agenttest.Decode(New(), []byte(c.lines), 50)
		if last := events[len(events)-1]; last.Kind != agent.Result || last.Cause != c.want {
			t.Errorf("%s: %+v, want the cause %q", name, last, c.want)
		}
	}
}

func TestClaudeTellsOfRetries(t *testing.T) {
	for line, want := range map[string]string{
		`{"type":"system","subtype":"api_retry","attempt":2,"max_retries":10,"error_status":529,"error":"overloaded"}`:                          "retry the API is overloaded (529), retry 2 of 10",
		`{"type":"system","subtype":"api_retry","attempt":1,"max_retries":10,"error_status":null,"error":"unknown"}`:                            "retry the API cannot be reached, retry 1 of 10",
		`{"type":"system","subtype":"api_retry","attempt":1,"max_retries":10,"error_status":429,"error":"rate_limit"}`:                          "retry the API limits the rate (429), retry 1 of 10",
		`{"type":"system","subtype":"api_retry","attempt":1,"max_retries":10,"error_status":502,"error":"server_error"}`:                        "retry the API fails (502), retry 1 of 10",
		`{"type":"system","subtype":"api_retry","attempt":3,"max_retries":10,"retry_delay_ms":12012.4,"error_status":529,"error":"overloaded"}`: "retry the API is overloaded (529), retry 3 of 10 in 12s",
		`{"type":"system","subtype":"api_retry","attempt":1,"max_retries":10,"retry_delay_ms":480,"error_status":529,"error":"overloaded"}`:     "retry the API is overloaded (529), retry 1 of 10",
	} {
		if events := agenttest.Decode(New(), []byte(line), 50); len(events) != 1 || agenttest.Brief(events[0]) != want {
			t.Errorf("%+v, want %s", events, want)
		}
	}
}

// TestResultBehindAResult: a run that continues after its result, because a background task has
// ended, has one number of turns and names each denied call once.
func TestResultBehindAResult(t *testing.T) {
	const denials = `"permission_denials":[{"tool_name":"Bash","tool_use_id":"t1","tool_input":{"command":"make"}}]`
	lines := `{"type":"result","result":"a","num_turns":2,` + denials + "}\n" + `{"type":"result","result":"b","num_turns":1,` + denials + "}"
	var got []string
	for _, ev := range agenttest.Decode(New(), []byte(lines), 50) {
		got = append(got, agenttest.Brief(ev))
	}
	want := []string{"denied Bash make writes=false", `result "a" failed=false turns=2 cost=0`, `result "b" failed=false turns=3 cost=0`}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestSubagentsWrites: the results of a subagent's file tools do not report the written
// content, but the calls do.
func TestSubagentsWrites(t *testing.T) {
	var got []toolcalls.Write
	var edits []toolcalls.Edit
	for _, ev := range agenttest.Decode(New(), agenttest.Recordings(t, root)["subagent-work"], 50) {
		for _, w := range ev.Wrote {
			edits = append(edits, *w.Edit)
			w.Edit = nil
			got = append(got, w)
		}
	}
	if len(edits) != 2 || edits[0].Old == "" || edits[0].New == "" || !edits[1].Whole || edits[1].New != "new\n" {
		t.Errorf("edits %+v", edits)
	}
	if want := []toolcalls.Write{{Path: "main.go"}, {Path: "new.txt", Before: toolcalls.NoText, After: toolcalls.TextID([]byte("new\n"))}}; !slices.Equal(got, want) {
		t.Errorf("wrote %+v, want %+v", got, want)
	}
}

// TestTasksThatTheAgentStopped were not left running: they ended before its last
// turn did.
func TestTasksThatTheAgentStopped(t *testing.T) {
	const started = `{"type":"system","subtype":"task_started","task_id":"b1","description":"Serve"}` + "\n"
	const stopped = `{"type":"system","subtype":"task_notification","task_id":"b1","status":"stopped"}` + "\n"
	const ended = `{"type":"system","subtype":"task_notification","task_id":"b1","status":"completed"}` + "\n"
	const result = `{"type":"result","result":"a"}` + "\n"
	const more = `{"type":"assistant","message":{"id":"m","content":[]}}` + "\n"
	for _, c := range []struct {
		lines string
		want  []string
	}{
		{started + result + stopped, []string{"Serve"}},
		{started + stopped + result, nil},
		{started + result + ended, nil},
		{started + result + more + stopped + result, nil},
		{result + stopped, nil},
	} {
		var got []string
		for _, ev := range agenttest.Decode(New(), []byte(c.lines), 50) {
			if ev.Kind == agent.Left {
				got = append(got, ev.Text)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q were left, want %q", c.lines, got, c.want)
		}
	}
}

func FuzzClaudeDecoder(f *testing.F) {
	for _, data := range agenttest.Recordings(f, root) {
		f.Add(data[:min(len(data), 8000)], 10)
	}
	f.Add([]byte(`{"type":"assistant","message":{"content":"plain"}}`), 3)
	f.Fuzz(func(t *testing.T, data []byte, size int) {
		size = max(1, min(size, len(data)+1))
		whole := agenttest.Decode(New(), data, len(data)+1)
		if cut := agenttest.Decode(New(), data, size); !reflect.DeepEqual(cut, whole) {
			t.Errorf("in pieces of %d: %v, whole: %v", size, cut, whole)
		}
		// Earlier text does not change the meaning of a complete line.
		after := agenttest.Decode(New(), append(slices.Clone(data), "\n{\"type\":\"result\",\"result\":\"end\"}\n"...), 50)
		last := after[len(after)-1]
		if last.Kind != agent.Result || last.Text != "end" {
			t.Errorf("the last event is %+v", last)
		}
		for _, ev := range whole {
			if _, err := json.Marshal(ev); err != nil {
				t.Error(fmt.Errorf("%+v: %w", ev, err))
			}
		}
	})
}
