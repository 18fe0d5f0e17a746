package server

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"agentflow/app"
	"agentflow/app/open"
	"agentflow/app/team"
	"agentflow/internal/testing/labtest"
	"agentflow/internal/testing/pgtest"
	"agentflow/mcp"
	"agentflow/server/page"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Run(m)) }

// clock is a clock that a test moves.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// hall is the server of a team with the repositories shop and bank, with
// methods that send it requests.
type hall struct {
	*labtest.Lab
	t       *testing.T
	team    *team.Team
	options Options
	server  *Server
	clock   *clock
	dsn     string
	remotes []string
}

// teamHost is the default host of requests.
const teamHost = "memory.example.com"

// newHall starts one, with more settings of [team].
func newHall(t *testing.T, settings string) *hall {
	t.Helper()
	h := &hall{Lab: labtest.Folder(t), t: t, clock: &clock{at: time.Now()}, dsn: pgtest.Database(t)}
	h.Env = append(h.Env, "AGENTFLOW_DSN="+h.dsn)
	for _, name := range []string{"shop", "bank"} {
		remote := filepath.Join(t.TempDir(), name+".git")
		h.Git("init", "-q", "--bare", remote)
		h.remotes = append(h.remotes, remote)
	}
	h.Settings(fmt.Sprintf("[team]\nremotes = [%q, %q]\nhosts = [%q]\n%s\n", h.remotes[0], h.remotes[1], teamHost, settings))
	var err error
	if h.team, err = open.OpenTeam(t.Context(), app.Env{Vars: h.Env}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.team.Close() })
	h.team.Ready(t.Context(), t.Errorf)
	h.options = Options{Team: h.team, Repositories: h.team.Repositories, Version: "test", Now: h.clock.now,
		Page: page.New(page.Options{Version: "test", Repositories: h.team.Repositories, Team: true}), TeamMCP: mcp.Stateless(mcp.Options{Version: "test"})}
	if h.server, err = New(t.Context(), h.options); err != nil {
		t.Fatal(err)
	}
	return h
}

// token makes a token.
func (h *hall) token(req team.TokenRequest) string {
	h.t.Helper()
	secret, err := team.AddToken(h.t.Context(), app.Env{Vars: h.Env}, req)
	if err != nil {
		h.t.Fatal(err)
	}
	return secret
}

// request returns a request with a token that the server answers, with changes.
func (h *hall) request(token, method, target, body string, change ...func(*http.Request)) *http.Request {
	return request(method, target, body, append([]func(*http.Request){host(teamHost), with("Authorization", bearerOf(token))}, change...)...)
}

func bearerOf(token string) string {
	if token == "" {
		return ""
	}
	return "Bearer " + token
}

func (h *hall) do(r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.server.ServeHTTP(w, r.WithContext(context.WithoutCancel(h.t.Context())))
	return w
}

func (h *hall) ask(token, method, target, body string, change ...func(*http.Request)) *httptest.ResponseRecorder {
	return h.do(h.request(token, method, target, body, change...))
}

// remember stores a fact, and is its id.
func (h *hall) remember(token, repository, text string) string {
	h.t.Helper()
	body, _ := json.Marshal(map[string]any{"text": text})
	w := h.ask(token, "POST", facts+"?repository="+repository, string(body))
	var f Remembered
	if err := json.Unmarshal(w.Body.Bytes(), &f); err != nil || w.Code != 200 {
		h.t.Fatalf("%d %s", w.Code, w.Body)
	}
	return f.ID
}

// changes returns the lines of the audit.
func (h *hall) changes() []string {
	h.t.Helper()
	list, err := team.ListChanges(h.t.Context(), app.Env{Vars: h.Env}, 1000)
	if err != nil {
		h.t.Fatal(err)
	}
	var lines []string
	for _, c := range list {
		lines = append(lines, strings.Join(append([]string{c.Name, c.Repository, c.Operation}, c.IDs...), " "))
	}
	return lines
}

// tool calls a tool over MCP, and returns the status and the answer.
func (h *hall) tool(token, path, name, arguments string) (int, string) {
	w := h.ask(token, "POST", path, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, name, arguments),
		with("Accept", "application/json, text/event-stream"))
	return w.Code, w.Body.String()
}

