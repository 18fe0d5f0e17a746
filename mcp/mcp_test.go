package mcp

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"agentflow/app"
	"agentflow/app/open"
	"agentflow/internal/testing/labtest"
	"agentflow/memory"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// client is an agent that has connected to a memory.
type client struct {
	t *testing.T
	*labtest.Lab
	memory *app.Memory
	*sdk.ClientSession
}

func connect(t *testing.T, lab *labtest.Lab, options Options) *client {
	t.Helper()
	return connectAs(t, "robot", lab, options)
}

func connectAs(t *testing.T, name string, lab *labtest.Lab, options Options) *client {
	t.Helper()
	m, err := open.Open(t.Context(), lab.Repo, app.Env{Vars: lab.Env})
	if err != nil {
		t.Fatal(err)
	}
	theirs, ours := sdk.NewInMemoryTransports()
	if _, err := local(m, options).Connect(t.Context(), ours, nil); err != nil {
		t.Fatal(err)
	}
	session, err := sdk.NewClient(&sdk.Implementation{Name: name, Version: "1"}, nil).Connect(t.Context(), theirs, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close(); m.Close() })
	return &client{t, lab, m, session}
}

// call returns the text of a tool's answer, and whether it is an error.
func (c *client) call(name string, arguments map[string]any) (text string, failed bool) {
	c.t.Helper()
	res, err := c.CallTool(c.t.Context(), &sdk.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		c.t.Fatalf("%s: %v", name, err)
	}
	if len(res.Content) != 1 || res.StructuredContent != nil {
		c.t.Fatalf("%s: %+v", name, res)
	}
	text = res.Content[0].(*sdk.TextContent).Text
	if n := memory.Tokens(text); n > MaxAnswer {
		c.t.Errorf("%s: %d tokens", name, n)
	}
	return text, res.IsError
}

// well returns the answer of a tool, which must succeed and contain all of want.
func (c *client) well(name string, arguments map[string]any, want ...string) string {
	c.t.Helper()
	text, failed := c.call(name, arguments)
	if failed {
		c.t.Errorf("%s %v: %s", name, arguments, text)
	}
	for _, w := range want {
		if !strings.Contains(text, w) {
			c.t.Errorf("%s %v: no %q in\n%s", name, arguments, w, text)
		}
	}
	return text
}

func (c *client) fails(name string, arguments map[string]any, want string) {
	c.t.Helper()
	if text, failed := c.call(name, arguments); !failed || !strings.Contains(text, want) {
		c.t.Errorf("%s %v: error %v, want %q in\n%s", name, arguments, failed, want, text)
	}
}

type args = map[string]any

var shortID = regexp.MustCompile(`id ([0-9a-f]{6})`)

func idIn(text string) string {
	if m := shortID.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return "none"
}

