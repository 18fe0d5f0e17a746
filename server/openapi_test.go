package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"agentflow/app/agent"
	"agentflow/app/api"
	"agentflow/app/fact"
	"agentflow/app/run"

	"github.com/google/jsonschema-go/jsonschema"
)

// described is the part of the OpenAPI document that tests compare with
// handlers.
type described struct {
	OpenAPI    string
	Paths      map[string]map[string]operation
	Components struct{ Schemas map[string]json.RawMessage }
}

type operation struct {
	OperationID string
	Parameters  []struct {
		Name, In string
		Required bool
	}
	RequestBody struct{ Content content }
	Responses   map[string]struct{ Content content }
}

type content map[string]struct{ Schema json.RawMessage }

func (h *house) described() described {
	h.t.Helper()
	var d described
	w := h.do(request("GET", openAPIPath, ""))
	if err := json.Unmarshal(w.Body.Bytes(), &d); err != nil || d.OpenAPI != "3.1.0" {
		h.t.Fatalf("%v\n%s", err, w.Body)
	}
	return d
}

// accepts returns why a text does not match a schema of the document.
func (d described) accepts(schema json.RawMessage, text []byte) error {
	if len(schema) == 0 {
		return fmt.Errorf("the document has no schema")
	}
	all := map[string]json.RawMessage{}
	if err := json.Unmarshal(schema, &all); err != nil {
		return err
	}
	all["$defs"], _ = json.Marshal(d.Components.Schemas)
	whole, _ := json.Marshal(all)
	whole = []byte(strings.ReplaceAll(string(whole), "#/components/schemas/", "#/$defs/"))
	var root jsonschema.Schema
	if err := json.Unmarshal(whole, &root); err != nil {
		return err
	}
	resolved, err := root.Resolve(nil)
	if err != nil {
		return err
	}
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		return err
	}
	return resolved.Validate(value)
}

// operationOf returns the document's operation for a request.
func (d described) operationOf(t *testing.T, method, target string) (operation, string) {
	t.Helper()
	at, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	for path, methods := range d.Paths {
		mux := http.NewServeMux()
		mux.HandleFunc(strings.ReplaceAll(path, "{name}", "{name...}"), func(http.ResponseWriter, *http.Request) {})
		if _, pattern := mux.Handler(httptest.NewRequest(method, at.Path, nil)); pattern == "" {
			continue
		}
		if o, ok := methods[strings.ToLower(method)]; ok && (!strings.Contains(path, "{") || !hasExact(d, at.Path)) {
			return o, strings.ToUpper(method) + " " + path
		}
	}
	t.Fatalf("the document does not have %s %s", method, target)
	return operation{}, ""
}

func hasExact(d described, path string) bool { return d.Paths[path] != nil }

