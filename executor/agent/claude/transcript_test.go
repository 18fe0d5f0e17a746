package claude

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"agentflow/executor/agent"
	"agentflow/internal/testing/agenttest"
)

func reader() agenttest.Reader { return agenttest.Reader{Transcriber: New().(agent.Transcriber)} }

func TestTranscriptContract(t *testing.T) {
	agenttest.Transcript(t, reader(), agenttest.Transcripts(t, root))
}

// TestTranscriptsSayWhatHappened compares the decoder's events for the recorded sessions with
// testdata/transcripts.txt, which people have checked. Run with -update to rewrite that file.
func TestTranscriptsSayWhatHappened(t *testing.T) {
	agenttest.SayWhatHappened(t, reader(), agenttest.Transcripts(t, root), briefly, filepath.Join("testdata", "transcripts.txt"), *update)
}

// briefly returns an event as a line, with the data that only transcripts have.
func briefly(ev agent.Event) string {
	line := agenttest.Brief(ev)
	if ev.Kind == agent.Given {
		line = "given " + strings.ReplaceAll(ev.Text, "\n", " ")
	}
	for _, w := range ev.Wrote {
		line += fmt.Sprintf(" wrote %s before=%.6s after=%.6s", w.Path, w.Before, w.After)
	}
	if ev.Git {
		line += " git"
	}
	if ev.Background {
		line += " background"
	}
	return line
}

// TestForkRepeatsItsSession: the copied prompts of a fork keep their ids and times, so that a
// reader can distinguish them from new ones.
func TestForkRepeatsItsSession(t *testing.T) {
	all := agenttest.Transcripts(t, root)
	for fork, c := range map[string]struct {
		of            string
		copied, fresh int
	}{
		"print-fork":    {"print", 2, 1},
		"terminal-fork": {"terminal", 2, 1}, // only the part after the summary
	} {
		old := map[string]time.Time{}
		for _, ev := range agenttest.Decode(reader(), all[c.of], 1000) {
			if ev.Kind == agent.Asked {
				old[ev.Call] = ev.Time
			}
		}
		copied, fresh := 0, 0
		for _, ev := range agenttest.Decode(reader(), all[fork], 1000) {
			if ev.Kind != agent.Asked {
				continue
			}
			if at, was := old[ev.Call]; !was {
				fresh++
			} else if copied++; !at.Equal(ev.Time) {
				t.Errorf("%s: %q is of %v, was of %v", fork, ev.Text, ev.Time, at)
			}
		}
		if copied != c.copied || fresh != c.fresh {
			t.Errorf("%s: %d copied and %d new prompts, want %d and %d", fork, copied, fresh, c.copied, c.fresh)
		}
	}
}

