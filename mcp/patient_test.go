package mcp

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"agentflow/app"
	"agentflow/internal/testing/labtest"
)

type closing struct{ io.Writer }

func (closing) Close() error { return nil }

// TestEndOfInput: what is asked right before the input ends is answered.
func TestEndOfInput(t *testing.T) {
	lab := labtest.Repository(t)
	m, err := app.Open(t.Context(), lab.Repo, app.Env{Vars: lab.Env})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	for n := range 50 {
		var in strings.Builder
		in.WriteString(`{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n")
		in.WriteString(`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n")
		for id := range 3 {
			fmt.Fprintf(&in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"memory_store","arguments":{"text":"Fact %d of %d."}}}`+"\n", id, id, n)
		}
		if n%2 == 0 {
			in.WriteString(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}` + "\n")
		}
		var out bytes.Buffer
		if err := Serve(t.Context(), m, Options{}, io.NopCloser(strings.NewReader(in.String())), closing{&out}); err != nil {
			t.Fatal(err)
		}
		for _, id := range []string{`"i"`, "0", "1"} {
			if !strings.Contains(out.String(), `"id":`+id+",") {
				t.Fatalf("round %d: no answer to %s in\n%s", n, id, &out)
			}
		}
	}
}

// TestNoJSON: what was asked before a line that is no message is answered.
func TestNoJSON(t *testing.T) {
	lab := labtest.Repository(t)
	m, err := app.Open(t.Context(), lab.Repo, app.Env{Vars: lab.Env})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	in := `{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\nwhat?\n"
	var out bytes.Buffer
	err = Serve(t.Context(), m, Options{}, io.NopCloser(strings.NewReader(in)), closing{&out})
	if err == nil || !strings.Contains(err.Error(), "reading what the client asks") || !strings.Contains(out.String(), `"id":"i"`) {
		t.Errorf("%v\n%s", err, &out)
	}
}
