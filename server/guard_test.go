package server

import (
	"net/http"
	"strings"
	"testing"
)

// with sets a header; an empty value takes it away.
func with(name, value string) func(*http.Request) {
	return func(r *http.Request) {
		r.Header.Del(name)
		if value != "" {
			r.Header.Set(name, value)
		}
	}
}

func host(name string) func(*http.Request) { return func(r *http.Request) { r.Host = name } }

// TestAttacks checks that each request is refused with its reason and without
// any text of memory.
func TestAttacks(t *testing.T) {
	h := newHouse(t)
	f := h.remember("The secret of the house.")
	anonymous := with("Authorization", "")
	for _, c := range []struct {
		name, method, target, body string
		want                       int
		change                     []func(*http.Request)
	}{
		{"no token", "GET", facts, "", 401, []func(*http.Request){anonymous}},
		{"no token, the page", "GET", "/", "", 401, []func(*http.Request){anonymous}},
		{"no token, mcp", "POST", "/mcp", "{}", 401, []func(*http.Request){anonymous}},
		{"wrong token", "GET", facts, "", 401, []func(*http.Request){with("Authorization", "Bearer "+testToken+"x")}},
		{"beginning of the token", "GET", facts, "", 401, []func(*http.Request){with("Authorization", "Bearer "+testToken[:5])}},
		{"empty token", "GET", facts, "", 401, []func(*http.Request){with("Authorization", "Bearer ")}},
		{"another scheme", "GET", facts, "", 401, []func(*http.Request){with("Authorization", "Basic "+testToken)}},
		{"two tokens", "GET", facts, "", 401, []func(*http.Request){func(r *http.Request) { r.Header.Add("Authorization", "Bearer "+testToken) }}},
		{"token in the query", "GET", facts + "?token=" + testToken, "", 401, []func(*http.Request){anonymous}},
		{"token in the query besides", "GET", facts + "?token=" + testToken, "", 400, nil},
		{"token as cookie", "GET", facts, "", 401, []func(*http.Request){anonymous, with("Cookie", "agentflow-6767="+testToken)}},
		{"token in the path", "GET", "/link/" + testToken, "", 403, []func(*http.Request){anonymous}},

		{"rebound name", "GET", facts, "", 403, []func(*http.Request){host("evil.example:6767")}},
		{"rebound name, delete", "DELETE", facts + "/" + f.ID, "", 403, []func(*http.Request){host("evil.example:6767")}},
		{"name that begins like ours", "GET", facts, "", 403, []func(*http.Request){host("127.0.0.1.evil.example:6767")}},
		{"another address of loopback", "GET", facts, "", 403, []func(*http.Request){host("127.0.0.2:6767")}},
		{"another port", "GET", facts, "", 403, []func(*http.Request){host("127.0.0.1:6768")}},
		{"no port", "GET", facts, "", 403, []func(*http.Request){host("127.0.0.1")}},
		{"no host", "GET", facts, "", 403, []func(*http.Request){host("")}},
		{"subdomain of localhost", "GET", facts, "", 403, []func(*http.Request){host("evil.localhost:6767")}},
		{"a user in the host", "GET", facts, "", 403, []func(*http.Request){host("x@127.0.0.1:6767")}},
		{"rebound name, link", "GET", "/link/x", "", 403, []func(*http.Request){host("evil.example:6767"), anonymous}},

		{"foreign origin", "GET", facts, "", 403, []func(*http.Request){with("Origin", "http://evil.example")}},
		{"foreign origin, delete", "DELETE", facts + "/" + f.ID, "", 403, []func(*http.Request){with("Origin", "http://evil.example")}},
		{"origin null", "POST", facts, `{"text":"x"}`, 403, []func(*http.Request){with("Origin", "null")}},
		{"origin of another port", "POST", facts, `{"text":"x"}`, 403, []func(*http.Request){with("Origin", "http://127.0.0.1:8080")}},
		{"origin of another scheme", "POST", facts, `{"text":"x"}`, 403, []func(*http.Request){with("Origin", "https://127.0.0.1:6767")}},
		{"two origins", "POST", facts, `{"text":"x"}`, 403, []func(*http.Request){with("Origin", "http://127.0.0.1:6767"), func(r *http.Request) { r.Header.Add("Origin", "http://evil.example") }}},
		{"another site, without origin", "GET", facts, "", 403, []func(*http.Request){with("Sec-Fetch-Site", "cross-site")}},
		{"another port's page", "GET", facts, "", 403, []func(*http.Request){with("Sec-Fetch-Site", "same-site")}},
		{"followed from elsewhere", "GET", facts, "", 403, []func(*http.Request){with("Sec-Fetch-Site", "cross-site"), with("Sec-Fetch-Mode", "navigate"), with("Sec-Fetch-Dest", "document")}},
		{"link in a frame", "GET", "/link/x", "", 403, []func(*http.Request){with("Sec-Fetch-Site", "cross-site"), with("Sec-Fetch-Mode", "navigate"), with("Sec-Fetch-Dest", "iframe")}},
		{"preflight", "OPTIONS", facts, "", 403, []func(*http.Request){with("Origin", "http://evil.example"), with("Access-Control-Request-Method", "DELETE"), anonymous}},

		{"text/plain", "POST", facts, `{"text":"x"}`, 415, []func(*http.Request){with("Content-Type", "text/plain")}},
		{"form", "POST", facts, `text=x`, 415, []func(*http.Request){with("Content-Type", "application/x-www-form-urlencoded")}},
		{"multipart", "POST", facts, `x`, 415, []func(*http.Request){with("Content-Type", "multipart/form-data; boundary=x")}},
		{"no type", "POST", facts, `{"text":"x"}`, 415, []func(*http.Request){with("Content-Type", "")}},
		{"type that begins like JSON", "POST", facts, `{"text":"x"}`, 415, []func(*http.Request){with("Content-Type", "application/jsonx")}},
		{"text/plain, without body", "POST", facts + "/" + f.ID + "/pin", ``, 415, []func(*http.Request){with("Content-Type", "text/plain")}},

		{"method", "PUT", facts, `{}`, 405, nil},
		{"method that writes by another's name", "POST", facts + "/" + f.ID, `{}`, 405, []func(*http.Request){with("X-HTTP-Method-Override", "DELETE")}},
		{"TRACE", "TRACE", facts, "", 405, nil},
		{"CONNECT", "CONNECT", facts, "", 405, nil},
		{"lower case method", "get", facts, "", 405, nil},
		{"method of a link", "POST", "/link/x", `{}`, 405, nil},
		{"nothing there", "GET", "/api/v2/memory", "", 404, nil},

		{"id up", "GET", facts + "/..", "", 400, nil},
		{"id up, encoded", "GET", facts + "/%2e%2e", "", 400, nil},
		{"id up, encoded twice", "GET", facts + "/%252e%252e", "", 400, nil},
		{"id with slash", "GET", facts + "/..%2f..%2fetc", "", 400, nil},
		{"id with slash, encoded twice", "GET", facts + "/..%252f..%252fetc", "", 400, nil},
		{"id with backslash", "GET", facts + "/..%5c..%5cetc", "", 400, nil},
		{"id with NUL", "GET", facts + "/abcd%00", "", 400, nil},
		{"id with newline", "GET", facts + "/abcd%0d%0aX-Evil:%201", "", 400, nil},
		{"id that is a flag", "GET", entries + "/--output=x", "", 400, nil},
		{"id that git reads", "GET", entries + "/HEAD@{1}", "", 400, nil},
		{"long id", "GET", facts + "/" + strings.Repeat("a", 65), "", 400, nil},
		{"id up, delete", "DELETE", facts + "/%2e%2e%2f" + f.ID, "", 400, nil},
		{"file up", "GET", base + "/memory/files/../../config.toml", "", 400, nil},
		{"file up, encoded", "GET", base + "/memory/files/memory/%2e%2e/config.toml", "", 400, nil},
		{"file up, slash encoded", "GET", base + "/memory/files/memory%2f..%2fconfig.toml", "", 400, nil},
		{"file up, encoded twice", "GET", base + "/memory/files/memory/%252e%252e/config.toml", "", 400, nil},
		{"file up, overlong UTF-8", "GET", base + "/memory/files/memory/%c0%ae%c0%ae/config.toml", "", 400, nil},
		{"file, absolute", "GET", base + "/memory/files//etc/passwd", "", 400, nil},
		{"file, drive", "GET", base + "/memory/files/memory/c:%5cx.md", "", 400, nil},
		{"file, stream of NTFS", "GET", base + "/memory/files/memory/MEMORY.md::$DATA.md", "", 400, nil},
		{"file, not Markdown", "GET", base + "/memory/files/state/index.db", "", 400, nil},
		{"file of git", "GET", base + "/memory/files/memory/../../.git/config", "", 400, nil},
		{"doubled slash", "GET", "//evil.example/api", "", 400, nil},
		{"slash doubled within", "GET", base + "//memory/facts", "", 400, nil},
		{"paths up of a list", "GET", entries + "?path=../../etc", "", 400, nil},
		{"paths up of a diff", "GET", entries + "/last/diff?path=%2e%2e%2f%2e%2e", "", 404, nil}, // there is no run

		{"body too large", "POST", facts, `{"text":"` + strings.Repeat("x", maxBody) + `"}`, 413, nil},
		{"body too large, length unknown", "POST", facts, `{"text":"` + strings.Repeat("x", maxBody) + `"}`, 413, []func(*http.Request){func(r *http.Request) { r.ContentLength = -1 }}},
		{"text too large", "POST", facts, `{"text":"` + strings.Repeat("x", 70<<10) + `"}`, 400, nil},
		{"query too large", "POST", base + "/memory/search", `{"query":"` + strings.Repeat("x ", 20<<10) + `"}`, 400, nil},
		{"parameter too large", "GET", facts + "?words=" + strings.Repeat("x", 20<<10), "", 400, nil},
		{"deep JSON", "POST", facts, strings.Repeat(`{"parts":`, 20_000) + "1" + strings.Repeat("}", 20_000), 400, nil},
		{"not UTF-8", "POST", facts, "{\"text\":\"\xff\"}", 400, nil},
		{"too many at once", "POST", base + "/batch", `{"searches":[` + strings.Repeat(`{"query":"x"},`, 100) + `{"query":"x"}]}`, 400, nil},
		{"too many hits", "POST", base + "/memory/search", `{"query":"x","limit":1000000}`, 400, nil},
		{"a page too long", "GET", facts + "?limit=100000", "", 400, nil},
		{"importance that is no number", "GET", facts + "?min_importance=NaN", "", 400, nil},
		{"negative page", "GET", facts + "?limit=-1", "", 400, nil},
		{"field of another case of meaning", "POST", facts, `{"text":"x","source":"run"}`, 400, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := h.do(request(c.method, c.target, c.body, c.change...))
			if w.Code != c.want {
				t.Errorf("%d, want %d: %.300s", w.Code, c.want, w.Body)
			}
			if text := w.Body.String(); strings.Contains(text, "secret of the house") || !strings.HasPrefix(text, `{"error":`) {
				t.Errorf("the answer is %.300s", text)
			}
			held(t, w.Header())
		})
	}
	if one := ask[Fact](h, 200, "GET", facts+"/"+f.ID, ""); one.State != "live" || one.Pinned {
		t.Errorf("an attack changed %+v", one)
	}
	if n := ask[Count](h, 200, "GET", base+"/memory/counts", "").Total; n != 1 {
		t.Errorf("attacks left %d facts", n)
	}
}