// TestPrompts: only text that the user typed is a prompt. The lines are from version 2.1.197,
// reduced to the relevant fields.
func TestPrompts(t *testing.T) {
	user := func(fields, content string) string {
		text, _ := json.Marshal(content)
		return `{"type":"user",` + fields + `"message":{"role":"user","content":` + string(text) + `},"uuid":"u","timestamp":"2026-11-21T10:00:00.5Z"}`
	}
	const typed = `"permissionMode":"default","origin":{"kind":"human"},"promptSource":"typed",`
	queued := func(fields string) string {
		return `{"type":"attachment","attachment":{"type":"queued_command",` + fields + `},"uuid":"u","timestamp":"2026-11-21T10:00:00.5Z"}`
	}
	for name, c := range map[string]struct{ line, want string }{
		"typed":                            {user(typed, "do it\n"), "do it"},
		"print mode":                       {user(`"permissionMode":"default","promptSource":"sdk",`, "do it"), "do it"},
		"an old version":                   {user("", "do it"), "do it"},
		"looks like a command":             {user(typed, "<command-name> is a tag"), "<command-name> is a tag"},
		"a command for it":                 {user("", "<command-message>greet</command-message>\n<command-name>/greet</command-name>\n<command-args>the world</command-args>"), "/greet the world"},
		"without arguments":                {user("", "<command-message>greet</command-message>\n<command-name>/greet</command-name>"), "/greet"},
		"the CLI's own command":            {user("", "<command-name>/clear</command-name>\n            <command-message>clear</command-message>"), ""},
		"its output":                       {user("", "<local-command-stdout>fine</local-command-stdout>"), ""},
		"a shell command":                  {user("", "<bash-input>ls</bash-input>"), ""},
		"a caveat":                         {user(`"isMeta":true,`, "Caveat: hm"), ""},
		"a summary":                        {user(`"isCompactSummary":true,`, "This session is being continued"), ""},
		"a subagent's":                     {user(`"isSidechain":true,`, "look around"), ""},
		"a finished task":                  {user(`"permissionMode":"default","origin":{"kind":"task-notification"},`, "<task-notification>\ndone"), ""},
		"while it worked":                  {queued(`"prompt":"and this","commandMode":"prompt","origin":{"kind":"human"}`), "and this"},
		"while it worked, with a picture":  {queued(`"prompt":[{"type":"text","text":"and this"},{"type":"image"}],"commandMode":"prompt"`), "and this"},
		"a finished task of 2.1.42":        {user(`"permissionMode":"default",`, "<task-notification>\n<task-id>b1</task-id>"), ""},
		"a task of 2.1.42 while it worked": {queued(`"prompt":"<task-notification>\n<task-id>b1</task-id>","commandMode":"prompt"`), ""},
		"a task while it worked":           {queued(`"prompt":"<task-notification>","commandMode":"task-notification"`), ""},
		"an editor's words":                {`{"type":"user","permissionMode":"default","message":{"content":[{"type":"text","text":"<ide_opened_file>a.go</ide_opened_file>"},{"type":"text","text":"fix it"}]},"uuid":"u","timestamp":"2026-11-21T10:00:00.5Z"}`, "fix it"},
		"a picture alone":                  {`{"type":"user","permissionMode":"default","message":{"content":[{"type":"image"}]},"uuid":"u","timestamp":"2026-11-21T10:00:00.5Z"}`, "[Image]"},
		"nothing":                          {user(typed, " "), ""},
	} {
		var asked []agent.Event
		for _, ev := range agenttest.Decode(reader(), []byte(c.line), 50) {
			if ev.Kind == agent.Asked {
				asked = append(asked, ev)
			}
		}
		want := []agent.Event{{Kind: agent.Asked, Text: c.want, Call: "u", Time: time.Date(2026, 11, 21, 10, 0, 0, 5e8, time.UTC)}}
		if c.want == "" {
			want = nil
		}
		if !reflect.DeepEqual(asked, want) {
			t.Errorf("%s: %+v, want %+v", name, asked, want)
		}
	}
}

// TestRefusals: a tool that was not permitted differs from one that failed.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		tool, text string
		want       bool
	}{
		{"Write", "Claude requested permissions to write to /a, but you haven't granted it yet.", true},
		{"Edit", "The user doesn't want to proceed with this tool use. The tool use was rejected", true},
		{"WebFetch", "Permission to use WebFetch has been denied.", true},
		{"Bash", "This command requires approval", true},
		{"Bash", "touch in '/b' was blocked. For security, Claude Code may only create", true},
		{"Bash", "Exit code 1\nPermission to use it was not there", false},
		{"Bash", "<tool_use_error>InputValidationError</tool_use_error>", false},
		{"Bash", "[Request interrupted by user for tool use]", false},
		{"Edit", "<tool_use_error>File has not been read yet.</tool_use_error>", false},
		{"mcp__a__b", "connection refused", false},
	} {
		text, _ := json.Marshal(c.text)
		lines := `{"type":"assistant","message":{"id":"m","content":[{"type":"tool_use","id":"t","name":"` + c.tool + `","input":{}}]}}` + "\n" +
			`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","is_error":true,"content":` + string(text) + `}]}}`
		got := slices.ContainsFunc(agenttest.Decode(reader(), []byte(lines), 50), func(ev agent.Event) bool { return ev.Kind == agent.Denied })
		if got != c.want {
			t.Errorf("%s, %q: denied %v", c.tool, c.text, got)
		}
	}
}

