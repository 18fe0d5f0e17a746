package modeltest_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"agentflow/internal/testing/modeltest"
)

const mainBody = `{"model":"m","tools":[{"name":"Bash"}],"messages":[{"role":"user","content":[` +
	`{"type":"text","text":"<system-reminder>\nnot the prompt\n</system-reminder>"},{"type":"text","text":"do it"}]},` +
	`{"role":"system","content":"agents"},{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"Bash","input":{}}]},` +
	`{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"out","is_error":true}]}]}`

func post(t *testing.T, url, agent, body string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/v1/messages?beta=true", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if agent != "" {
		req.Header.Set("X-Claude-Code-Agent-Id", agent)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	return resp
}

// read returns the events' names and the text and tool input they carry.
func read(t *testing.T, resp *http.Response) (names []string, text string) {
	t.Helper()
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		var ev struct {
			Type  string
			Delta struct {
				Text        string
				PartialJSON string `json:"partial_json"`
			}
		}
		if err := json.Unmarshal([]byte(data), &ev); err != nil {
			t.Fatalf("event %q: %v", data, err)
		}
		names = append(names, ev.Type)
		text += ev.Delta.Text + ev.Delta.PartialJSON
	}
	return names, text
}

func TestTurnIsStreamedInTheOrderOfTheAPI(t *testing.T) {
	s := modeltest.New(t, modeltest.Script{Main: []modeltest.Turn{
		modeltest.Say("Writing. ").Use("Write", map[string]string{"file_path": "/a"}),
	}})
	names, text := read(t, post(t, s.URL, "", mainBody))
	block := []string{"content_block_start", "content_block_delta", "content_block_stop"}
	want := slices.Concat([]string{"message_start"}, block, block, []string{"message_delta", "message_stop"})
	if !slices.Equal(names, want) {
		t.Errorf("events %v, want %v", names, want)
	}
	if text != `Writing. {"file_path":"/a"}` {
		t.Errorf("content %q", text)
	}
}

func TestConversationsAreToldApart(t *testing.T) {
	s := modeltest.New(t, modeltest.Script{
		Main: []modeltest.Turn{modeltest.Say("main 1"), modeltest.Say("main 2")},
		Sub:  []modeltest.Turn{modeltest.Say("sub 1")},
	})
	for _, c := range []struct{ agent, body, want string }{
		{"", mainBody, "main 1"},
		{"", `{"model":"small","messages":[{"role":"user","content":"a title, please"}]}`, "side answer"},
		{"a1", mainBody, "sub 1"},
		{"", mainBody, "main 2"},
	} {
		if _, got := read(t, post(t, s.URL, c.agent, c.body)); got != c.want {
			t.Errorf("answer %q, want %q", got, c.want)
		}
	}
	if got := s.Prompts(); !slices.Equal(got, []string{"do it"}) {
		t.Errorf("prompts %q", got)
	}
	if got := s.Requests(modeltest.Main)[0].Results(); !slices.Equal(got, []string{`"out"`}) {
		t.Errorf("results %q", got)
	}
}

func TestHugeTextArrivesWhole(t *testing.T) {
	huge := strings.Repeat("ab\u4e16", 700_001)
	s := modeltest.New(t, modeltest.Script{Main: []modeltest.Turn{modeltest.Say(huge)}})
	if _, got := read(t, post(t, s.URL, "", mainBody)); got != huge {
		t.Errorf("%d bytes, want %d", len(got), len(huge))
	}
}

func TestErrorHasTheAPIsShape(t *testing.T) {
	s := modeltest.New(t, modeltest.Script{Main: []modeltest.Turn{modeltest.Fail(400, "invalid_request_error", "no")}})
	resp := post(t, s.URL, "", mainBody)
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != 400 {
		t.Fatalf("status %d, %v", resp.StatusCode, err)
	}
	if want := `{"error":{"message":"no","type":"invalid_request_error"},"type":"error"}`; strings.TrimSpace(string(body)) != want {
		t.Errorf("body %s, want %s", body, want)
	}
}

func TestSilenceHoldsUntilTheClientLeaves(t *testing.T) {
	s := modeltest.New(t, modeltest.Script{Main: []modeltest.Turn{modeltest.Silence()}})
	ctx, cancel := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/v1/messages", strings.NewReader(mainBody))
	if err != nil {
		t.Fatal(err)
	}
	go func() { // leave only when the request has surely arrived
		<-s.Arrived(1)
		cancel()
	}()
	if resp, err := http.DefaultClient.Do(req); err == nil {
		resp.Body.Close()
		t.Error("an answer came")
	}
}

// The requests of the other agents, and a part of the answers that they read.
func TestOtherProtocolsUseTheSameScript(t *testing.T) {
	const tools = `{"tools":[{"name":"write"}]}`
	s := modeltest.New(t, modeltest.Script{Always: true, Main: []modeltest.Turn{
		modeltest.Custom("apply_patch", "*** Begin Patch"), modeltest.UseIn("mcp", "search", []int{1}), modeltest.Use("write", map[string]string{"a": "b"}), modeltest.Use("write", []int{2}), modeltest.Fail(500, "scripted", "out of order"),
	}})
	for _, c := range []struct{ path, body, want string }{
		{"/v1/responses", tools, `"input":"*** Begin Patch"`},
		{"/v1/responses", tools, `"arguments":"[1]","call_id":"call_0002_0","id":"item_0002_0","name":"search","namespace":"mcp"`},
		{"/v1/responses", `{}`, `next_speaker`},
		{"/v1/chat/completions", tools, `"function":{"arguments":"{\"a\":\"b\"}","name":"write"}`},
		{"/v1beta/models/m:streamGenerateContent", tools, `data: {"candidates":[{"content":{"parts":[{"functionCall":{"args":[2],"name":"write"}}]`},
		{"/v1beta/models/m:generateContent", `{}`, `{"candidates":[{"content":{"parts":[{"text":"{\"reasoning\"`},
		{"/v1beta/models/m:countTokens", `{}`, `{"totalTokens":100}`},
		{"/v1/responses", tools, `{"error":{"code":500,"message":"out of order","status":"SCRIPTED","type":"scripted"}}`},
		{"/v1/chat/completions", tools, `"message":"out of order"`},
		{"/v1/models", `{}`, `{}`},
	} {
		resp, err := http.Post(s.URL+c.path, "application/json", strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || !strings.Contains(string(got), c.want) {
			t.Errorf("%s: got %s (%v), want %s", c.path, got, err, c.want)
		}
	}
	if n := len(s.Requests(modeltest.Main)); n != 6 {
		t.Errorf("%d requests used a turn", n)
	}
}
