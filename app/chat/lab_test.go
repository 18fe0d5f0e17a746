package chat

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/open"
	"agentflow/internal/testing/labtest"
	"agentflow/internal/testing/modeltest"
)

// input has the arguments of a tool.
type input map[string]any

// user has conversations in a repository, with a model that follows a script.
type user struct {
	*labtest.Lab
	server *modeltest.Server
	memory *app.Memory
	events []Event
}

const testKey = "sk-ant-REDACTED"

func newUser(t *testing.T, turns ...modeltest.Turn) *user {
	t.Helper()
	u := &user{Lab: labtest.Repository(t), server: modeltest.New(t, modeltest.Script{Main: turns})}
	u.Settings(fmt.Sprintf("[chat]\nbase_url = %q\n", u.server.URL))
	u.open("ANTHROPIC_API_KEY=" + testKey)
	return u
}

func (u *user) open(env ...string) {
	u.T.Helper()
	m, err := open.Open(u.T.Context(), u.Repo, app.Env{Vars: append(labtest.Environ(u.Home), env...)})
	if err != nil {
		u.T.Fatal(err)
	}
	u.T.Cleanup(func() { m.Close() })
	u.memory = m
}

// settings replaces the user's settings.
func (u *user) settings(chat string) {
	u.Write("../home/config/agentflow/config.toml", "[chat]\n"+chat)
}

// begin begins a conversation, with no pauses.
func (u *user) begin(options Options) *Conversation {
	u.T.Helper()
	options.Tell = func(e Event) { u.events = append(u.events, e) }
	options.Pause = time.Millisecond
	c, err := Begin(u.T.Context(), u.memory, options)
	if err != nil {
		u.T.Fatal(err)
	}
	return c
}

func (u *user) ask(c *Conversation, question string) api.ChatAnswer {
	u.T.Helper()
	a, err := c.Ask(u.T.Context(), question)
	if err != nil {
		u.T.Fatal(err)
	}
	return a
}

// told returns the texts of the events of a kind.
func (u *user) told(kind EventKind) (texts []string) {
	for _, e := range u.events {
		if e.Kind == kind {
			texts = append(texts, e.Text)
		}
	}
	return texts
}

func (u *user) requests() []modeltest.Request { return u.server.Requests(modeltest.Main) }

// results returns the results of the tools in the last message of a request.
func (u *user) results(request int) []modeltest.Content {
	u.T.Helper()
	all := u.requests()
	if request >= len(all) {
		u.T.Fatalf("there are %d requests", len(all))
	}
	messages := all[request].Messages
	var results []modeltest.Content
	for _, c := range messages[len(messages)-1].Content {
		if c.Type == "tool_result" {
			results = append(results, c)
		}
	}
	return results
}

func wantKind(t *testing.T, err error, kind app.Kind, text string) {
	t.Helper()
	if err == nil || app.AsError(err).Kind != kind || !strings.Contains(err.Error(), text) {
		t.Fatalf("have %v, want an error of kind %s with %q", err, kind, text)
	}
}

// wantPaired insists that each call of a tool has its result in the next
// message, in the last request.
func (u *user) wantPaired() {
	u.T.Helper()
	all := u.requests()
	messages := all[len(all)-1].Messages
	for i, m := range messages {
		for _, c := range m.Content {
			if c.Type != "tool_use" {
				continue
			}
			if i+1 == len(messages) || !slices.ContainsFunc(messages[i+1].Content, func(r modeltest.Content) bool { return r.Type == "tool_result" }) {
				u.T.Errorf("message %d calls a tool and has no result", i)
			}
		}
		if len(m.Content) == 0 {
			u.T.Errorf("message %d is empty", i)
		}
	}
}