// TestAnswersAreAsDescribed compares what handlers take and answer with the
// document, for each route, on a memory that holds something of every kind.
func TestAnswersAreAsDescribed(t *testing.T) {
	h := newHouse(t)
	f := h.remember("The login test races the clock; wait for the server.")
	other := h.remember("The deploy needs the old key.")
	var agents []api.Fact
	for _, text := range []string{"The robot likes oil.", "The robot rusts."} {
		done, err := agent.NewAgentSession(h.memory, fact.Agent{Name: "robot"}).Remember(t.Context(), fact.RememberRequest{Change: fact.Change{Text: &text}})
		if err != nil {
			t.Fatal(err)
		}
		agents = append(agents, done.Fact.Fact)
	}
	parts := ask[Remembered](h, 200, "POST", facts, `{"parts":{"name":"Deploy","steps":["build","push"]},"key":"deploy","tags":["ops"]}`)
	const task = "Fix the login test that races the clock"
	if _, err := run.Run(t.Context(), h.memory, run.Request{Task: task, Agent: "command", AgentArgs: []string{"sh", "-c", "cat >/dev/null; echo z >c.txt"}}); err != nil {
		t.Fatal(err) // which the next run is shown
	}
	run, err := run.Run(t.Context(), h.memory, run.Request{Task: task, Agent: "command",
		AgentArgs: []string{"sh", "-c", "cat >/dev/null; echo x >a.txt; git add a.txt; git commit -qm a; echo y >b.txt"}})
	if err != nil {
		t.Fatal(err)
	}
	id := run.Run.ID
	d := h.described()
	succeeded := map[string]bool{}
	for _, c := range []struct {
		method, target, body string
		want                 int
	}{
		{"POST", base + "/memory/search", `{"query":"login clock","explain":true}`, 200},
		{"POST", base + "/memory/search", `{"query":"login","type":"semantic","since":"2020-01-01T00:00:00Z","limit":3,"namespaces":["branch"]}`, 200},
		{"POST", base + "/memory/search", `{"query":"login","types":["semantic","procedural"],"category":"","min_importance":0.5,"min_score":0.01,"sort":"time","offset":1,"limit":1}`, 200},
		{"POST", base + "/memory/search", `{"query":"login","types":["song"]}`, 400},
		{"POST", base + "/memory/search", `{"query":"login","sort":"length"}`, 400},
		{"POST", base + "/memory/search", `{"query":"login","offset":-1}`, 400},
		{"POST", base + "/memory/search", `{"query":"login","min_score":1.5}`, 400},
		{"POST", base + "/memory/search", `{"query":"login","min_importance":-1}`, 400},
		{"POST", base + "/recall", `{"task":"Fix the login test","types":["episodic"],"category":"x","min_importance":0.9}`, 200},
		{"POST", base + "/memory/search", `{"query":"nothing like it anywhere zzz"}`, 200},
		{"POST", base + "/memory/search", `{}`, 400},
		{"POST", base + "/memory/search", `{"query":"x","limt":3}`, 400},
		{"POST", base + "/memory/search", `{"query":"x","kind":"song"}`, 400},
		{"POST", base + "/memory/search", `{"query":"x"} {}`, 400},
		{"POST", base + "/memory/search?repository=other", `{"query":"x"}`, 404},
		{"POST", base + "/recall", `{"task":"Fix the login test","explain":true}`, 200},
		{"POST", base + "/recall", `{"task":"Fix the login test"}`, 200},
		{"POST", base + "/recall", `{"task":""}`, 400},
		{"GET", base + "/preview", "", 200},
		{"GET", base + "/preview?task=Fix+the+login+test", "", 200},
		{"POST", base + "/files", `{"task":"Fix the login test","limit":3,"explain":true}`, 200},
		{"POST", base + "/files", `{"task":""}`, 400},
		{"POST", base + "/files", `{"task":"login","limit":999}`, 400},
		{"POST", base + "/batch", `{"searches":[{"query":"login"},{"query":""}],"recalls":[{"task":"login"}],"facts":[{"text":"A third one."}]}`, 200},
		{"POST", base + "/batch", `{}`, 400},
		{"GET", facts, "", 200},
		{"GET", facts + "?limit=1&sort=importance&reverse=true&state=all&tag=ops", "", 200},
		{"GET", facts + "?sort=uses", "", 200},
		{"GET", facts + "?sort=size", "", 400},
		{"GET", facts + "?tags=ops", "", 400},
		{"GET", facts + "?cursor=none", "", 400},
		{"GET", facts + "?since=yesterday", "", 400},
		{"POST", facts, `{"text":"A fact.","type":"semantic","importance":0.9,"confidence":0.5,"tags":["a"],"key":"k","category":"c","expires":"2100-01-01T00:00:00Z"}`, 200},
		{"POST", facts, `{"text":"Another fact.","key":"k","supersedes":"` + other.ID + `"}`, 200},
		{"POST", facts, `{}`, 400},
		{"POST", facts, `{"text":"x","importance":7}`, 400},
		{"GET", facts + "/" + f.ID, "", 200},
		{"GET", facts + "/" + parts.ID, "", 200},
		{"GET", facts + "/" + id, "", 404},
		{"GET", facts + "/0000", "", 404},
		{"PATCH", facts + "/" + f.ID, `{"importance":0.8}`, 200},
		{"PATCH", facts + "/0000", `{"importance":0.8}`, 404},
		{"POST", facts + "/" + f.ID + "/pin", "", 200},
		{"POST", facts + "/" + f.ID + "/unpin", "{}", 200},
		{"GET", facts + "/" + f.ID + "/similar?limit=3", "", 200},
		{"DELETE", facts + "/" + parts.ID, "", 200},
		{"DELETE", facts + "/" + id, "", 404},
		{"POST", facts + "/" + parts.ID + "/restore", "", 200},
		{"POST", facts + "/" + parts.ID + "/restore", "", 409},
		{"DELETE", facts + "/" + parts.ID, "", 200},
		{"GET", base + "/memory/lost", "", 200},
		{"GET", base + "/review?kind=agent&limit=5", "", 200},
		{"GET", base + "/review?limit=501", "", 400},
		{"POST", base + "/review/" + agents[0].ID + "/accept", `{"text":"An accepted one."}`, 200},
		{"POST", base + "/review/" + agents[0].ID + "/accept", `{}`, 404},
		{"POST", base + "/review/0000/accept", `{}`, 404},
		{"POST", base + "/review/" + agents[1].ID + "/drop", `{}`, 200},
		{"POST", base + "/review/0000/drop", `{}`, 404},
		{"GET", entries, "", 200},
		{"GET", entries + "?limit=1&path=a.txt", "", 200},
		{"GET", entries + "?path=../../etc", "", 400},
		{"GET", entries + "/" + id, "", 200},
		{"GET", entries + "/last", "", 200},
		{"GET", entries + "/" + f.ID, "", 200},
		{"GET", entries + "/" + id + "/diff", "", 200},
		{"GET", entries + "/" + id + "/diff?patch=true&possible=true&path=a.txt", "", 200},
		{"GET", entries + "/" + id + "/recalled", "", 200},
		{"POST", entries + "/" + id + "/recalled/1/useless", "", 200},
		{"POST", entries + "/" + id + "/recalled/9/useless", "", 400},
		{"GET", base + "/why?path=a.txt&line=1", "", 200},
		{"GET", base + "/why?path=a.txt:1-1", "", 200},
		{"GET", base + "/why?path=.&limit=5", "", 200},
		{"GET", base + "/why?path=none.txt&line=1", "", 404},
		{"GET", base + "/why?path=" + strings.Repeat("a", 5000), "", 400},
		{"GET", base + "/why?path=" + strings.Repeat("a", 300), "", 404},
		{"GET", base + "/why?path=a%00b", "", 400},
		{"GET", base + "/memory/files/memory/" + strings.Repeat("a", 300) + ".md", "", 400},
		{"GET", base + "/memory/facts/" + strings.Repeat("a", 5000), "", 400},
		{"GET", base + "/entries/" + strings.Repeat("a", 5000) + "/diff", "", 400},
		{"GET", base + "/why?path=.&line=1", "", 409},
		{"GET", base + "/why?path=../../etc", "", 400},
		{"GET", base + "/why?path=a.txt&limit=1000", "", 400},
		{"POST", base + "/memory/tool?agent=test&session=s1", `{"command":"create","path":"/memories/a.md","file_text":"hello\n"}`, 200},
		{"POST", base + "/memory/tool", `{"command":"view","path":"/memories"}`, 200},
		{"POST", base + "/memory/tool", `{"command":"view","path":"/memories/none.md"}`, 404},
		{"GET", base + "/memory/files", "", 200},
		{"GET", base + "/memory/files/memory/notes/a.md?from=1", "", 200},
		{"GET", base + "/memory/files/memory/none.md", "", 404},
		{"GET", base + "/memory/files/config.toml", "", 400},
		{"GET", base + "/memory/stats", "", 200},
		{"GET", base + "/memory/counts?tag=ops", "", 200},
		{"GET", base + "/repositories", "", 200},
		{"GET", base + "/status", "", 200},
		{"POST", base + "/sync", "", 200},
		{"POST", base + "/sync", `{"rebuild":true}`, 200},
		{"GET", openAPIPath, "", 200},
	} {
		w := h.do(request(c.method, c.target, c.body))
		what := fmt.Sprintf("%s %s %s", c.method, c.target, c.body)
		if w.Code != c.want {
			t.Errorf("%s: %d, want %d\n%s", what, w.Code, c.want, w.Body)
		}
		o, name := d.operationOf(t, c.method, c.target)
		answered := o.Responses["default"].Content
		if w.Code == http.StatusOK {
			answered, succeeded[name] = o.Responses["200"].Content, true
			if err := d.takes(o, c.target, c.body); err != nil {
				t.Errorf("%s was done, and is not described: %v", what, err)
			}
		}
		if c.target == openAPIPath {
			continue // it describes itself with no schema
		}
		if err := d.accepts(answered["application/json"].Schema, w.Body.Bytes()); err != nil {
			t.Errorf("%s: the answer is not as described: %v\n%s", what, err, w.Body)
		}
	}
	for path, methods := range d.Paths {
		for method, o := range methods {
			if name := strings.ToUpper(method) + " " + path; !succeeded[name] && o.Responses["200"].Content["text/event-stream"].Schema == nil {
				t.Errorf("no request for %s", name)
			}
		}
	}
}

