package server

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"agentflow/app"
	"agentflow/app/team"
)

// hostileTexts holds texts that an attacker may send in any field.
var hostileTexts = map[string]string{
	"SQL":             `'; DROP TABLE tokens; --`,
	"SQL, dollars":    `$$; DROP SCHEMA agentflow_team CASCADE; $$ $1 \`,
	"SQL, pattern":    `%_\%' ESCAPE '`,
	"NUL":             "a\x00b",
	"not UTF-8":       "a\xffb",
	"a half":          "\xed\xa0\x80",
	"a terminal":      "\x1b]0;x\x07\x1b[2J",
	"HTML":            `--> <script>alert(1)</script> <!--`,
	"FTS":             `"a" NEAR/2 (b* OR -c) AND ^d:e`,
	"a path":          `../../../../etc/passwd`,
	"a long one":      strings.Repeat("x ", 500_000),
	"a number":        "99999999999999999999999999",
	"an odd array":    `{"a",NULL,{}}`,
	"right to left":   "\u202eabc\u2066",
	"all whitespace":  " \t\r\n\u00a0\u2028",
	"a format's verb": "%s%n%d%!",
}

// TestTeamHostileFields checks that a hostile text in any field of any request
// is reported as an error or treated as plain text, and that the records do not
// change.
func TestTeamHostileFields(t *testing.T) {
	h, ada, _, _, shopID, _ := scopes(t)
	before := h.dump("agentflow_team")
	shape := strings.Join(h.sql(`SELECT table_schema||'.'||table_name||'.'||column_name FROM information_schema.columns WHERE table_schema LIKE 'agentflow%' AND table_schema='agentflow_team' ORDER BY 1`), "\n")
	try := func(what, method, target, body string, change ...func(*http.Request)) {
		t.Helper()
		w := h.ask(ada, method, target, body, change...)
		if w.Code >= 500 || strings.Contains(w.Body.String(), "SQLSTATE") {
			t.Errorf("%s: %s %.200s: %d %.500s", what, method, target, w.Code, w.Body)
		}
		held(t, w.Header())
	}
	for what, text := range hostileTexts {
		q := url.QueryEscape(text)
		for _, r := range routes() {
			target, body := targetOf(r, shopID)
			if r.stream || r.method != get && body != "" && !strings.Contains(target, "search") {
				continue // what writes is below
			}
			try(what+" as repository", r.method, ofRepository(target, q), body)
			for field, tag := range tagged(r.in) {
				if _ = field; tag.place == "query" {
					try(what+" as "+tag.name, r.method, ofRepository(target, "shop")+"&"+tag.name+"="+q, body)
				}
			}
		}
		for _, name := range []string{"q", "path", "file", "cursor", "tag", "key", "part", "repository", "task", "words", "state", "sort"} {
			try(what+" on the page", "GET", "/?repository=shop&"+name+"="+q, "", with("Accept", "text/html"))
			try(what+" on the page", "GET", "/facts?"+name+"="+q, "", with("Accept", "text/html"))
		}
		object := func(fields ...string) string {
			m := map[string]any{"query": "okapi"}
			for _, f := range fields {
				m[f] = text
			}
			out, _ := json.Marshal(m)
			return string(out)
		}
		for _, field := range []string{"query", "category", "type", "sort", "since", "path", "branch", "agent", "key"} {
			try(what+" as "+field, "POST", base+"/memory/search?repository=shop", object(field))
		}
		for _, name := range []string{"Last-Event-ID", "X-Forwarded-For", "Cookie", "Accept", "User-Agent", "Mcp-Session-Id"} {
			try(what+" as "+name, "GET", base+"/repositories", "", func(r *http.Request) { r.Header[name] = []string{text} })
		}
		list, _ := json.Marshal(text)
		for _, a := range []string{fmt.Sprintf(`{"query":%s}`, list), fmt.Sprintf(`{"query":"x","tags":[%s]}`, list), fmt.Sprintf(`{"query":"x","namespaces":[%s]}`, list)} {
			try(what, "POST", base+"/memory/search?repository=shop", a)
			if _, text := h.tool(ada, "/mcp/shop", "memory_search", a); strings.Contains(text, "SQLSTATE") {
				t.Errorf("%s: %.500s", what, text)
			}
		}
	}
	after := h.dump("agentflow_team")
	if now := strings.Join(h.sql(`SELECT table_schema||'.'||table_name||'.'||column_name FROM information_schema.columns WHERE table_schema LIKE 'agentflow%' AND table_schema='agentflow_team' ORDER BY 1`), "\n"); after != before || now != shape {
		t.Errorf("the records were\n%s\nand are\n%s", before, after)
	}
}

// TestTeamHostileWrites checks that stored hostile texts are returned
// unchanged, and change nothing else. Each is tried as a text and in two more
// fields, with AGENTFLOW_HOSTILE=all in every field: a write starts ten git.
func TestTeamHostileWrites(t *testing.T) {
	h, ada, _, _, shopID, _ := scopes(t)
	tokens := strings.Join(h.sql(`SELECT t::text FROM agentflow_team.tokens t ORDER BY name`), "\n")
	for i, what := range slices.Sorted(maps.Keys(hostileTexts)) {
		value, _ := json.Marshal(hostileTexts[what])
		fields := map[string]string{"text": `{"text":%s}`, "key": `{"text":"The okapi.","key":%s}`, "category": `{"text":"The okapi.","category":%s}`,
			"tags": `{"text":"The okapi.","tags":[%s]}`, "namespace": `{"text":"The okapi.","namespace":%s}`, "namespace of a branch": `{"text":"The okapi.","namespace":"branch/` + what + `","key":%s}`, "expires": `{"text":"The okapi.","expires":%s}`}
		for k, field := range slices.Sorted(maps.Keys(fields)) {
			if turn := (i + k) % len(fields); turn > 1 && field != "text" && os.Getenv("AGENTFLOW_HOSTILE") != "all" {
				continue
			}
			body := fields[field]
			w := h.ask(ada, "POST", facts+"?repository=shop", fmt.Sprintf(body, value))
			if w.Code >= 500 || w.Code != 200 && !strings.HasPrefix(w.Body.String(), `{"error":`) {
				t.Errorf("%s as %s: %d %.500s", what, field, w.Code, w.Body)
			}
			if w := h.ask(ada, "PATCH", facts+"/"+shopID+"?repository=shop", fmt.Sprintf(body, value)); field == "expires" && w.Code == 200 {
				t.Errorf("%s is a time: %.300s", what, w.Body)
			}
		}
	}
	if now := strings.Join(h.sql(`SELECT t::text FROM agentflow_team.tokens t ORDER BY name`), "\n"); now != tokens {
		t.Errorf("the tokens were\n%s\nand are\n%s", tokens, now)
	}
	if w := h.ask(ada, "GET", "/facts?repository=shop", "", with("Accept", "text/html")); strings.Contains(w.Body.String(), "<script>alert") || w.Code != 200 {
		t.Errorf("the page: %d %s", w.Code, w.Body)
	}
}

// TestTeamHostileNames checks that a token's name may hold any printable text,
// and that memory records it as the person of the facts that the token stores.
func TestTeamHostileNames(t *testing.T) {
	h := newHall(t, "")
	for _, name := range []string{`'; DROP TABLE tokens; --`, `--> <script>alert(1)</script> <!--`, `a;by=hand pinned "x" person=Ada`, `$1 %s \n`, "Ünïcödé 名前", "[redacted]", "Ada, by hand"} {
		token := h.token(team.TokenRequest{Name: name, Writes: true})
		id := h.remember(token, "shop", fmt.Sprintf("Fact %d.", len(name)))
		w := h.ask(token, "GET", facts+"/"+id+"?repository=shop", "")
		var f Fact
		if err := json.Unmarshal(w.Body.Bytes(), &f); err != nil || f.Person != name || f.Pinned || f.Text != fmt.Sprintf("Fact %d.", len(name)) {
			t.Errorf("%s: %v %s", name, err, w.Body)
		}
		if got := h.changes()[0]; got != name+" shop remember "+id {
			t.Errorf("%s: the audit has %q", name, got)
		}
		if w := h.ask(token, "GET", "/entry/"+id+"?repository=shop", "", with("Accept", "text/html")); w.Code != 200 || strings.Contains(w.Body.String(), "<script>alert") {
			t.Errorf("%s: the page: %d %s", name, w.Code, w.Body)
		}
	}
	for _, name := range []string{"", " Ada", "Ada ", "A\nda", "A\x00da", "A\x1b[2Jda", "\xff", "A\u202eda", strings.Repeat("x", 101)} {
		if _, err := team.AddToken(t.Context(), app.Env{Vars: h.Env}, team.TokenRequest{Name: name}); err == nil || app.AsError(err).Kind != app.KindUsage {
			t.Errorf("%q: %v", name, err)
		}
	}
	if err := team.RevokeToken(t.Context(), app.Env{Vars: h.Env}, "' OR ''='"); err == nil || app.AsError(err).Kind != app.KindNotFound || len(h.sql(`SELECT name FROM agentflow_team.tokens`)) != 7 {
		t.Errorf("revoked by SQL: %v", err)
	}
}
