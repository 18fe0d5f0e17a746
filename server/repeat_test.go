package server

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// answerOf returns the answer to a request and checks its status.
func (h *house) answerOf(t *testing.T, status int, method, path, body string) (out struct {
	ID       string
	Existing bool
	Changed  bool
}) {
	t.Helper()
	w := h.do(request(method, base+path, body))
	if w.Code != status {
		t.Fatalf("%s %s: %d %s", method, path, w.Code, w.Body)
	}
	if status == http.StatusOK {
		if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// TestRequestsThatAreRepeated checks that when a program got no answer and
// sends its request again, memory is as if it had been sent once.
func TestRequestsThatAreRepeated(t *testing.T) {
	h := newHouse(t)
	count := func(text string, want int) {
		t.Helper()
		w := h.do(request("GET", base+"/memory/facts?words="+strings.ReplaceAll(text, " ", "+"), ""))
		var list struct{ Facts []struct{ Text string } }
		if err := json.Unmarshal(w.Body.Bytes(), &list); err != nil || len(list.Facts) != want {
			t.Errorf("%q: %s, %v", text, w.Body, err)
		}
	}
	store := `{"text": "The build needs make.", "key": "build", "tags": ["ci"]}`
	first := h.answerOf(t, 200, "POST", "/memory/facts", store)
	if again := h.answerOf(t, 200, "POST", "/memory/facts", store); first.Existing || !again.Existing || again.ID != first.ID {
		t.Errorf("stored: %+v, again %+v", first, again)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if w := h.do(request("POST", base+"/memory/facts", `{"text": "Okapis are shy."}`)); w.Code != 200 {
				t.Errorf("%d %s", w.Code, w.Body)
			}
		})
	}
	all.Wait()
	count("okapis", 1)
	h.answerOf(t, 200, "POST", "/batch", `{"facts": [{"text": "Lions roar."}, {"text": "Lions roar."}]}`)
	h.answerOf(t, 200, "POST", "/batch", `{"facts": [{"text": "Lions roar."}]}`)
	count("lions", 1)

	one := "/memory/facts/" + first.ID
	edit := `{"text": "The build needs ninja."}`
	if a, b := h.answerOf(t, 200, "PATCH", one, edit), h.answerOf(t, 200, "PATCH", one, edit); !a.Changed || b.Changed || a.ID != b.ID {
		t.Errorf("edited: %+v, again %+v", a, b)
	}
	count("ninja", 1)
	replace := `{"text": "The build needs bazel.", "supersedes": "` + first.ID + `"}`
	next := h.answerOf(t, 200, "POST", "/memory/facts", replace)
	h.answerOf(t, 409, "POST", "/memory/facts", replace) // it is already struck, and the error names what replaced it
	count("bazel", 1)

	one = "/memory/facts/" + next.ID
	h.answerOf(t, 200, "POST", one+"/pin", "{}")
	h.answerOf(t, 200, "POST", one+"/pin", "{}")
	h.answerOf(t, 200, "DELETE", one, "")
	h.answerOf(t, 404, "DELETE", one, "")
	count("bazel", 0)
	h.answerOf(t, 200, "POST", one+"/restore", "{}")
	count("bazel", 1)
	h.answerOf(t, 409, "POST", one+"/restore", "{}")
	count("bazel", 1)

	create := `{"command": "create", "path": "/memories/a.md", "file_text": "one\n"}`
	h.answerOf(t, 200, "POST", "/memory/tool", create)
	h.answerOf(t, 409, "POST", "/memory/tool", create) // Anthropic's tool says that the file is there
	if got := h.Read(".agentflow/memory/notes/a.md"); got != "one\n" {
		t.Errorf("the file holds %q", got)
	}
}
