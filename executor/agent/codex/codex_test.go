package codex

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
	agenttest.Contract(t, New("/opt/codex", "--debug"), agenttest.Recorded(t, root, "codex", ".jsonl"))
	agenttest.Transcript(t, New().(agent.Transcriber), agenttest.Recorded(t, root, "codex/transcripts", ".jsonl"))
}

func TestRecordingsSayWhatHappened(t *testing.T) {
	agenttest.SayWhatHappened(t, New(), agenttest.Recorded(t, root, "codex", ".jsonl"), agenttest.Brief, filepath.Join("testdata", "recordings.txt"), *update)
	reader := agenttest.Reader{Transcriber: New().(agent.Transcriber)}
	agenttest.SayWhatHappened(t, reader, agenttest.Recorded(t, root, "codex/transcripts", ".jsonl"), agenttest.Brief, filepath.Join("testdata", "transcripts.txt"), *update)
}

// TestStandardError: reports that Codex only writes there become events, in pieces of any size.
func TestStandardError(t *testing.T) {
	recorded := agenttest.Recorded(t, root, "codex", ".stderr")
	for name, want := range map[string]string{
		"denied":          "denied apply_patch: writing is blocked by read-only sandbox writes=true",
		"outside":         "denied apply_patch: writing outside of the project writes=true",
		"unknown-session": `result "thread/resume: thread/resume failed: no rollout found for thread id 00000000-0000-4000-8000-000000000001 (code -32600)" failed=true turns=0 cost=0 cause=session`,
	} {
		for _, size := range []int{1, 50, 10000} {
			d := New().Decoder().(agent.StderrDecoder)
			var got []string
			for piece := range slices.Chunk(slices.Clone(recorded[name]), size) {
				for _, ev := range d.FeedStderr(piece) {
					got = append(got, agenttest.Brief(ev))
				}
				clear(piece)
			}
			if !slices.Equal(got, []string{want}) {
				t.Errorf("%s in pieces of %d: %q, want %q", name, size, got, want)
			}
		}
	}
}

func TestCommandLine(t *testing.T) {
	begin := []string{"codex", "exec", "--json", "--skip-git-repo-check", "-c", `approval_policy="never"`, "-c"}
	const session = "01a20734-d03d-7e60-8b1f-9b825e2f9bac"
	tools := agent.Tools{Name: "agentflow", Argv: []string{`/opt/agent "flow"`, "mcp"}, Variables: []string{"AGENTFLOW_RUN_ID"}}
	for name, c := range map[string]struct {
		req  agent.Request
		want []string
	}{
		"plain": {agent.Request{}, append(begin, `sandbox_mode="workspace-write"`, "-")},
		"commits": {agent.Request{Writable: []string{"/a/.git", `/b"c`}, Args: []string{"--oss"}},
			append(begin, `sandbox_mode="workspace-write"`, "-c", `sandbox_workspace_write.writable_roots=["/a/.git","/b\"c"]`, "-", "--oss")},
		"read only": {agent.Request{Permission: ReadOnly, Writable: []string{"/a/.git"}, Model: "gpt-5.5"},
			append(begin, `sandbox_mode="read-only"`, "--model", "gpt-5.5", "-")},
		"tools": {agent.Request{Tools: tools}, append(begin, `sandbox_mode="workspace-write"`, "-c", `mcp_servers.agentflow.command="/opt/agent \"flow\""`,
			"-c", `mcp_servers.agentflow.args=["mcp"]`, "-c", `mcp_servers.agentflow.env_vars=["AGENTFLOW_RUN_ID"]`, "-")},
		"resume": {agent.Request{Resume: session}, append(slices.Insert(slices.Clone(begin), 2, "resume"), `sandbox_mode="workspace-write"`, session, "-")},
	} {
		cmd, err := New().Command(c.req)
		if err != nil || !slices.Equal(cmd.Argv, c.want) {
			t.Errorf("%s: %v\n got %q\nwant %q", name, err, cmd.Argv, c.want)
		}
	}
	if _, err := New().Command(agent.Request{Resume: "--dangerously-bypass-approvals-and-sandbox"}); err == nil {
		t.Error("an option was taken for a session")
	}
	if cmd, _ := New().Command(agent.Request{MaxCostUSD: 1}); len(cmd.Notes) != 1 {
		t.Errorf("notes %q on a spend cap that is not held", cmd.Notes)
	}
}

