package mcp

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"agentflow/app"
	"agentflow/app/open"
	"agentflow/internal/testing/labtest"
)

type closing struct{ io.Writer }

func (closing) Close() error { return nil }

// TestEndOfInput: a request right before the end of the input is answered.
func TestEndOfInput(t *testing.T) {
	lab := labtest.Repository(t)
	m, err := open.Open(t.Context(), lab.Repo, app.Env{Vars: lab.Env})
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

// unreadable is an input that breaks off.
type unreadable struct{ io.Reader }

func (u unreadable) Read(p []byte) (int, error) {
	n, err := u.Reader.Read(p)
	if err == io.EOF {
		err = errors.New("the pipe is broken")
	}
	return n, err
}

// TestUnreadable: a request before the input breaks off is answered.
func TestUnreadable(t *testing.T) {
	out, err := served(t, unreadable{strings.NewReader(hello)})
	if err == nil || !strings.Contains(err.Error(), "reading what the client asks") || !strings.Contains(out, `"id":"i"`) {
		t.Errorf("%v\n%s", err, out)
	}
}

const hello = `{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n"

// served returns a server's answers to an input.
func served(t *testing.T, in io.Reader) (string, error) {
	t.Helper()
	lab := labtest.Repository(t)
	m, err := open.Open(t.Context(), lab.Repo, app.Env{Vars: lab.Env})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	var out bytes.Buffer
	err = Serve(t.Context(), m, Options{}, io.NopCloser(in), closing{&out})
	return out.String(), err
}
