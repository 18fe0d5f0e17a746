package gemini

import (
	"flag"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agentflow/executor/agent"
	"agentflow/internal/testing/agenttest"
)

var update = flag.Bool("update", false, "write testdata/*.txt anew")

const root = "../../.."

func TestContract(t *testing.T) {
	agenttest.Contract(t, New("/opt/gemini", "--debug"), agenttest.Recorded(t, root, "gemini", ".jsonl"))
}

func TestRecordingsSayWhatHappened(t *testing.T) {
	agenttest.SayWhatHappened(t, New(), agenttest.Recorded(t, root, "gemini", ".jsonl"), agenttest.Brief, filepath.Join("testdata", "recordings.txt"), *update)
}

// TestStandardError: reports that the CLI only writes there become events, in pieces of any
// size. The objects that it dumps there do not.
func TestStandardError(t *testing.T) {
	recorded := agenttest.Recorded(t, root, "gemini", ".stderr")
	for name, want := range map[string][]string{
		"api-500": {"retry the API fails (500), try 1 failed", "retry the API fails (500), try 2 failed", "retry the API fails (500), try 3 failed"},
		"unknown-session": {
			`result "Error resuming session: No previous sessions found for this project." failed=true turns=0 cost=0 cause=session`},
		"untrusted": {
			`result "the Gemini CLI does not trust this folder: start \"gemini\" here once and say that you do, or set [agent.gemini] args = [\"--skip-trust\"]" failed=true turns=0 cost=0`},
	} {
		for _, size := range []int{1, 50, 100000} {
			d := New().Decoder().(agent.StderrDecoder)
			var got []string
			for piece := range slices.Chunk(slices.Clone(recorded[name]), size) {
				for _, ev := range d.FeedStderr(piece) {
					got = append(got, agenttest.Brief(ev))
				}
				clear(piece)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s in pieces of %d: %q, want %q", name, size, got, want)
			}
		}
	}
}

func TestCommandLine(t *testing.T) {
	begin := []string{"gemini", "--output-format", "stream-json", "--approval-mode"}
	const session = "01a20734-d03d-4e60-8b1f-9b825e2f9bac"
	for name, c := range map[string]struct {
		req  agent.Request
		want []string
	}{
		"plain":  {agent.Request{}, append(begin, "auto_edit")},
		"all":    {agent.Request{Permission: Yolo, Model: "gemini-2.5-pro", Args: []string{"--skip-trust"}}, append(begin, "yolo", "--model", "gemini-2.5-pro", "--skip-trust")},
		"resume": {agent.Request{Resume: session}, append(begin, "auto_edit", "--resume", session)},
	} {
		cmd, err := New().Command(c.req)
		if err != nil || !slices.Equal(cmd.Argv, c.want) {
			t.Errorf("%s: %v\n got %q\nwant %q", name, err, cmd.Argv, c.want)
		}
	}
	if _, err := New().Command(agent.Request{Resume: "--yolo"}); err == nil {
		t.Error("an option was taken for a session")
	}
}

// TestTools: the agent runs without tools, and reports that.
func TestTools(t *testing.T) {
	cmd, err := New().Command(agent.Request{Tools: agent.Tools{Name: "agentflow", Argv: []string{"/opt/agentflow", "mcp"}}, MaxCostUSD: 1})
	if err != nil || len(cmd.Notes) != 2 || !strings.Contains(cmd.Notes[1], "without the tools") {
		t.Errorf("%v, notes %q", err, cmd.Notes)
	}
}

func FuzzDecoder(f *testing.F) {
	agenttest.Fuzz(f, New(), agenttest.Recorded(f, root, "gemini", ".jsonl"), `{"type":"tool_use","tool_name":"glob","tool_id":"end","parameters":{"pattern":"x"}}`)
}

func FuzzStandardError(f *testing.F) {
	for _, data := range agenttest.Recorded(f, root, "gemini", ".stderr") {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, ev := range New().Decoder().(agent.StderrDecoder).FeedStderr(data) {
			if ev.Kind != agent.Retry && ev.Kind != agent.Result {
				t.Errorf("%+v", ev)
			}
		}
	})
}