// takes returns why a request does not match the document.
func (d described) takes(o operation, target, body string) error {
	at, err := url.Parse(target)
	if err != nil {
		return err
	}
	named := map[string]bool{}
	for _, p := range o.Parameters {
		named[p.Name] = true
	}
	for name := range at.Query() {
		if !named[name] {
			return fmt.Errorf("parameter %s", name)
		}
	}
	if body == "" {
		return nil
	}
	return d.accepts(o.RequestBody.Content["application/json"].Schema, []byte(body))
}

// TestRoutesHaveNames checks that the operations of the document have different
// names, and that each schema it refers to exists.
func TestRoutesHaveNames(t *testing.T) {
	h := newHouse(t)
	d := h.described()
	seen := map[string]string{}
	for path, methods := range d.Paths {
		for method, o := range methods {
			if other := seen[o.OperationID]; other != "" || o.OperationID == "" {
				t.Errorf("%s %s and %s are both %q", method, path, other, o.OperationID)
			}
			seen[o.OperationID] = method + " " + path
			for _, p := range o.Parameters {
				if p.In == "path" && !strings.Contains(path, "{"+p.Name+"}") {
					t.Errorf("%s has no parameter %s", path, p.Name)
				}
			}
		}
	}
	whole := h.do(request("GET", openAPIPath, "")).Body.String()
	for _, part := range strings.Split(whole, `"#/components/schemas/`)[1:] {
		name, _, _ := strings.Cut(part, `"`)
		if d.Components.Schemas[name] == nil {
			t.Errorf("there is no schema %s", name)
		}
	}
	if strings.Contains(whole, "\"type\":\"\"") {
		t.Error("a type of Go has no schema")
	}
}
