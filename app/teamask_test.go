package app

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"agentflow/memory"
)

// teamDouble answers searches as a team's server does, and counts them.
type teamDouble struct {
	*httptest.Server
	asked  atomic.Int32
	answer func(w http.ResponseWriter, r *http.Request)
}

func newTeamDouble(t *testing.T, answer func(w http.ResponseWriter, r *http.Request)) *teamDouble {
	d := &teamDouble{answer: answer}
	d.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d.asked.Add(1)
		_, _ = io.Copy(io.Discard, r.Body) // the server notices a closed connection only after it has read the body
		d.answer(w, r)
	}))
	t.Cleanup(d.Close)
	return d
}

func answerHits(hits ...memory.Hit) func(w http.ResponseWriter, r *http.Request) {
	return func(w http.ResponseWriter, r *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{"hits": hits})
	}
}

func teamHit(text string) memory.Hit {
	return memory.Hit{Path: "shared/ada-12345678/2026-11-25.md", StartLine: 1, EndLine: 3, Text: text, Repository: "shop", Author: "Ada", RankScore: 2, Score: 0.9,
		EntryID: "0199aaaa-0000-7000-8000-00000000e001", Explain: &memory.Explain{Evidence: 1}}
}

// TestAskTeam: the results of the team's server are merged with the local hits. If the server
// does not answer, one line says why.
func TestAskTeam(t *testing.T) {
	p := newRepository(t)
	storedBy(t, p.memory(), "The okapi sleeps in the pantry.")
	p.Env = append(p.Env, "AGENTFLOW_TEAM_TOKEN=aft_secret")
	search := func() (texts, said string) {
		t.Helper()
		res := must(Search(t.Context(), p.memory(), SearchRequest{Text: "where does the okapi sleep", Limit: 5}))(t)
		for _, h := range res.Hits {
			texts += h.Path + " " + h.Text + "\n"
		}
		if !strings.Contains(texts, "pantry") {
			t.Errorf("the own hit is missing: %q", texts)
		}
		return texts, strings.Join(res.Degraded, "\n")
	}
	use := func(d *teamDouble) {
		must(SetConfig(t.Context(), p.memory(), SetConfigRequest{Key: "team.url", Value: &d.URL}))(t)
	}

	ours := newTeamDouble(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer aft_secret" || r.URL.Query().Get("repository") != "*" {
			t.Errorf("asked with %v, %v", r.Header, r.URL)
		}
		answerHits(teamHit("- The okapi sleeps upstairs. password = \"hunter2hunter2\""))(w, r)
	})
	use(ours)
	texts, said := search()
	if said != "" || !strings.Contains(texts, "team:shop:shared/ada-12345678/2026-11-25.md - The okapi sleeps upstairs") || strings.Contains(texts, "hunter2") {
		t.Errorf("%q, %q", texts, said)
	}

	strange := teamHit("x")
	strange.Explain = nil
	use(newTeamDouble(t, answerHits(strange)))
	if _, said := search(); !strings.Contains(said, "does not answer as a team's server does") {
		t.Errorf("of a server that is none of ours: %q", said)
	}

	use(newTeamDouble(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, ours.URL, http.StatusFound) }))
	asked := ours.asked.Load()
	if _, said := search(); !strings.Contains(said, "it says 302") || ours.asked.Load() != asked {
		t.Errorf("a redirect is followed, with the token: %q", said)
	}

	refuses := newTeamDouble(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = w.Write([]byte(`{"error":{"message":"the token is not known\u001b[2J"}}`))
	})
	use(refuses)
	for range 2 { // a quick refusal starts no rest
		if _, said := search(); !strings.Contains(said, "it says 401 the token is not known") || strings.Contains(said, "\x1b") {
			t.Errorf("a refusal: %q", said)
		}
	}
	if refuses.asked.Load() != 2 {
		t.Errorf("a server that refuses at once was asked %d times", refuses.asked.Load())
	}

	hangs := newTeamDouble(t, func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	use(hangs)
	search()
	if _, said := search(); !strings.Contains(said, "is left alone") || hangs.asked.Load() != 1 {
		t.Errorf("a server that hangs was asked %d times: %q", hangs.asked.Load(), said)
	}
}

// TestTeamTokenIsMissing: without a token no server is asked, and the line names the variable.
func TestTeamTokenIsMissing(t *testing.T) {
	p := newRepository(t)
	storedBy(t, p.memory(), "The okapi sleeps in the pantry.")
	d := newTeamDouble(t, answerHits())
	p.Settings("[team]\nurl = \"" + d.URL + "\"\ntoken_env = \"OKAPI_TOKEN\"\n")
	res := must(Search(t.Context(), p.memory(), SearchRequest{Text: "okapi", Limit: 5}))(t)
	if len(res.Degraded) != 1 || !strings.Contains(res.Degraded[0], "OKAPI_TOKEN") || d.asked.Load() != 0 {
		t.Errorf("%q, asked %d times", res.Degraded, d.asked.Load())
	}
}

// TestRestEnds: a rest ends after its time, and a rest that begins in the future does not count.
func TestRestEnds(t *testing.T) {
	f := restFile(t.TempDir(), "https://memory.example.com")
	if !f.since().IsZero() {
		t.Error("there is a rest at first")
	}
	f.begin()
	if ago := time.Since(f.since()); ago < 0 || ago > time.Minute {
		t.Errorf("a rest began %v ago", ago)
	}
	f.end()
	if !f.since().IsZero() {
		t.Error("the rest does not end")
	}
}
