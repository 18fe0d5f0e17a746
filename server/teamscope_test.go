package server

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"agentflow/app/team"
)

// readingPosts lists the routes that take a body and write nothing.
var readingPosts = []string{base + "/memory/search", base + "/recall", base + "/files"}

// bodies holds the bodies for routes that do not take an empty object.
var bodies = map[string]string{
	"POST " + base + "/memory/search": `{"query":"secret of the okapi"}`, "POST " + base + "/recall": `{"task":"find the secret of the okapi"}`,
	"POST " + base + "/files": `{"task":"find the secret of the okapi"}`, "POST " + facts: `{"text":"An attack."}`, "PATCH " + oneFact: `{"text":"An attack."}`,
	"POST " + base + "/batch":       `{"searches":[{"query":"secret"}],"recalls":[{"task":"find the secret of the okapi"}],"facts":[{"text":"An attack."}]}`,
	"POST " + base + "/memory/tool": `{"command":"create","path":"/memories/a.md","file_text":"An attack."}`,
}

// targetOf returns a request for a route, about a fact.
func targetOf(r route, id string) (target, body string) {
	target = strings.NewReplacer("{id}", id, "{n}", "1", "{name...}", "memory/MEMORY.md").Replace(r.path)
	if body = bodies[r.method+" "+r.path]; body == "" && hasBody(r.method) {
		body = "{}"
	}
	if r.path == base+"/why" {
		target += "?path=README"
	}
	return target, body
}

// ofRepository adds the name of a repository to a target.
func ofRepository(target, name string) string {
	mark := "?"
	if strings.Contains(target, "?") {
		mark = "&"
	}
	return target + mark + "repository=" + name
}

// scopes returns a team's server with a secret in each repository, and the
// tokens of Ada, who may write, of Bob, who may read, and of Eve, who may write
// to the shop only.
func scopes(t *testing.T) (h *hall, ada, bob, eve, shopID, bankID string) {
	h = newHall(t, "rate = 10000\nburst = 100000")
	ada, bob = h.token(team.TokenRequest{Name: "Ada", Writes: true}), h.token(team.TokenRequest{Name: "Bob"})
	eve = h.token(team.TokenRequest{Name: "Eve", Writes: true, Repositories: []string{"shop"}})
	return h, ada, bob, eve, h.remember(ada, "shop", "The shop's secret of the okapi is green."), h.remember(ada, "bank", "The bank's secret of the okapi is red.")
}

// byTool stores an agent's fact in the shop and returns its ID.
func (h *hall) byTool(token, text string) string {
	h.t.Helper()
	if code, said := h.tool(token, "/mcp/shop", "memory_store", fmt.Sprintf(`{"text":%q}`, text)); code != 200 || strings.Contains(said, `"isError":true`) {
		h.t.Fatalf("%d %s", code, said)
	}
	words := strings.Fields(h.changes()[0])
	return words[len(words)-1]
}

// changingTools returns the tools that write, with arguments about a fact.
func changingTools(id string) map[string]string {
	return map[string]string{"memory_store": `{"text":"An attack."}`, "memory_update": fmt.Sprintf(`{"id":%q,"text":"An attack."}`, id), "memory_delete": fmt.Sprintf(`{"id":%q}`, id)}
}

