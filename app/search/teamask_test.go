package search_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"agentflow/app/search"
	"agentflow/app/setup"
	"agentflow/internal/testing/apptest"
	"agentflow/memory/retrieval"
)

func answerHits(hits ...retrieval.Hit) func(w http.ResponseWriter, r *http.Request) {
	return func(w http.ResponseWriter, r *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{"hits": hits})
	}
}

func teamHit(text string) retrieval.Hit {
	return retrieval.Hit{Path: "shared/ada-12345678/2026-11-25.md", StartLine: 1, EndLine: 3, Text: text, Repository: "shop", Author: "Ada", RankScore: 2, Score: 0.9,
		EntryID: "0199aaaa-0000-7000-8000-00000000e001", Explain: &retrieval.Explain{Evidence: 1}}
}

// TestAskTeam: the results of the team's server are merged with the local hits. If the server
// does not answer, one line says why.
func TestAskTeam(t *testing.T) {
	p := apptest.NewRepository(t)
	apptest.StoredBy(t, p.Memory(), "The okapi sleeps in the pantry.")
	p.Env = append(p.Env, "AGENTFLOW_TEAM_TOKEN=aft_secret")
	search := func() (texts, said string) {
		t.Helper()
		res := apptest.Must(search.Search(t.Context(), p.Memory(), search.SearchRequest{Text: "where does the okapi sleep", Limit: 5}))(t)
		for _, h := range res.Hits {
			texts += h.Path + " " + h.Text + "\n"
		}
		if !strings.Contains(texts, "pantry") {
			t.Errorf("the own hit is missing: %q", texts)
		}
		return texts, strings.Join(res.Degraded, "\n")
	}
	use := func(d *apptest.TeamDouble) {
		apptest.Must(setup.SetConfig(t.Context(), p.Memory(), setup.SetConfigRequest{Key: "team.url", Value: &d.URL}))(t)
	}

	ours := apptest.NewTeamDouble(t, func(w http.ResponseWriter, r *http.Request) {
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
	use(apptest.NewTeamDouble(t, answerHits(strange)))
	if _, said := search(); !strings.Contains(said, "does not answer as a team's server does") {
		t.Errorf("of a server that is none of ours: %q", said)
	}

	use(apptest.NewTeamDouble(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, ours.URL, http.StatusFound) }))
	asked := ours.Asked.Load()
	if _, said := search(); !strings.Contains(said, "it says 302") || ours.Asked.Load() != asked {
		t.Errorf("a redirect is followed, with the token: %q", said)
	}

	refuses := apptest.NewTeamDouble(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = w.Write([]byte(`{"error":{"message":"the token is not known\u001b[2J"}}`))
	})
	use(refuses)
	for range 2 { // a quick refusal starts no rest
		if _, said := search(); !strings.Contains(said, "it says 401 the token is not known") || strings.Contains(said, "\x1b") {
			t.Errorf("a refusal: %q", said)
		}
	}
	if refuses.Asked.Load() != 2 {
		t.Errorf("a server that refuses at once was asked %d times", refuses.Asked.Load())
	}

	hangs := apptest.NewTeamDouble(t, func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	use(hangs)
	search()
	if _, said := search(); !strings.Contains(said, "is not asked for 30s") || hangs.Asked.Load() != 1 {
		t.Errorf("a server that hangs was asked %d times: %q", hangs.Asked.Load(), said)
	}
}

// TestTeamTokenIsMissing: without a token no server is asked, and the line names the variable.
func TestTeamTokenIsMissing(t *testing.T) {
	p := apptest.NewRepository(t)
	apptest.StoredBy(t, p.Memory(), "The okapi sleeps in the pantry.")
	d := apptest.NewTeamDouble(t, answerHits())
	p.Settings("[team]\nurl = \"" + d.URL + "\"\ntoken_env = \"OKAPI_TOKEN\"\n")
	res := apptest.Must(search.Search(t.Context(), p.Memory(), search.SearchRequest{Text: "okapi", Limit: 5}))(t)
	if len(res.Degraded) != 1 || !strings.Contains(res.Degraded[0], "OKAPI_TOKEN") || d.Asked.Load() != 0 {
		t.Errorf("%q, asked %d times", res.Degraded, d.Asked.Load())
	}
}

// TestRestEnds: a rest ends after its time, and a rest that begins in the future does not count.
func TestRestEnds(t *testing.T) {
	f := search.RestFile(t.TempDir(), "https://memory.example.com")
	if !f.Since().IsZero() {
		t.Error("there is a rest at first")
	}
	f.Begin()
	if ago := time.Since(f.Since()); ago < 0 || ago > time.Minute {
		t.Errorf("a rest began %v ago", ago)
	}
	f.End()
	if !f.Since().IsZero() {
		t.Error("the rest does not end")
	}
}