// held checks the headers of an answer.
func held(t *testing.T, h http.Header) {
	t.Helper()
	for name, want := range map[string]string{"Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
		"Cache-Control": "no-store", "X-Frame-Options": "DENY", "Access-Control-Allow-Origin": "", "X-Evil": "", "Access-Control-Allow-Methods": ""} {
		if got := h.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if strings.Contains(policy, "unsafe") || !strings.Contains(policy, "default-src 'none'") {
		t.Errorf("the policy is %s", policy)
	}
}

// TestWhoMayAsk checks that these requests are answered.
func TestWhoMayAsk(t *testing.T) {
	h := newHouse(t)
	for name, change := range map[string][]func(*http.Request){
		"a program":               nil,
		"by name":                 {host("localhost:6767")},
		"by name, capitals":       {host("LocalHost:6767")},
		"the page":                {with("Origin", "http://127.0.0.1:6767"), with("Sec-Fetch-Site", "same-origin")},
		"scheme in small letters": {with("Authorization", "bearer "+testToken)},
		"charset":                 {with("Content-Type", "application/json; charset=utf-8")},
	} {
		w := h.do(request("POST", base+"/memory/search", `{"query":"x"}`, change...))
		if w.Code != 200 { // nothing was found: there is no memory yet
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
}

// TestAPanicIsItsRequests checks that a failing request does not affect the
// others.
func TestAPanicIsItsRequests(t *testing.T) {
	h := newHouse(t, func(o *Options) {
		o.Page = http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("secret of the house") })
	})
	if w := h.do(request("GET", "/", "")); w.Code != 500 || strings.Contains(w.Body.String(), "secret") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	h.remember("It goes on.")
}