func TestToolsOnFacts(t *testing.T) {
	c := connect(t, labtest.Repository(t), Options{Session: "s-1"})
	c.well("memory_search", args{"query": "clock", "k": 3}, "nothing relevant")
	first := c.well("memory_store", args{"text": "The login test needs a fake clock.", "key": "login.test", "importance": 1, "tags": []string{"tests"}, "expires": "30d"}, "remembered", "importance 0.7", "· .agentflow/memory/2")
	id := idIn(first)
	c.well("memory_store", args{"text": "the login test needs a fake clock."}, "holds that already", id)
	c.well("memory_store", args{"text": "The login test uses synctest.", "key": "login.test"}, `have the key "login.test"`, id)
	if text := c.well("memory_search", args{"query": "fake clock"}, "memory/2", "\n> - The login test needs a fake clock.", " id "+id); strings.Contains(text, "score") {
		t.Errorf("a score that orders nothing:\n%s", text)
	}
	c.well("memory_search", args{"query": "fake clock", "type": "episodic"}, "nothing relevant")
	c.well("memory_search", args{"query": "fake clock", "types": []string{"episodic", "semantic"}, "min_importance": 0.7, "min_score": 0, "sort": "score"}, "fake clock", " · score 0.")
	for name, value := range map[string]any{"types": []string{"episodic", "procedural"}, "min_importance": 0.8, "min_score": 1, "offset": 1, "category": "taste"} {
		c.well("memory_search", args{"query": "fake clock", name: value}, "nothing relevant")
	}
	c.well("memory_search", args{"query": "fake clock", "since": "yesterday", "tag": "tests", "limit": 1}, "fake clock")
	c.well("memory_search", args{"query": "fake clock", "until": "2020-01-01"}, "nothing relevant")
	c.well("memory_search", args{"query": "fake clock", "until": nil, "limit": nil, "tag": nil}, "fake clock")
	c.fails("memory_search", args{"query": nil}, "missing")
	c.well("memory_get", args{"id": id}, "The login test needs a fake clock.", "agent=robot", "session=s-1", "source=agent", "expires=")
	c.well("memory_list", args{"tag": "tests"}, id, `key "login.test"`, `agent "robot"`)
	changed := c.well("memory_update", args{"id": id, "text": "The login test needs a real clock."}, "corrected", "in the place of "+id, "\n.agentflow/memory/2")
	c.well("memory_update", args{"id": idIn(strings.Replace(changed, "new id", "id", 1)), "tags": []string{"tests", "clock"}}, "changed")
	c.well("memory_delete", args{"id": idIn(changed)}, "forgot", "agentflow memory restore")
	if text := c.well("memory_list", nil); strings.Contains(text, "real clock") {
		t.Errorf("it is still there:\n%s", text)
	}
	for name, call := range map[string]struct {
		tool string
		in   args
		want string
	}{
		"no such id":   {"memory_delete", args{"id": "ffffff"}, "with that id\". Ids are in the answers of memory_search"},
		"a bad date":   {"memory_search", args{"query": "x", "since": "whenever"}, "is no date"},
		"an escape":    {"memory_get", args{"path": "memory/../config.toml"}, "no file of memory"},
		"bad lines":    {"memory_get", args{"path": "memory/MEMORY.md", "lines": "a-b"}, "want 12 or 12-40"},
		"a bad type":   {"memory_store", args{"text": "x", "type": "odd"}, "semantic"},
		"no text":      {"memory_store", args{"text": "  "}, "empty"},
		"an offset":    {"memory_search", args{"query": "x", "offset": -1}, "at least 0"},
		"an order":     {"memory_search", args{"query": "x", "sort": "length"}, "relevance, time, importance or score"},
		"a type":       {"memory_search", args{"query": "x", "types": []string{"song"}}, "semantic, episodic or procedural"},
		"a limit":      {"memory_search", args{"query": "x", "limit": -1}, "at least 1"},
		"their global": {"memory_store", args{"text": "x", "namespace": "global"}, "agents may not"},
		"a cursor":     {"memory_list", args{"cursor": "zzz"}, "cursor"},
		"nothing":      {"memory_search", args{}, "query"},
	} {
		t.Run(name, func(t *testing.T) { c.fails(call.tool, call.in, call.want) })
	}
}

// TestOthersWrite: the next call sees changes by a person and by another process.
func TestOthersWrite(t *testing.T) {
	c := connect(t, labtest.Repository(t), Options{})
	c.Write(".agentflow/memory/MEMORY.md", "# Memory\n\n- Deploys are on Fridays. <!-- id=0199aaaa-bbbb-7ccc-8ddd-0000000000a1 source=hand -->\n")
	c.well("memory_search", args{"query": "deploys"}, "memory/MEMORY.md:1-3", "Fridays")
	c.Write(".agentflow/memory/MEMORY.md", "# Memory\n\n- Deploys are on Mondays. <!-- id=0199aaaa-bbbb-7ccc-8ddd-0000000000a1 source=hand -->\n")
	c.well("memory_search", args{"query": "deploys"}, "Mondays")
	c.fails("memory_delete", args{"id": "00a1"}, "Ask the user to change it")
	c.fails("memory_update", args{"id": "00a1", "text": "Deploys are never."}, "Ask the user to change it")
}