// TestTeamAttacks checks that each request is refused with its reason and
// without any text of memory.
func TestTeamAttacks(t *testing.T) {
	h := newHall(t, "")
	ada := h.token(team.TokenRequest{Name: "Ada", Writes: true})
	id := h.remember(ada, "shop", "The secret of the shop.")
	revoked := h.token(team.TokenRequest{Name: "Rev", Writes: true})
	if err := team.RevokeToken(t.Context(), app.Env{Vars: h.Env}, "Rev"); err != nil {
		t.Fatal(err)
	}
	expired := h.expired("Ex")
	before := strings.Join(h.changes(), "\n")
	token := func(text string) func(*http.Request) { return with("Authorization", text) }
	anonymous := token("")
	one, some := facts+"/"+id+"?repository=shop", facts+"?repository=shop"
	for _, c := range []struct {
		name, method, target, body string
		want                       int
		change                     []func(*http.Request)
	}{
		{"no token", "GET", some, "", 401, []func(*http.Request){anonymous}},
		{"no token, the page", "GET", "/", "", 401, []func(*http.Request){anonymous}},
		{"no token, a view", "GET", "/facts?repository=shop", "", 401, []func(*http.Request){anonymous}},
		{"no token, mcp", "POST", "/mcp", "{}", 401, []func(*http.Request){anonymous}},
		{"no token, mcp of one", "POST", "/mcp/shop", "{}", 401, []func(*http.Request){anonymous}},
		{"no token, events", "GET", base + "/events?repository=shop", "", 401, []func(*http.Request){anonymous}},
		{"no token, description", "GET", openAPIPath, "", 401, []func(*http.Request){anonymous}},
		{"no token, nowhere", "GET", "/nowhere", "", 401, []func(*http.Request){anonymous}},
		{"no token, login with a slash", "GET", "/login/", "", 401, []func(*http.Request){anonymous}},
		{"wrong token", "GET", some, "", 401, []func(*http.Request){token("Bearer " + ada + "x")}},
		{"beginning of a token", "GET", some, "", 401, []func(*http.Request){token("Bearer " + ada[:len(ada)-1])}},
		{"only what all begin with", "GET", some, "", 401, []func(*http.Request){token("Bearer aft_")}},
		{"other case", "GET", some, "", 401, []func(*http.Request){token("Bearer " + strings.ToLower(ada))}},
		{"empty token", "GET", some, "", 401, []func(*http.Request){token("Bearer ")}},
		{"space before", "GET", some, "", 401, []func(*http.Request){token("Bearer  " + ada)}},
		{"revoked token", "GET", some, "", 401, []func(*http.Request){token("Bearer " + revoked)}},
		{"expired token", "GET", some, "", 401, []func(*http.Request){token("Bearer " + expired)}},
		{"enormous token", "GET", some, "", 401, []func(*http.Request){token("Bearer " + strings.Repeat("x", 1<<20))}},
		{"another scheme", "GET", some, "", 401, []func(*http.Request){token("Basic " + ada)}},
		{"two tokens", "GET", some, "", 401, []func(*http.Request){func(r *http.Request) { r.Header.Add("Authorization", "Bearer "+ada) }}},
		{"two in one", "GET", some, "", 401, []func(*http.Request){token("Bearer " + ada + ", Bearer " + ada)}},
		{"token in the query", "GET", facts + "?token=" + ada, "", 401, []func(*http.Request){anonymous}},
		{"token in the query besides", "GET", some + "&token=" + ada, "", 400, nil},
		{"token as user", "GET", some, "", 401, []func(*http.Request){anonymous, func(r *http.Request) { r.SetBasicAuth("Ada", ada) }}},
		{"token as cookie", "GET", some, "", 401, []func(*http.Request){anonymous, with("Cookie", "agentflow-team="+ada)}},
		{"token in the path", "GET", "/link/" + ada, "", 401, []func(*http.Request){anonymous}},
		{"token of a header that proxies add", "GET", some, "", 401, []func(*http.Request){anonymous, with("X-Forwarded-User", "Ada"), with("X-Forwarded-Authorization", "Bearer "+ada)}},
		{"SQL as token", "GET", some, "", 401, []func(*http.Request){token("Bearer ' OR '1'='1")}},
		{"NUL in a token", "GET", some, "", 401, []func(*http.Request){token("Bearer " + ada + "\x00")}},
		{"hash as token", "GET", some, "", 401, []func(*http.Request){token("Bearer " + h.hashOf("Ada"))}},

		{"foreign host", "GET", some, "", 421, []func(*http.Request){host("evil.example")}},
		{"foreign host, without token", "GET", "/login", "", 421, []func(*http.Request){host("evil.example"), anonymous}},
		{"host that begins like ours", "GET", some, "", 421, []func(*http.Request){host(teamHost + ".evil.example")}},
		{"host that ends like ours", "GET", some, "", 421, []func(*http.Request){host("evil" + teamHost)}},
		{"host with a dot behind", "GET", some, "", 421, []func(*http.Request){host(teamHost + ".")}},
		{"host with a user", "GET", some, "", 421, []func(*http.Request){host("x@" + teamHost)}},
		{"host with a path", "GET", some, "", 421, []func(*http.Request){host(teamHost + "/x")}},
		{"host with a port that is none", "GET", some, "", 421, []func(*http.Request){host(teamHost + ":x")}},
		{"host with two ports", "GET", some, "", 421, []func(*http.Request){host(teamHost + ":1:2")}},
		{"no host", "GET", some, "", 421, []func(*http.Request){host("")}},
		{"loopback", "GET", some, "", 421, []func(*http.Request){host("127.0.0.1:6767")}},
		{"loopback of IPv6", "GET", some, "", 421, []func(*http.Request){host("[::1]:6767")}},
		{"localhost", "GET", some, "", 421, []func(*http.Request){host("localhost:6767")}},
		{"our host in another header", "GET", some, "", 421, []func(*http.Request){host("evil.example"), with("X-Forwarded-Host", teamHost), with("Forwarded", "host="+teamHost)}},

		{"foreign origin", "GET", some, "", 403, []func(*http.Request){with("Origin", "http://evil.example")}},
		{"foreign origin, delete", "DELETE", one, "", 403, []func(*http.Request){with("Origin", "http://evil.example")}},
		{"origin null", "POST", some, `{"text":"x"}`, 403, []func(*http.Request){with("Origin", "null")}},
		{"origin of another port", "POST", some, `{"text":"x"}`, 403, []func(*http.Request){with("Origin", "http://"+teamHost+":8080")}},
		{"origin of another scheme", "POST", some, `{"text":"x"}`, 403, []func(*http.Request){with("Origin", "https://"+teamHost)}},
		{"two origins", "POST", some, `{"text":"x"}`, 403, []func(*http.Request){with("Origin", "http://"+teamHost), func(r *http.Request) { r.Header.Add("Origin", "http://evil.example") }}},
		{"another site, without origin", "GET", some, "", 403, []func(*http.Request){with("Sec-Fetch-Site", "cross-site")}},
		{"another port's page", "GET", some, "", 403, []func(*http.Request){with("Sec-Fetch-Site", "same-site")}},
		{"preflight", "OPTIONS", some, "", 403, []func(*http.Request){with("Origin", "http://evil.example"), anonymous}},
		{"mcp of another origin", "POST", "/mcp/shop", "{}", 403, []func(*http.Request){with("Origin", "http://evil.example")}},
		{"login in a frame", "GET", "/login", "", 403, []func(*http.Request){anonymous, with("Sec-Fetch-Site", "cross-site"), with("Sec-Fetch-Mode", "navigate"), with("Sec-Fetch-Dest", "iframe")}},

		{"text/plain", "POST", some, `{"text":"x"}`, 415, []func(*http.Request){with("Content-Type", "text/plain")}},
		{"form", "POST", some, `text=x`, 415, []func(*http.Request){with("Content-Type", "application/x-www-form-urlencoded")}},
		{"no type", "POST", some, `{"text":"x"}`, 415, []func(*http.Request){with("Content-Type", "")}},
		{"text/plain, mcp", "POST", "/mcp/shop", `{}`, 415, []func(*http.Request){with("Content-Type", "text/plain")}},

		{"method", "PUT", some, `{}`, 405, nil},
		{"method by another's name", "POST", one, `{}`, 405, []func(*http.Request){with("X-HTTP-Method-Override", "DELETE")}},
		{"TRACE", "TRACE", some, "", 405, nil},
		{"method of the login", "DELETE", "/login", "", 405, []func(*http.Request){anonymous}},
		{"method of the logout", "GET", "/logout", "", 405, []func(*http.Request){anonymous}},
		{"nothing there", "GET", "/api/v2/memory", "", 404, nil},
		{"a link", "GET", "/link/x", "", 404, []func(*http.Request){with("Accept", "application/json")}},

		{"id up", "GET", facts + "/..", "", 400, nil},
		{"id up, encoded", "GET", facts + "/%2e%2e", "", 400, nil},
		{"id with slash, encoded", "GET", facts + "/..%2f..%2fetc", "", 400, nil},
		{"id with NUL", "GET", facts + "/abcd%00", "", 400, nil},
		{"file up", "GET", base + "/memory/files/../../config", "", 400, nil},
		{"file up, encoded twice", "GET", base + "/memory/files/memory/%252e%252e/config", "", 400, nil},
		{"doubled slash", "GET", "//evil.example/api", "", 400, nil},
		{"from an entrance up", "GET", "/static/../api/v1/memory/facts", "", 400, []func(*http.Request){anonymous}},
		{"from an entrance up, encoded", "GET", "/static/%2e%2e/api/v1/memory/facts", "", 400, []func(*http.Request){anonymous}},
		{"mcp up", "POST", "/mcp/..", "{}", 400, nil},

		{"body too large", "POST", some, `{"text":"` + strings.Repeat("x", maxBody) + `"}`, 413, nil},
		{"body too large, length unknown", "POST", some, `{"text":"` + strings.Repeat("x", maxBody) + `"}`, 413, []func(*http.Request){func(r *http.Request) { r.ContentLength = -1 }}},
		{"body of a stranger", "POST", "/login", "token=" + strings.Repeat("x", maxForm), 413, []func(*http.Request){anonymous, with("Content-Type", "application/x-www-form-urlencoded")}},
		{"body too large, mcp", "POST", "/mcp/shop", `{"x":"` + strings.Repeat("x", maxBody) + `"}`, 413, nil},
		{"deep JSON", "POST", some, strings.Repeat(`{"parts":`, 20_000) + "1" + strings.Repeat("}", 20_000), 400, nil},
		{"not UTF-8", "POST", some, "{\"text\":\"\xff\"}", 400, nil},
		{"the server's own memory", "POST", some, `{"text":"x","namespace":"global"}`, 409, nil},
		{"the server's own memory, listed", "GET", facts + "?repository=shop&namespace=global", "", 200, nil},
		{"notes", "POST", base + "/memory/tool?repository=shop", `{"command":"create","path":"/memories/x.md","file_text":"x"}`, 409, nil},
		{"notes, read", "POST", base + "/memory/tool?repository=shop", `{"command":"view","path":"/memories"}`, 409, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			h.clock.pass(time.Minute) // no limit is reached
			w := h.ask(ada, c.method, c.target, c.body, c.change...)
			if w.Code != c.want {
				t.Errorf("%d, want %d: %.300s", w.Code, c.want, w.Body)
			}
			if text := w.Body.String(); strings.Contains(text, "secret of") || strings.Contains(text, ada) || c.want != 200 && !strings.HasPrefix(text, `{"error":`) && c.name != "a link" {
				t.Errorf("the answer is %.300s", text)
			}
			held(t, w.Header())
		})
	}
	if after := strings.Join(h.changes(), "\n"); after != before {
		t.Errorf("attacks are in the audit:\n%s", after)
	}
	w := h.ask(ada, "GET", base+"/memory/counts?repository=shop", "")
	if text, _ := io.ReadAll(w.Body); w.Code != 200 || !bytes.Contains(text, []byte(`"total":1`)) {
		t.Errorf("attacks left %s", text)
	}
}

