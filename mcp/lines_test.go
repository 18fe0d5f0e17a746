package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// TestLines: a line that is not a message gets an answer, and the server continues.
func TestLines(t *testing.T) {
	for line, code := range map[string]int{
		"what?": -32700, "\x00": -32700, `{"jsonrpc":"2.0","id":1,"method":"ping"`: -32700, `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":NaN}}`: -32700,
		"123": -32600, `"x"`: -32600, "null": -32600, "[]": -32600, "[1]": -32600, `{"id":1,"method":"ping"}`: -32600, `{"jsonrpc":"2.0","id":{},"method":"ping"}`: -32600,
		strings.Repeat(" ", maxLine): -32600, "": 0, "  \r": 0,
	} {
		in := hello + line + "\n" + `{"jsonrpc":"2.0","id":"after","method":"ping"}`
		out, err := served(t, strings.NewReader(in))
		want := fmt.Sprintf(`{"jsonrpc":"2.0","id":null,"error":{"code":%d,`, code)
		if err != nil || strings.Contains(out, want) != (code != 0) || strings.Count(out, "\n") != map[bool]int{true: 3, false: 2}[code != 0] || !strings.Contains(out, `"id":"after"`) {
			t.Errorf("%.60q: %v\n%s", line, err, out)
		}
		for answer := range strings.Lines(out) {
			if !json.Valid([]byte(answer)) {
				t.Errorf("%.60q: no JSON: %s", line, answer)
			}
		}
	}
}

// FuzzLines: all that is handed on are messages, and every message is.
func FuzzLines(f *testing.F) {
	f.Add([]byte("x\n\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n[{\"jsonrpc\":\"2.0\",\"method\":\"a\"}]\n\xff"))
	f.Fuzz(func(t *testing.T, in []byte) {
		var out bytes.Buffer
		got, err := io.ReadAll(newMessages(io.NopCloser(bytes.NewReader(in)), closing{&out}))
		if err != nil {
			t.Fatal(err)
		}
		want := 0
		for line := range bytes.Lines(in) {
			line = bytes.TrimSpace(line)
			if _, err := jsonrpc.DecodeMessage(line); err == nil && json.Valid(line) { // the former reads more than JSON
				want++
			}
		}
		have := 0
		for line := range bytes.Lines(got) {
			if _, problem := fault(bytes.TrimSuffix(line, []byte("\n")), true); problem != "" {
				t.Errorf("%q is handed on", line)
			}
			if _, err := jsonrpc.DecodeMessage(bytes.TrimSpace(line)); err == nil {
				have++
			}
		}
		if have != want {
			t.Errorf("of %d messages %d are handed on", want, have)
		}
	})
}