// TestTeamRoutesOfOthers checks that a token for one repository gets nothing of
// another by any route, and does not learn that it exists.
func TestTeamRoutesOfOthers(t *testing.T) {
	h, _, _, eve, _, bankID := scopes(t)
	before := strings.Join(h.changes(), "\n")
	for _, r := range routes() {
		if r.stream {
			continue // below
		}
		target, body := targetOf(r, bankID)
		other, nowhere := h.ask(eve, r.method, ofRepository(target, "bank"), body), h.ask(eve, r.method, ofRepository(target, "nowhere"), body)
		ofServer := r.path == base+"/repositories" || r.path == openAPIPath
		if !ofServer && other.Code != 404 || other.Code >= 500 {
			t.Errorf("%s %s: %d %.300s", r.method, r.path, other.Code, other.Body)
		}
		if strings.ReplaceAll(other.Body.String(), "bank", "nowhere") != nowhere.Body.String() {
			t.Errorf("%s %s: what is refused and what is not there differ:\n%.300s\n%.300s", r.method, r.path, other.Body, nowhere.Body)
		}
		for _, name := range []string{"", "*", "shop"} {
			if name != "" && strings.Contains(target, bankID) {
				continue // ids of another repository: without a name is enough
			}
			w := h.ask(eve, r.method, ofRepository(target, name), body)
			if text := w.Body.String(); w.Code >= 500 || strings.Contains(text, "is red") || strings.Contains(text, "bank") {
				t.Errorf("%s %s of %q: %d %.500s", r.method, r.path, name, w.Code, text)
			}
		}
	}
	for _, change := range h.changes() {
		if !strings.Contains(before, change) && strings.Contains(change, "bank") {
			t.Errorf("written: %s", change)
		}
	}
	if text := h.dump("agentflow_team"); strings.Contains(text, "An attack") {
		t.Error(text)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second) // a stream would not end
	defer cancel()
	w := httptest.NewRecorder()
	if h.server.ServeHTTP(w, h.request(eve, "GET", base+"/events?repository=bank", "").WithContext(ctx)); w.Code != 404 {
		t.Errorf("events: %d %s", w.Code, w.Body)
	}
}

// TestTeamPageOfOthers checks the same for the page and for MCP.
func TestTeamPageOfOthers(t *testing.T) {
	h, _, _, eve, _, bankID := scopes(t)
	for _, path := range []string{"/", "/?q=secret+okapi", "/timeline", "/live", "/entry/" + bankID, "/similar/" + bankID, "/facts", "/contradictions", "/memory", "/memory?file=memory/2026-11-25.md", "/files", "/files?path=README", "/health", "/nowhere"} {
		for _, name := range []string{"bank", "*", ""} {
			w := h.ask(eve, "GET", ofRepository(path, name), "", with("Accept", "text/html"))
			text := strings.ReplaceAll(w.Body.String(), "no repository &#34;bank&#34;", "") // what was asked
			if w.Code >= 500 || strings.Contains(text, "is red") || strings.Contains(text, "bank") {
				t.Errorf("%s of %q: %d %.2000s", path, name, w.Code, text)
			}
		}
	}
	for path, want := range map[string]int{"/mcp/bank": 404, "/mcp/nowhere": 404, "/mcp": 200, "/mcp/shop": 200, "/mcp/*": 200} {
		for name, arguments := range map[string]string{"memory_search": `{"query":"secret of the okapi"}`, "memory_list": `{}`, "memory_get": fmt.Sprintf(`{"id":%q}`, bankID),
			"memory_update": fmt.Sprintf(`{"id":%q,"text":"An attack."}`, bankID), "memory_delete": fmt.Sprintf(`{"id":%q}`, bankID), "memory_why": `{"path":"README"}`, "memory_files": `{"task":"secret of the okapi"}`} {
			code, text := h.tool(eve, path, name, arguments)
			if code != want || strings.Contains(text, "is red") || want == 200 && strings.Contains(text, "bank") {
				t.Errorf("%s at %s: %d %s", name, path, code, text)
			}
		}
	}
}