// TestAnswersAreShort: text that does not fit is left out, and the answer says how to get it.
func TestAnswersAreShort(t *testing.T) {
	c := connect(t, labtest.Repository(t), Options{})
	var b strings.Builder
	b.WriteString("# Long\n\n")
	for n := range 2000 {
		fmt.Fprintf(&b, "Okapi number %d is shy and lives behind the sawmill, 世界 %d.\n", n, n)
	}
	c.Write(".agentflow/memory/long.md", b.String())
	text := c.well("memory_get", args{"path": "memory/long.md"}, "memory/long.md:1-", "of 2002 lines", "Okapi number 0 ", "there is more")
	next := regexp.MustCompile(`lines (\d+)-\)`).FindStringSubmatch(text)
	if next == nil {
		t.Fatalf("it does not say where to go on:\n%s", text[len(text)-200:])
	}
	last := regexp.MustCompile(`Okapi number (\d+)`).FindAllStringSubmatch(text, -1)
	more := c.well("memory_get", args{"path": "memory/long.md", "lines": next[1] + "-"})
	if first := regexp.MustCompile(`Okapi number (\d+)`).FindStringSubmatch(more); fmt.Sprint(first[1]) != fmt.Sprint(len(last)) {
		t.Errorf("after %s comes %s", last[len(last)-1][1], first[1])
	}
	c.Write(".agentflow/memory/line.md", "# Line\n\n"+strings.Repeat("word ", 12000)+"\n")
	c.well("memory_get", args{"path": "memory/line.md"}, "word word")
	c.well("memory_get", args{"path": ".agentflow/memory/line.md"}, ".agentflow/memory/line.md:1", "word word")
	for n := range 60 {
		c.Write(fmt.Sprintf(".agentflow/memory/n%d.md", n), "# Sawmill "+fmt.Sprint(n)+"\n\n"+strings.Repeat("the sawmill is old ", 60)+"\n")
	}
	c.well("memory_search", args{"query": "sawmill", "limit": 50}, "more was found")
}

// TestResourcesAndPromptAreShort: resources and the prompt are limited too, for any size of
// block in the settings.
func TestResourcesAndPromptAreShort(t *testing.T) {
	lab := labtest.Repository(t)
	lab.Settings("[recall]\nbudget = 50000\ntop = 50\ngate = 0.0\n")
	c := connect(t, lab, Options{})
	var long strings.Builder
	for n := range 2000 {
		fmt.Fprintf(&long, "Okapi number %d is shy.\n", n)
	}
	c.Write(".agentflow/memory/a b.md", "# Long\n\n"+long.String())
	for n := range 30 {
		c.Write(fmt.Sprintf(".agentflow/memory/n%d.md", n), "# Sawmill "+fmt.Sprint(n)+"\n\n"+strings.Repeat("the sawmill is old\n", 60))
	}
	id := idIn(c.well("memory_store", args{"text": "The sawmill is old. " + strings.Repeat("Very old. ", 200)}))
	for uri, want := range map[string]string{"agentflow://file/memory/a%20b.md": "memory_get, path \".agentflow/memory/a b.md\" and lines ", "agentflow://entry/" + id: "The sawmill is old."} {
		res, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri})
		if err != nil {
			t.Fatal(err)
		}
		text := res.Contents[0].Text
		if n := memory.Tokens(text); n > MaxAnswer || !strings.Contains(text, want) {
			t.Errorf("%s: %d tokens, no %q in\n%s", uri, n, want, text)
		}
	}
	p, err := c.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: "recall", Arguments: map[string]string{"task": "mend the old sawmill"}})
	if err != nil {
		t.Fatal(err)
	}
	text := p.Messages[0].Content.(*sdk.TextContent).Text
	if n := memory.Tokens(text); n > MaxAnswer || n < MaxAnswer/2 || !strings.Contains(text, "find it with memory_search") || !strings.HasSuffix(text, "\n\nmend the old sawmill") {
		t.Errorf("%d tokens:\n%s", n, text)
	}
}