// TestWhoMayAskTheTeam checks that these requests are answered.
func TestWhoMayAskTheTeam(t *testing.T) {
	h := newHall(t, "")
	ada := h.token(team.TokenRequest{Name: "Ada"})
	for name, change := range map[string][]func(*http.Request){
		"a program":               nil,
		"with a port":             {host(teamHost + ":6767")},
		"an empty port":           {host(teamHost + ":")},
		"capitals":                {host("Memory.Example.COM")},
		"the page":                {with("Origin", "http://"+teamHost), with("Sec-Fetch-Site", "same-origin")},
		"the page, with a port":   {host(teamHost + ":6767"), with("Origin", "http://"+teamHost+":6767")},
		"scheme in small letters": {with("Authorization", "bearer "+ada)},
	} {
		if w := h.ask(ada, "POST", base+"/memory/search?repository=shop", `{"query":"x"}`, change...); w.Code != 200 {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
}

// TestTeamHostsOfLoopback checks that a server without hosts accepts only
// loopback addresses.
func TestTeamHostsOfLoopback(t *testing.T) {
	a := &teamAccess{}
	for name, want := range map[string]bool{"127.0.0.1:6767": true, "127.0.0.2": true, "[::1]:6767": true, "localhost:1": true, "LOCALHOST": true, "[::ffff:127.0.0.1]": true,
		"192.0.2.1:6767": false, "[2001:db8::1]": false, "evil.example": false, "0.0.0.0": false, "": false, "::1": false, "127.0.0.1.evil.example": false, "x@localhost": false, "[::1%25lo]": false} {
		if no := a.checkHost(&http.Request{Host: name, URL: &url.URL{Path: "/"}}); (no == nil) != want {
			t.Errorf("%q: %+v", name, no)
		}
	}
}
