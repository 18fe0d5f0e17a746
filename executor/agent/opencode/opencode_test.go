package opencode

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
	agenttest.Contract(t, New("/opt/opencode", "--pure"), agenttest.Recorded(t, root, "opencode", ".jsonl"))
}

func TestRecordingsSayWhatHappened(t *testing.T) {
	agenttest.SayWhatHappened(t, New(), agenttest.Recorded(t, root, "opencode", ".jsonl"), agenttest.Brief, filepath.Join("testdata", "recordings.txt"), *update)
}

func TestStandardError(t *testing.T) {
	recorded := agenttest.Recorded(t, root, "opencode", ".stderr")["unknown-session"]
	for _, size := range []int{1, 1000} {
		d := New().Decoder().(agent.StderrDecoder)
		var events []agent.Event
		for piece := range slices.Chunk(slices.Clone(recorded), size) {
			events = append(events, d.FeedStderr(piece)...)
		}
		if events = append(events, d.Close()...); len(events) != 1 || events[0].Cause != agent.CauseSession || events[0].Text != "Session not found" || !events[0].Failed {
			t.Errorf("in pieces of %d: %+v", size, events)
		}
	}
}

func TestCommandLine(t *testing.T) {
	const session = "ses_df8ba08a1ffe3o35k6nGqsjQx0"
	for name, c := range map[string]struct {
		req  agent.Request
		want []string
		env  string
	}{
		"plain":  {agent.Request{}, nil, permissions[Edit]},
		"all":    {agent.Request{Permission: Full, Model: "a/b", Args: []string{"--pure"}}, []string{"--model", "a/b", "--pure"}, permissions[Full]},
		"own":    {agent.Request{Permission: `{"bash":{"git *":"allow"}}`}, nil, `{"bash":{"git *":"allow"}}`},
		"resume": {agent.Request{Resume: session}, []string{"--session", session}, permissions[Edit]},
	} {
		cmd, err := New().Command(c.req)
		if want := append([]string{"opencode", "run", "--format", "json"}, c.want...); err != nil || !slices.Equal(cmd.Argv, want) || cmd.Env[0] != "OPENCODE_PERMISSION="+c.env {
			t.Errorf("%s: %v\n got %q, %q\nwant %q", name, err, cmd.Argv, cmd.Env, want)
		}
	}
	for _, req := range []agent.Request{{Resume: "--auto"}, {Permission: "most"}, {Permission: "[]"}, {Permission: "null"}} {
		if _, err := New().Command(req); err == nil {
			t.Errorf("%+v was taken", req)
		}
	}
}

// TestTools: they are added to settings of the user's that come the same way.
func TestTools(t *testing.T) {
	req := agent.Request{Tools: agent.Tools{Name: "agentflow", Argv: []string{"/opt/agent flow", "mcp"}}}
	const server = `"agentflow":{"command":["/opt/agent flow","mcp"],"enabled":true,"type":"local"}`
	for given, want := range map[string]string{
		"": `{"mcp":{` + server + `}}`,
		`{"model":"a/b","mcp":{"x":{"type":"remote"}}}`: `{"mcp":{` + server + `,"x":{"type":"remote"}},"model":"a/b"}`,
		`no json`: "",
	} {
		req.Environ = []string{contentVar + "=" + given}
		cmd, err := New().Command(req)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, pair := range cmd.Env {
			if text, is := strings.CutPrefix(pair, contentVar+"="); is {
				got = text
			}
		}
		if got != want || (want == "") != (len(cmd.Notes) == 1) {
			t.Errorf("%s: %s, notes %q, want %s", given, got, cmd.Notes, want)
		}
	}
}

func FuzzDecoder(f *testing.F) {
	agenttest.Fuzz(f, New(), agenttest.Recorded(f, root, "opencode", ".jsonl"),
		`{"type":"error","sessionID":"","error":{"name":"UnknownError","data":{}}}`)
}

func FuzzStandardError(f *testing.F) {
	for _, data := range agenttest.Recorded(f, root, "opencode", ".stderr") {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if events := New().Decoder().(agent.StderrDecoder).FeedStderr(data); len(events) > 1 {
			t.Errorf("%+v", events)
		}
	})
}