// TestWhyItFailed uses messages of version 0.169.0 about failed turns.
func TestWhyItFailed(t *testing.T) {
	for message, want := range map[string]struct {
		text  string
		cause agent.Cause
	}{
		"unexpected status 401 Unauthorized: no key, url: http://127.0.0.1/v1/responses":                   {"", agent.CauseLogin},
		"Missing environment variable: `MODEL_KEY`.":                                                       {"", agent.CauseLogin},
		"exceeded retry limit, last status: 429 Too Many Requests":                                         {"", agent.CauseUnavailable},
		"We’re currently experiencing high demand, which may cause temporary errors.":                      {"", agent.CauseUnavailable},
		`{"error":{"code":400,"message":"the request was not understood","type":"invalid_request_error"}}`: {"the request was not understood", ""},
		`{"detail":"not supported"}`:                                                                       {"not supported", ""},
		`{"other":1}`:                                                                                      {"", ""},
	} {
		quoted := quoted(message)
		if want.text == "" {
			want.text = message
		}
		for _, lines := range []string{
			`{"type":"error","message":` + quoted + `}` + "\n" + `{"type":"turn.failed","error":{"message":` + quoted + `}}`,
			`{"type":"error","message":` + quoted + `}`,
		} {
			events := agenttest.Decode(New(), []byte(lines), 50)
			last := events[len(events)-1]
			if last.Kind != agent.Result || !last.Failed || last.Text != want.text || last.Cause != want.cause {
				t.Errorf("%s: %+v", message, last)
			}
		}
	}
}

// TestPrompts: text that the user typed is a prompt, and text that Codex or a hook added is
// not.
func TestPrompts(t *testing.T) {
	files := agenttest.Recorded(t, root, "codex/transcripts", ".jsonl")
	reader := agenttest.Reader{Transcriber: New().(agent.Transcriber)}
	var asked []string
	for _, ev := range agenttest.Decode(reader, files["hooks"], 1000) {
		if ev.Kind == agent.Asked {
			asked = append(asked, ev.Text)
		}
	}
	if !slices.Equal(asked, []string{"First question\nof two lines", "Second question"}) {
		t.Errorf("asked %q", asked)
	}
	if !strings.Contains(string(files["hooks"]), "A hook added this.") || !strings.Contains(string(files["hooks"]), "<environment_context>") {
		t.Error("the recording has no text of hooks or of Codex")
	}
}

func FuzzDecoder(f *testing.F) {
	agenttest.Fuzz(f, New(), agenttest.Recorded(f, root, "codex", ".jsonl"), `{"type":"turn.failed","error":{"message":"the end"}}`)
}

func FuzzTranscript(f *testing.F) {
	agenttest.Fuzz(f, agenttest.Reader{Transcriber: New().(agent.Transcriber)}, agenttest.Recorded(f, root, "codex/transcripts", ".jsonl"),
		`{"timestamp":"2026-11-21T10:00:00Z","type":"event_msg","payload":{"type":"item_completed","item":{"type":"UserMessage","id":"u","content":[{"text":"the end"}]}}}`)
}

func FuzzStandardError(f *testing.F) {
	for _, data := range agenttest.Recorded(f, root, "codex", ".stderr") {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, ev := range New().Decoder().(agent.StderrDecoder).FeedStderr(data) {
			if ev.Kind != agent.Denied && ev.Kind != agent.Result {
				t.Errorf("%+v", ev)
			}
		}
	})
}
