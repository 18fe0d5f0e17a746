package chat

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"agentflow/app"
)

// TestAnswersEnd: an endless response of a server is abandoned, and not requested again.
func TestAnswersEnd(t *testing.T) {
	const begin = `event: message_start
data: {"type":"message_start","message":{"id":"m","type":"message","role":"assistant","content":[],"usage":{"input_tokens":-1000000000,"output_tokens":1}}}

`
	piece := strings.Repeat("x", 50_000)
	for name, c := range map[string]struct {
		status             int
		first, again, text string
	}{
		"a text":     {200, begin + block(`{"type":"text","text":""}`), delta(`{"type":"text_delta","text":"` + piece + `"}`), errEndless.Error()},
		"a call":     {200, begin + block(`{"type":"tool_use","id":"t","name":"memory","input":{}}`), delta(`{"type":"input_json_delta","partial_json":"` + piece + `"}`), errEndless.Error()},
		"a ping":     {200, begin, strings.Repeat("event: ping\ndata: {\"type\":\"ping\"}\n\n", 1000), errEndless.Error()},
		"an error":   {400, "", piece, "asking anthropic"},
		"no message": {200, "", strings.Repeat(": nothing\n", 1000), "asking anthropic"},
	} {
		t.Run(name, func(t *testing.T) {
			asked, most := 0, 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				asked++
				w.Header().Set("Content-Type", "text/event-stream")
				w.WriteHeader(c.status)
				fmt.Fprint(w, c.first)
				for sent := 0; sent < 4*maxAnswer; most = max(most, sent) {
					n, err := fmt.Fprint(w, c.again)
					if sent += n; err != nil {
						return
					}
				}
			}))
			t.Cleanup(server.Close)
			u := newUser(t)
			u.settings(fmt.Sprintf("base_url = %q", server.URL))
			conversation := u.begin(Options{})
			_, err := conversation.Ask(t.Context(), "q")
			server.Close() // and waits for what it still sends
			if err == nil || !strings.Contains(err.Error(), c.text) || app.AsError(err).Kind == app.KindInternal {
				t.Errorf("ended with %v", err)
			}
			if asked != 1 && c.text == errEndless.Error() || most >= 4*maxAnswer || conversation.spent < 0 {
				t.Errorf("asked %d times, took %d bytes at once, spent %v", asked, most, conversation.spent)
			}
		})
	}
}

func block(content string) string {
	return "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":" + content + "}\n\n"
}

func delta(of string) string {
	return "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":" + of + "}\n\n"
}
