package chat

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"agentflow/internal/describe"
)

// FuzzCall parses arbitrary tool calls of a model.
func FuzzCall(f *testing.F) {
	f.Add("memory", `{"command":"view","path":"/memories","view_range":[1,-1]}`)
	f.Add("memory_search", `{"query":"x","limit":99999999999,"since":"30d","until":"2026-11-21"}`)
	f.Add("memory_search", `{"query":"x"}{}`)
	f.Add("bash\x00\xff", `nul`)
	f.Fuzz(func(t *testing.T, name, input string) {
		c, err := parseCall(name, []byte(input), time.Unix(1795000000, 0))
		switch {
		case err != nil:
			if len(err.Error()) > 1000+6*len(input) {
				t.Errorf("a long error: %d bytes", len(err.Error()))
			}
		case (c.memory == nil) == (c.search == nil):
			t.Error("a call means one thing")
		case c.search != nil && (c.search.Limit < 1 || c.search.Limit > 20 || strings.TrimSpace(c.search.Text) == ""):
			t.Errorf("a search is %+v", c.search)
		case c.memory != nil && strings.Contains(acknowledgement(*c.memory), "\n"):
			t.Error("an acknowledgement has several lines")
		}
	})
}

// FuzzFence quotes text of memory.
func FuzzFence(f *testing.F) {
	f.Add("a\n| b\r\nc\u2028d", 5)
	f.Add("- ~~gone~~\n---\n<!-- id=1 -->\nkept", 1000)
	f.Fuzz(func(t *testing.T, text string, tokens int) {
		tokens = min(max(tokens, 1), 10_000)
		for _, part := range []string{beginning(describe.Prose(text), tokens), end(describe.Prose(text), tokens)} {
			if len(part) > len(describe.Prose(text))+len("…") || utf8.ValidString(describe.Prose(text)) && !utf8.ValidString(part) {
				t.Errorf("%q became %q", text, part)
			}
			for line := range strings.Lines(strings.TrimPrefix(fenced("t", part), "t\n")) {
				if !strings.HasPrefix(line, "| ") || strings.ContainsAny(line, "\r\x1b\u2028") {
					t.Errorf("the fence lets %q out", line)
				}
			}
		}
	})
}