func TestMemoryTool(t *testing.T) {
	c := connect(t, labtest.Repository(t), Options{MemoryTool: true})
	c.well("memory", args{"command": "create", "path": "/memories/plan.md", "file_text": "Mend the sawmill.\n"}, "File created successfully at: /memories/plan.md")
	c.well("memory_search", args{"query": "sawmill"}, "memory/notes/plan.md")
	c.fails("memory", args{"command": "create", "path": "/memories/plan.md", "file_text": "x"}, "Error: File /memories/plan.md already exists")
	without := connect(t, labtest.Repository(t), Options{})
	tools, err := without.ListTools(t.Context(), nil)
	if err != nil || slices.ContainsFunc(tools.Tools, func(tool *sdk.Tool) bool { return tool.Name == "memory" }) || len(tools.Tools) != 8 {
		t.Errorf("%+v, %v", tools, err)
	}
}

// TestAnnotations: which tools only read, and which take something away.
func TestAnnotations(t *testing.T) {
	c := connect(t, labtest.Repository(t), Options{MemoryTool: true})
	tools, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	reading := map[string]bool{"memory_search": true, "memory_get": true, "memory_list": true, "files_for_task": true, "why": true}
	taking := map[string]bool{"memory_delete": true, "memory": true}
	for _, tool := range tools.Tools {
		a := tool.Annotations
		takes := a.DestructiveHint == nil || *a.DestructiveHint
		if a.ReadOnlyHint != reading[tool.Name] || !a.ReadOnlyHint && takes != taking[tool.Name] || *a.OpenWorldHint || a.Title == "" || len(tool.Description) > 2048 || strings.Contains(fmt.Sprint(tool.InputSchema), "null") || tool.OutputSchema != nil {
			t.Errorf("%s: %+v", tool.Name, a)
		}
	}
}

func TestResourcesAndPrompt(t *testing.T) {
	c := connect(t, labtest.Repository(t), Options{})
	id := idIn(c.well("memory_store", args{"text": "The login test needs a fake clock."}))
	c.Write(".agentflow/memory/notes/a b.md", "# A\n\nThe sawmill.\n")
	for uri, want := range map[string]string{"agentflow://entry/" + id: "fake clock", "agentflow://file/memory/notes/a%20b.md": "The sawmill."} {
		res, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri})
		if err != nil || !strings.Contains(res.Contents[0].Text, want) {
			t.Errorf("%s: %+v, %v", uri, res, err)
		}
	}
	for _, uri := range []string{"agentflow://entry/ffffff", "agentflow://file/memory/../config.toml", "agentflow://file//etc/passwd", "agentflow://file/memory/%2e%2e/config.toml", "agentflow://other/x"} {
		if res, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri}); err == nil {
			t.Errorf("%s: %+v", uri, res)
		}
	}
	p, err := c.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: "recall", Arguments: map[string]string{"task": "mend the login clock"}})
	if err != nil || !strings.Contains(p.Messages[0].Content.(*sdk.TextContent).Text, "fake clock") {
		t.Errorf("%+v, %v", p, err)
	}
}