// TestRefusalOfAnEarlierCall: a file is read in parts, and the call may be in an earlier one.
func TestRefusalOfAnEarlierCall(t *testing.T) {
	const line = `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","is_error":true,"content":"This command requires approval"}]},"timestamp":"2026-11-21T10:00:00Z"}`
	at := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	got := agenttest.Decode(reader(), []byte(line), 50)
	want := []agent.Event{{Kind: agent.Denied, Call: "t", Time: at}, {Kind: agent.ToolEnded, Call: "t", Failed: true, Time: at.Add(time.Millisecond)}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestRefusalWithWords: the words with which the user refuses a call are a prompt.
func TestRefusalWithWords(t *testing.T) {
	const lines = `{"type":"assistant","message":{"id":"m","content":[{"type":"tool_use","id":"t","name":"Bash","input":{"command":"make"}}]}}
{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","is_error":true,"content":"The user doesn't want to proceed with this tool use. ` +
		`The tool use was rejected. To tell you how to proceed, the user said:\nuse ninja instead"}]},"uuid":"u"}`
	var got []string
	for _, ev := range agenttest.Decode(reader(), []byte(lines), 50) {
		if ev.Kind == agent.Denied || ev.Kind == agent.Asked {
			got = append(got, agenttest.Brief(ev))
		}
	}
	if want := []string{"denied Bash make writes=false", "asked use ninja instead"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestErrorsThatEndATurn uses lines of version 2.1.197 at a terminal, reduced to the relevant
// fields.
func TestErrorsThatEndATurn(t *testing.T) {
	for _, c := range []struct {
		line, text string
		cause      agent.Cause
	}{
		{`"error":"authentication_failed","message":{"model":"<synthetic>","content":[{"type":"text","text":"Please run /login · API Error: 403 this key may not do that"}]}`,
			"API Error: 403 this key may not do that", agent.CauseLogin},
		{`"error":"server_error","message":{"model":"<synthetic>","content":[{"type":"text","text":"API Error: Repeated 529 Overloaded errors."}]}`,
			"API Error: Repeated 529 Overloaded errors.", agent.CauseUnavailable},
	} {
		events := agenttest.Decode(reader(), []byte(`{"type":"assistant",`+c.line+`}`), 50)
		if last := events[len(events)-1]; last.Kind != agent.Result || !last.Failed || last.Text != c.text || last.Cause != c.cause {
			t.Errorf("%+v, want %q, cause %q", last, c.text, c.cause)
		}
	}
}

func FuzzTranscript(f *testing.F) {
	for _, data := range agenttest.Transcripts(f, root) {
		for line := range bytes.Lines(data) {
			if len(line) < 2000 {
				f.Add(line, 10)
			}
		}
		f.Add(data[:min(len(data), 8000)], 7)
	}
	f.Fuzz(func(t *testing.T, data []byte, size int) {
		size = max(1, min(size, len(data)+1))
		whole := agenttest.Decode(reader(), data, len(data)+1)
		if cut := agenttest.Decode(reader(), data, size); !reflect.DeepEqual(cut, whole) {
			t.Errorf("in pieces of %d: %v, whole: %v", size, cut, whole)
		}
		for _, ev := range whole {
			if _, err := json.Marshal(ev); err != nil {
				t.Error(fmt.Errorf("%+v: %w", ev, err))
			}
		}
		// Earlier text does not change the meaning of a complete line.
		const line = "\n" + `{"type":"user","permissionMode":"default","message":{"content":"the end"},"uuid":"u","timestamp":"2026-11-21T10:00:00Z"}` + "\n"
		after := agenttest.Decode(reader(), append(slices.Clone(data), line...), 50)
		last := after[len(after)-1]
		if last.Kind != agent.Asked || last.Text != "the end" || last.Call != "u" || last.Time.IsZero() {
			t.Errorf("the last event is %+v", last)
		}
	})
}