// TestTeamReader checks that a token for reading writes nothing, by any route
// or tool.
func TestTeamReader(t *testing.T) {
	h, ada, bob, _, shopID, _ := scopes(t)
	agents := h.byTool(ada, "The build takes an hour.")
	before, tip := strings.Join(h.changes(), "\n"), h.tips()
	for _, r := range routes() {
		target, body := targetOf(r, shopID)
		if r.stream || r.method == get || slices.Contains(readingPosts, r.path) {
			continue
		}
		w := h.ask(bob, r.method, ofRepository(target, "shop"), body)
		said := strings.Contains(w.Body.String(), "may only read")
		if many := r.path == base+"/batch" && w.Code == 200; !said && r.path != base+"/memory/tool" || w.Code != 409 && !many {
			t.Errorf("%s %s with a token for reading: %d %.300s", r.method, r.path, w.Code, w.Body)
		}
	}
	for name, arguments := range changingTools(agents) {
		if code, text := h.tool(bob, "/mcp/shop", name, arguments); code != 200 || !strings.Contains(text, "may only read") || !strings.Contains(text, `"isError":true`) {
			t.Errorf("%s with a token for reading: %d %s", name, code, text)
		}
	}
	if code, text := h.tool(bob, "/mcp/shop", "memory", `{"command":"create","path":"/memories/a.md","file_text":"x"}`); !strings.Contains(text, "unknown tool") {
		t.Errorf("the memory tool is offered: %d %s", code, text)
	}
	if after := strings.Join(h.changes(), "\n"); after != before || h.tips() != tip {
		t.Errorf("something was written:\n%s", after)
	}
}

// tips returns the refs of the remotes.
func (h *hall) tips() string {
	return h.Git("ls-remote", h.remotes[0]) + h.Git("ls-remote", h.remotes[1])
}

// TestTeamUnnamed checks that for a token with several repositories each route
// requires a name, and that none writes to all.
func TestTeamUnnamed(t *testing.T) {
	h, ada, _, _, shopID, _ := scopes(t)
	agents := h.byTool(ada, "The build takes an hour.")
	before, tip := strings.Join(h.changes(), "\n"), h.tips()
	for _, r := range routes() {
		target, body := targetOf(r, shopID)
		if r.path == base+"/repositories" || r.path == openAPIPath {
			continue
		}
		if w := h.ask(ada, r.method, target, body); w.Code != 400 || !strings.Contains(w.Body.String(), "names no repository") {
			t.Errorf("%s %s: %d %.300s", r.method, r.path, w.Code, w.Body)
		}
		if r.stream || r.method == get || slices.Contains(readingPosts, r.path) {
			continue
		}
		w := h.ask(ada, r.method, ofRepository(target, "*"), body)
		if many := r.path == base+"/batch"; w.Code < 400 && !many || w.Code >= 500 {
			t.Errorf("%s %s of all: %d %.300s", r.method, r.path, w.Code, w.Body)
		}
	}
	for name, arguments := range changingTools(agents) {
		if code, text := h.tool(ada, "/mcp", name, arguments); !strings.Contains(text, "several repositories") || !strings.Contains(text, `"isError":true`) {
			t.Errorf("%s of all: %d %s", name, code, text)
		}
	}
	if after := strings.Join(h.changes(), "\n"); after != before || h.tips() != tip {
		t.Errorf("something was written:\n%s", after)
	}
}

// TestTeamPlaces checks that no answer reveals a path on the server's machine.
func TestTeamPlaces(t *testing.T) {
	h, ada, bob, _, shopID, _ := scopes(t)
	at := func(text string) string {
		for _, place := range append(h.remotes, h.Home, "agentflow-team-", "AGENTFLOW_DSN", "agentflow-pg-") {
			if strings.Contains(text, place) {
				return place
			}
		}
		return ""
	}
	asked := func(token, method, target, body string, change ...func(*http.Request)) {
		t.Helper()
		w := h.ask(token, method, target, body, change...)
		if place := at(w.Body.String()); w.Code >= 500 || place != "" {
			t.Errorf("%s %s: %d, with %s\n%s", method, target, w.Code, place, w.Body)
		}
	}
	for _, token := range []string{bob, ada} {
		for _, r := range routes() {
			if target, body := targetOf(r, shopID); !r.stream {
				asked(token, r.method, ofRepository(target, "shop"), body)
				asked(token, r.method, ofRepository(strings.ReplaceAll(target, shopID, "last"), "shop"), body)
			}
		}
		for _, path := range []string{"/", "/timeline", "/facts", "/memory", "/health", "/live", "/files?path=README", "/entry/" + shopID} {
			asked(token, "GET", ofRepository(path, "shop"), "", with("Accept", "text/html"))
		}
	}
}
