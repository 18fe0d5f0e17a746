package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"slices"
	"strings"
	"testing"
	"time"

	"agentflow/app/api"
)

// TestUndoOfEachDoor: 'memory undo' takes back what a person remembered, edited, accepted or
// forgot, through any door, and the files have the same bytes as before. An undo of the undo
// makes the change again.
func TestUndoOfEachDoor(t *testing.T) {
	l := newLab(t, "true")
	mine := strings.TrimSpace(l.Agentflow("remember", "The seal eats fish."))
	l.Agentflow("remember", "The okapi eats leaves.")
	l.asAgent("memory_store", `{"text": "The parser is recursive."}`)
	l.asAgent("memory_store", `{"text": "The cache is warm."}`)
	said, warm := l.factOf("The parser is recursive."), l.factOf("The cache is warm.")
	l.Write(".git/agentflow/proposals.json", strings.NewReplacer("NOW", time.Now().UTC().Format(time.RFC3339), "FACT", l.factOf("The okapi eats leaves.")).Replace(waiting))
	s := l.serving()
	defer s.kill()
	page := s.page()
	for name, change := range map[string]func() error{
		"remember":                    func() error { return l.does("remember", "The swan hisses.") },
		"remember what is replaced":   func() error { return l.does("remember", "--supersedes", mine, "The seal eats squid.") },
		"remember what an agent said": func() error { return l.does("remember", "The parser is recursive.") },
		"memory edit":                 func() error { return l.does("memory", "edit", mine) },
		"forget":                      func() error { return l.does("forget", "--yes", mine) },
		"review accept, of an agent":  func() error { return l.does("review", "accept", said) },
		"review edit, of an agent":    func() error { return l.does("review", "edit", warm, "The cache is cold.") },
		"review drop, of an agent":    func() error { return l.does("review", "drop", warm) },
		"review accept, of a session": func() error { return l.does("review", "accept", "c0ffee01") },
		"review edit, of a session":   func() error { return l.does("review", "edit", "c0ffee02", "Indent with tabs.") },
		"review accept, to retire":    func() error { return l.does("review", "accept", "c0ffee03") },
		"POST of a fact":              func() error { return s.did("POST", "/api/v1/memory/facts", `{"text": "The deploy waits."}`) },
		"POST of a batch":             func() error { return s.did("POST", "/api/v1/batch", `{"facts": [{"text": "The queue is long."}]}`) },
		"PATCH of a fact": func() error {
			return s.did("PATCH", "/api/v1/memory/facts/"+mine, `{"text": "The seal eats crabs.", "tags": ["zoo"]}`)
		},
		"DELETE of a fact":      func() error { return s.did("DELETE", "/api/v1/memory/facts/"+mine, "{}") },
		"POST of an acceptance": func() error { return s.did("POST", "/api/v1/review/"+said+"/accept", "{}") },
		"POST of a proposal":    func() error { return s.did("POST", "/api/v1/review/c0ffee04/accept", "{}") },
		"the page: remember":    func() error { return page.did("POST", "/api/v1/memory/facts", `{"text": "The page is white."}`) },
		"the page: edit": func() error {
			return page.did("PATCH", "/api/v1/memory/facts/"+mine, `{"text": "The seal eats eels."}`)
		},
		"the page: accept": func() error {
			return page.did("POST", "/api/v1/review/"+warm+"/accept", `{"text": "The cache is hot."}`)
		},
	} {
		before := l.memoryBytes()
		if err := change(); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		after := l.memoryBytes()
		if maps.Equal(before, after) {
			t.Errorf("%s changes nothing", name)
		}
		var done api.MemoryUndo
		l.JSON(&done, "memory", "undo", "--yes")
		if now := l.memoryBytes(); !maps.Equal(now, before) {
			t.Errorf("%s: memory holds %q, want %q", name, now, before)
		}
		l.JSON(&done, "memory", "undo", "--yes", done.Undo)
		if now := l.memoryBytes(); !maps.Equal(now, after) {
			t.Errorf("%s, made again: memory holds %q, want %q", name, now, after)
		}
		l.JSON(&done, "memory", "undo", "--yes", done.Undo)
	}
	before := l.changes()
	l.asAgent("memory_update", fmt.Sprintf(`{"id": %q, "tags": ["speed"]}`, warm))
	l.asAgent("memory_update", fmt.Sprintf(`{"id": %q, "text": "The cache is small."}`, warm))
	if now := l.changes(); !slices.Equal(now, before) {
		t.Errorf("what agents edit is listed: %q, before %q", now, before)
	}
	for _, title := range before {
		for _, word := range []string{"seal", "cache", "parser", "tabs", "page"} {
			if strings.Contains(title, word) {
				t.Errorf("a title holds the text of a fact: %q", title)
			}
		}
	}
}

