package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os/exec"
	"regexp"
	"testing"

	"agentflow/internal/memorytool"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// memoryDoor is a way to change memory in a program that may be killed at any
// time. Its errors match errCut when no answer came.
type memoryDoor interface {
	store(text string) (id string, err error)
	edit(id, text string) (now string, err error) // the id of the fact that has the text now
	forget(id string) error
	note(memorytool.Command) error
}

// errCut matches when it is unknown whether a command was done.
var errCut = errors.New("no answer came")

// httpDoor is serve's routes for programs.
type httpDoor struct {
	*served
	session string
}

func (d httpDoor) request(method, path string, body, answer any) error {
	status, text, err := d.ask(method, "/api/v1/memory/"+path, body)
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", errCut, err)
	case status != http.StatusOK:
		return fmt.Errorf("%s %s %v: %d %s", method, path, body, status, text)
	case answer == nil:
		return nil
	}
	return json.Unmarshal(text, answer)
}

func (d httpDoor) store(text string) (string, error) {
	var fact struct{ ID string }
	err := d.request("POST", "facts", map[string]string{"text": text}, &fact)
	return fact.ID, err
}

func (d httpDoor) edit(id, text string) (string, error) {
	return id, d.request("PATCH", "facts/"+id, map[string]string{"text": text}, nil)
}

func (d httpDoor) forget(id string) error {
	return d.request("DELETE", "facts/"+id, struct{}{}, nil)
}

func (d httpDoor) note(c memorytool.Command) error {
	return d.request("POST", "tool?agent=test&session="+d.session, c, nil)
}

// mcpDoor is the tools for agents.
type mcpDoor struct {
	t       *testing.T
	session *mcp.ClientSession
}

// connectMCP begins a session, as an agent does.
func connectMCP(t testing.TB, transport mcp.Transport) *mcp.ClientSession {
	t.Helper()
	s, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// overStdio returns a connection to a server that an agent starts itself.
func overStdio(cmd *exec.Cmd) mcp.Transport { return &mcp.CommandTransport{Command: cmd} }

// overHTTP returns a connection to the tools of serve.
func (s *served) overHTTP() mcp.Transport {
	return &mcp.StreamableClientTransport{Endpoint: s.url + "/mcp", HTTPClient: &http.Client{Transport: bearer(s.token)}, MaxRetries: -1, DisableStandaloneSSE: true}
}

// bearer sends the token with each request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

func (d mcpDoor) call(tool string, arguments any) (string, error) {
	res, err := d.session.CallTool(d.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		return "", fmt.Errorf("%w: %w", errCut, err)
	}
	text := ""
	for _, c := range res.Content {
		if t, ok := c.(*mcp.TextContent); ok {
			text += t.Text
		}
	}
	if res.IsError {
		return "", fmt.Errorf("%s %v: %s", tool, arguments, text)
	}
	return text, nil
}

// idIn finds the id of the first fact in an answer.
var idIn = regexp.MustCompile(`\bid ([0-9a-f-]+)`)

func (d mcpDoor) told(tool string, arguments any) (id string, err error) {
	text, err := d.call(tool, arguments)
	if err != nil {
		return "", err
	}
	at := idIn.FindStringSubmatch(text)
	if at == nil {
		return "", fmt.Errorf("%s answers without an id: %s", tool, text)
	}
	return at[1], nil
}

func (d mcpDoor) store(text string) (string, error) {
	return d.told("memory_store", map[string]any{"text": text})
}

func (d mcpDoor) edit(id, text string) (string, error) {
	return d.told("memory_update", map[string]any{"id": id, "text": text})
}

func (d mcpDoor) forget(id string) error {
	_, err := d.call("memory_delete", map[string]any{"id": id})
	return err
}

func (d mcpDoor) note(c memorytool.Command) error {
	_, err := d.call("memory", c)
	return err
}