// TestOneRecall: Claude Code with the command /recall is not offered the prompt as well. Over HTTP it
// is, because the commands of its home are not known.
func TestOneRecall(t *testing.T) {
	for name, want := range map[string]int{"claude-code": 0, "robot": 1} {
		c := connectAs(t, name, labtest.Repository(t), Options{})
		server := httptest.NewServer(Handler(c.memory, Options{}))
		t.Cleanup(server.Close)
		remote, err := sdk.NewClient(&sdk.Implementation{Name: name}, nil).Connect(context.Background(), &sdk.StreamableClientTransport{Endpoint: server.URL}, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { remote.Close() })
		wantPrompts(t, c.ClientSession, name+" without the command", 1)
		command := filepath.Join(c.Home, ".claude", "commands", "recall.md")
		if err := os.MkdirAll(filepath.Dir(command), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(command, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		wantPrompts(t, c.ClientSession, name+" with the command", want)
		wantPrompts(t, remote, name+" over HTTP", 1)
	}
}

func wantPrompts(t *testing.T, s *sdk.ClientSession, who string, want int) {
	t.Helper()
	if list, err := s.ListPrompts(t.Context(), nil); err != nil || len(list.Prompts) != want {
		t.Errorf("%s is offered %+v, %v, want %d prompts", who, list, err, want)
	}
}

// TestHostileArguments: a tool answers any arguments, without control characters, and repeats
// little of them.
func TestHostileArguments(t *testing.T) {
	c := connect(t, labtest.Repository(t), Options{MemoryTool: true})
	c.well("memory_store", args{"text": "Okapis are shy."})
	for tool, key := range map[string]string{"memory_search": "query", "memory_get": "id", "memory_list": "tag", "why": "path", "memory_store": "text", "memory_update": "id", "memory_delete": "id", "memory": "command"} {
		for name, value := range map[string]any{
			"null": nil, "number": 5, "list": []int{1}, "object": args{"a": 1}, "empty": "", "huge": strings.Repeat("x", 1<<20), "huge of another type": []string{strings.Repeat("y", 1<<20)},
			"control": "\x00\x1b[31mred\u202e</memory><script> --> <!-- id=x -->", "invalid": "\xff\xfe", "path": "../../etc/passwd",
		} {
			text, failed := c.call(tool, args{key: value}) // which looks at its length
			if strings.ContainsAny(text, "\x00\x1b\u202e") || failed && memory.Tokens(text) > maxError {
				t.Errorf("%s, %s: %.300q", tool, name, text)
			}
		}
	}
}

// TestOutsideARepository: the server continues, and reports the missing repository.
func TestOutsideARepository(t *testing.T) {
	lab := labtest.Folder(t)
	if err := os.RemoveAll(filepath.Join(lab.Repo, ".git")); err != nil {
		t.Fatal(err)
	}
	c := connect(t, lab, Options{})
	for range 2 {
		c.fails("memory_search", args{"query": "x"}, "git repository")
		c.fails("memory_store", args{"text": "x"}, "git repository")
	}
}

// TestHTTP: each session has separate writes.
func TestHTTP(t *testing.T) {
	lab := labtest.Repository(t)
	m, err := open.Open(t.Context(), lab.Repo, app.Env{Vars: lab.Env})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	server := httptest.NewServer(Handler(m, Options{}))
	defer server.Close()
	for _, name := range []string{"one", "two"} {
		session, err := sdk.NewClient(&sdk.Implementation{Name: name}, nil).Connect(context.Background(), &sdk.StreamableClientTransport{Endpoint: server.URL}, nil)
		if err != nil {
			t.Fatal(err)
		}
		c := &client{t: t, Lab: lab, ClientSession: session}
		c.well("memory_store", args{"text": "Said by " + name})
		c.well("memory_list", nil, `agent "`+name+`"`)
		if err := session.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestHTTPSessionsAreBounded: a new session ends one that has ended, or else the one that was
// used longest ago.
func TestHTTPSessionsAreBounded(t *testing.T) {
	lab := labtest.Repository(t)
	m, err := open.Open(t.Context(), lab.Repo, app.Env{Vars: lab.Env})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	server := httptest.NewServer(handler(m, Options{}, 2))
	t.Cleanup(server.Close) // after the sessions, because it would wait for their streams
	begin := func(name string) *sdk.ClientSession {
		s, err := sdk.NewClient(&sdk.Implementation{Name: name}, nil).Connect(context.Background(), &sdk.StreamableClientTransport{Endpoint: server.URL}, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	}
	works := func(s *sdk.ClientSession) bool { return s.Ping(t.Context(), nil) == nil }
	first, second := begin("first"), begin("second")
	if !works(first) { // and is the one that was used last
		t.Fatal("the first session has ended")
	}
	third := begin("third")
	for deadline := time.Now().Add(10 * time.Second); works(second); {
		if time.Now().After(deadline) {
			t.Fatal("three sessions are open")
		}
	}
	if err := first.Close(); err != nil {
		t.Error(err)
	}
	if fourth := begin("fourth"); !works(third) || !works(fourth) {
		t.Error("a session ended for one that had ended by itself")
	}
}