const waiting = `{"version": 1, "settled": {}, "heard": [], "waiting": [
{"id": "c0ffee01", "kind": "correction", "text": "We never deploy on Fridays.", "sentence": "no, never on Fridays", "at": "NOW"},
{"id": "c0ffee02", "kind": "correction", "text": "Use tabs, not spaces.", "sentence": "no, tabs", "at": "NOW"},
{"id": "c0ffee03", "kind": "retirement", "text": "The okapi eats leaves.", "fact": "FACT", "at": "NOW"},
{"id": "c0ffee04", "kind": "repeated", "text": "Say please.", "at": "NOW"}
]}`

// does runs a command, with an editor that has the seal eat shrimps.
func (l *lab) does(args ...string) error {
	cmd := l.With("EDITOR=sed -i s/fish/shrimps/").Command(args...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// asAgent calls a tool as an agent does.
func (l *lab) asAgent(tool, arguments string) {
	l.T.Helper()
	cmd := l.Command("mcp")
	cmd.Stdin = strings.NewReader(calling(tool, arguments))
	if out, err := cmd.Output(); err != nil || strings.Contains(string(out), `"isError":true`) {
		l.T.Fatalf("%s: %v", out, err)
	}
}

// factOf returns the id of the fact with a text.
func (l *lab) factOf(text string) string {
	l.T.Helper()
	var list []api.Fact
	l.JSON(&list, "memory", "list")
	i := slices.IndexFunc(list, func(f api.Fact) bool { return f.Text == text })
	if i < 0 {
		l.T.Fatalf("no fact says %q", text)
	}
	return list[i].ID
}

// changes returns the titles of the changes that can be undone.
func (l *lab) changes() (titles []string) {
	l.T.Helper()
	var list []api.MemoryChange
	l.JSON(&list, "memory", "undo", "--list")
	for _, c := range list {
		titles = append(titles, c.Title)
	}
	return titles
}

// did sends a request as a program does.
func (s *served) did(method, path, body string) error {
	status, text, err := s.ask(method, path, json.RawMessage(body))
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("%d %s", status, text)
	}
	return err
}

// opened is a browser that followed the link to the page.
type opened struct {
	http.Client
	url string
}

// page follows a link to the page.
func (s *served) page() *opened {
	s.l.T.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		s.l.T.Fatal(err)
	}
	o := &opened{http.Client{Jar: jar}, s.url}
	res, err := o.Get(strings.TrimSpace(s.l.Agentflow("serve", "--link", "--addr", strings.TrimPrefix(s.url, "http://"))))
	if err != nil {
		s.l.T.Fatal(err)
	}
	res.Body.Close()
	return o
}

// did sends a request as the page's script does.
func (o *opened) did(method, path, body string) error {
	r, err := http.NewRequest(method, o.url+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Origin", o.url)
	res, err := o.Do(r)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if text, _ := io.ReadAll(res.Body); res.StatusCode != http.StatusOK {
		return fmt.Errorf("%d %s", res.StatusCode, text)
	}
	return nil
}
