package server

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"agentflow/app"
	"agentflow/app/open"
	"agentflow/internal/testing/labtest"
)

const (
	testToken = "0123456789abcdefghijklmnop"
	testHost  = "127.0.0.1:6767" // stands for that of the server
)

// house is a server of one memory, with methods that send it requests.
type house struct {
	*labtest.Lab
	t      *testing.T
	memory *app.Memory
	server *Server
}

func newHouse(t *testing.T, change ...func(*Options)) *house {
	t.Helper()
	l := labtest.Repository(t)
	m, err := open.Open(t.Context(), l.Repo, app.Env{Vars: l.Env})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	options := Options{Repositories: []Repository{{Name: "repo", Memory: m}}, Addr: testHost, Token: testToken, Version: "test"}
	for _, c := range change {
		c(&options)
	}
	s, err := New(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	return &house{l, t, m, s}
}

// request returns a request that the server answers, with changes.
func request(method, target, body string, change ...func(*http.Request)) *http.Request {
	var text io.Reader
	if body != "" {
		text = strings.NewReader(body)
	}
	r := httptest.NewRequest(method, target, text)
	r.Host = testHost
	r.Header.Set("Authorization", "Bearer "+testToken)
	if hasBody(method) {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, c := range change {
		c(r)
	}
	return r
}

func (h *house) do(r *http.Request) *httptest.ResponseRecorder {
	if r.Host == testHost {
		r.Host = h.server.access.(*localAccess).hosts[0]
	}
	w := httptest.NewRecorder()
	h.server.ServeHTTP(w, r.WithContext(context.WithoutCancel(h.t.Context())))
	return w
}

// ask asks, and reads the answer into a value.
func ask[T any](h *house, want int, method, target, body string) (out T) {
	h.t.Helper()
	w := h.do(request(method, target, body))
	if w.Code != want {
		h.t.Fatalf("%s %s: %d, want %d\n%s", method, target, w.Code, want, w.Body)
	}
	d := json.NewDecoder(bytes.NewReader(w.Body.Bytes()))
	d.DisallowUnknownFields()
	if err := d.Decode(&out); err != nil {
		h.t.Fatalf("%s %s: %v\n%s", method, target, err, w.Body)
	}
	return out
}

func (h *house) remember(text string) Remembered {
	h.t.Helper()
	body, _ := json.Marshal(map[string]any{"text": text})
	return ask[Remembered](h, 200, "POST", facts, string(body))
}

func TestAFactIsRememberedFoundAndForgotten(t *testing.T) {
	h := newHouse(t)
	f := h.remember("The login test races the clock.")
	if f.ID == "" || f.Existing || f.Source != "hand" {
		t.Errorf("%+v", f)
	}
	if again := h.remember("The login test races the clock."); !again.Existing || again.ID != f.ID {
		t.Errorf("%+v", again)
	}
	hits := ask[Hits](h, 200, "POST", base+"/memory/search", `{"query":"login clock"}`)
	if len(hits.Hits) != 1 || hits.Hits[0].Repository != "repo" || !strings.Contains(hits.Hits[0].Text, "races") {
		t.Fatalf("%+v", hits)
	}
	edited := ask[EditedFact](h, 200, "PATCH", facts+"/"+f.ID, `{"text":"The login test races the server.","expires":"30d","tags":["flaky"],"paths":["web/**"]}`)
	if !edited.Changed || edited.Text != "The login test races the server." || edited.Expires.Before(time.Now()) || len(edited.Tags) != 1 || !slices.Equal(edited.Paths, []string{"web/**"}) {
		t.Errorf("%+v", edited)
	}
	if pin := ask[Pinned](h, 200, "POST", facts+"/"+f.ID+"/pin", ""); !pin.Pinned || !pin.Changed {
		t.Errorf("%+v", pin)
	}
	if one := ask[Fact](h, 200, "GET", facts+"/"+f.ID, ""); one.State != "live, pinned" || one.Repository != "repo" {
		t.Errorf("%+v", one)
	}
	ask[Pinned](h, 200, "POST", facts+"/"+f.ID+"/unpin", "")
	if gone := ask[Forgotten](h, 200, "DELETE", facts+"/"+f.ID, ""); len(gone.Forgotten.Forgotten) == 0 {
		t.Errorf("%+v", gone)
	}
	ask[Failure](h, 404, "GET", facts+"/"+f.ID, "")
	if list := ask[Lost](h, 200, "GET", base+"/memory/lost", ""); len(list.Lost) != 1 {
		t.Errorf("%+v", list)
	}
	if back := ask[Restored](h, 200, "POST", facts+"/"+f.ID+"/restore", ""); len(back.Restored.Restored) != 1 {
		t.Errorf("%+v", back)
	}
	ask[Fact](h, 200, "GET", facts+"/"+f.ID, "")
}
