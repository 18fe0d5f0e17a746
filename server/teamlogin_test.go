package server

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"agentflow/app"
	"agentflow/app/team"
)

// form sends a form of our page, with changes.
func (h *hall) form(path, token string, change ...func(*http.Request)) *httptest.ResponseRecorder {
	h.t.Helper()
	scheme := h.server.access.(*teamAccess).scheme
	change = append([]func(*http.Request){with("Content-Type", "application/x-www-form-urlencoded"), with("Origin", scheme+"://"+teamHost)}, change...)
	return h.ask("", "POST", path, url.Values{"token": {token}}.Encode(), change...)
}

// logIn logs a browser in, which gets a cookie.
func (h *hall) logIn(token string) *http.Cookie {
	h.t.Helper()
	w := h.form(loginPath, token)
	list := w.Result().Cookies()
	if w.Code != 303 || w.Header().Get("Location") != "/" || len(list) != 1 {
		h.t.Fatalf("%d %v %s", w.Code, w.Header(), w.Body)
	}
	held(h.t, w.Header())
	return list[0]
}

func cookies(list ...*http.Cookie) func(*http.Request) {
	return func(r *http.Request) {
		for _, c := range list {
			r.AddCookie(c)
		}
	}
}

// TestTeamLogin checks that a token gives a cookie for the page, with the
// rights and the lifetime of the token.
func TestTeamLogin(t *testing.T) {
	for scheme, settings := range map[string]string{"http": "", "https": "proxy = true"} {
		h := newHall(t, settings)
		ada, bob := h.token(team.TokenRequest{Name: "Ada", Writes: true}), h.token(team.TokenRequest{Name: "Bob"})
		cookie := h.logIn(ada)
		if want := map[string]string{"http": "agentflow-team", "https": "__Host-agentflow-team"}[scheme]; cookie.Name != want || cookie.Secure != (scheme == "https") ||
			!cookie.HttpOnly || cookie.SameSite != http.SameSiteStrictMode || cookie.Path != "/" || cookie.Domain != "" || cookie.MaxAge != 12*3600 || len(cookie.Value) < 26 || strings.Contains(ada, cookie.Value) {
			t.Errorf("%s: %+v", scheme, cookie)
		}
		own := with("Origin", scheme+"://"+teamHost)
		write := func(c *http.Cookie, change ...func(*http.Request)) int {
			return h.ask("", "POST", facts+"?repository=shop", `{"text":"From the page."}`, append([]func(*http.Request){cookies(c)}, change...)...).Code
		}
		if code := write(cookie, own); code != 200 {
			t.Errorf("%s: a write of the page: %d", scheme, code)
		}
		if code := write(h.logIn(bob), own); code != 409 {
			t.Errorf("%s: a write with the cookie of one who reads: %d", scheme, code)
		}
		before := len(h.changes())
		for name, change := range map[string]func(*http.Request){
			"nobody says who writes": func(*http.Request) {},
			"typed":                  with("Sec-Fetch-Site", "none"),
			"foreign":                with("Origin", "http://evil.example"),
			"other port":             with("Sec-Fetch-Site", "same-site"),
			"other scheme":           with("Origin", map[string]string{"http": "https", "https": "http"}[scheme]+"://"+teamHost),
			"two cookies":            func(r *http.Request) { own(r); r.AddCookie(&http.Cookie{Name: cookie.Name, Value: "x"}) },
			"another name":           func(r *http.Request) { own(r); r.Header.Set("Cookie", "agentflow-6767="+cookie.Value) },
			"the other scheme's name": func(r *http.Request) {
				own(r)
				r.Header.Set("Cookie", map[string]string{"https": "agentflow-team", "http": "__Host-agentflow-team"}[scheme]+"="+cookie.Value)
			},
			"wrong token besides": func(r *http.Request) { own(r); r.Header.Set("Authorization", "Bearer x") },
			"the value as token":  func(r *http.Request) { own(r); r.Header.Set("Authorization", "Bearer "+cookie.Value) },
		} {
			if code := write(cookie, change); code != 403 && code != 401 {
				t.Errorf("%s, %s: %d", scheme, name, code)
			}
		}
		if len(h.changes()) != before {
			t.Errorf("%s: something was written", scheme)
		}
		read := func(c *http.Cookie) int { return h.ask("", "GET", "/", "", cookies(c)).Code }
		if code := read(cookie); code != 200 {
			t.Errorf("%s: the page: %d", scheme, code)
		}
		other := h.logIn(ada)
		w := h.form(logoutPath, "", cookies(cookie))
		if gone := w.Result().Cookies(); w.Code != 303 || len(gone) != 1 || gone[0].Value != "" || gone[0].MaxAge >= 0 || read(cookie) != 401 || read(other) != 200 {
			t.Errorf("%s: logged out: %d %v", scheme, w.Code, w.Header())
		}
		h.sql(`UPDATE agentflow_team.logins SET expires=now()-interval '1 second' WHERE token='Bob' RETURNING token`)
		if err := team.RevokeToken(t.Context(), app.Env{Vars: h.Env}, "Ada"); err != nil || read(other) != 401 {
			t.Errorf("%s: the cookie of a revoked token: %v", scheme, err)
		}
	}
}

// TestTeamForms checks that only a form of our page logs in or out, and only
// with a valid token.
func TestTeamForms(t *testing.T) {
	h := newHall(t, "")
	ada := h.token(team.TokenRequest{Name: "Ada", Writes: true})
	expired := h.expired("Ex")
	cookie := h.logIn(ada)
	logins := len(h.sql(`SELECT token FROM agentflow_team.logins`))
	for name, c := range map[string]struct {
		token  string
		want   int
		change func(*http.Request)
	}{
		"foreign origin":     {ada, 403, with("Origin", "http://evil.example")},
		"origin null":        {ada, 403, with("Origin", "null")},
		"another port":       {ada, 403, with("Origin", "http://"+teamHost+":8080")},
		"no origin":          {ada, 403, with("Origin", "")},
		"no origin, typed":   {ada, 403, func(r *http.Request) { with("Origin", "")(r); with("Sec-Fetch-Site", "none")(r) }},
		"foreign host":       {ada, 421, host("evil.example")},
		"wrong token":        {ada + "x", 401, func(*http.Request) {}},
		"no token":           {"", 401, func(*http.Request) {}},
		"expired":            {expired, 401, func(*http.Request) {}},
		"a cookie's value":   {cookie.Value, 401, func(*http.Request) {}},
		"SQL":                {"' OR ''='", 401, func(*http.Request) {}},
		"NUL":                {ada + "\x00", 401, func(*http.Request) {}},
		"not UTF-8":          {"\xff\xfe", 401, func(*http.Request) {}},
		"a long one":         {strings.Repeat("x", 3000), 401, func(*http.Request) {}},
		"in the query alone": {"", 401, func(r *http.Request) { r.URL.RawQuery = "token=" + ada }},
		"no form":            {ada, 401, with("Content-Type", "application/json")},
	} {
		w := h.form(loginPath, c.token, c.change)
		if text := w.Body.String(); w.Code != c.want || len(w.Result().Cookies()) > 0 || c.token != "" && strings.Contains(text, c.token) {
			t.Errorf("%s: %d %v %.500s", name, w.Code, w.Header(), text)
		}
		held(t, w.Header())
	}
	for name, change := range map[string]func(*http.Request){"foreign origin": with("Origin", "http://evil.example"), "no origin": with("Origin", "")} {
		if w := h.form(logoutPath, "", cookies(cookie), change); w.Code != 403 {
			t.Errorf("logged out by a form with %s: %d", name, w.Code)
		}
	}
	if n := len(h.sql(`SELECT token FROM agentflow_team.logins`)); n != logins {
		t.Errorf("%d logins, were %d", n, logins)
	}
}

// TestTeamEntrances checks that without a token only these paths answer, and
// reveal nothing. A browser is redirected to the login.
func TestTeamEntrances(t *testing.T) {
	h := newHall(t, "")
	h.remember(h.token(team.TokenRequest{Name: "Ada", Writes: true}), "shop", "The secret of the shop.")
	browser := with("Accept", "text/html,*/*;q=0.8")
	for target, want := range map[string]int{"/login": 200, "/alive": 200, "/static/page.css": 200, "/static/page.js": 200, "/static/none": 404, "/static/": 404, "/static/a/b": 404,
		"/static/../": 400, "/login?repository=shop": 200, "/static/x?repository=shop&part": 404} {
		for _, change := range [][]func(*http.Request){nil, {browser}, {with("Cookie", "agentflow-team=x")}} {
			w := h.ask("", "GET", target, "", change...)
			if text := w.Body.String(); w.Code != want || strings.Contains(text, "shop") && !strings.Contains(target, "/page.") || strings.Contains(text, "bank") || strings.Contains(text, "Ada") || strings.Contains(text, "secret of") {
				t.Errorf("%s: %d %.1500s", target, w.Code, text)
			}
		}
	}
	for _, target := range []string{"/", "/facts?repository=shop", facts, "/mcp", "/nowhere", "/logout/x", "/alive/x"} {
		w := h.ask("", "GET", target, "", browser)
		if w.Code != 303 || w.Header().Get("Location") != "/login" {
			t.Errorf("a browser at %s: %d %v", target, w.Code, w.Header())
		}
	}
	if w := h.ask("", "GET", "/login", "", browser, with("Sec-Fetch-Site", "cross-site"), with("Sec-Fetch-Mode", "navigate"), with("Sec-Fetch-Dest", "document")); w.Code != 200 {
		t.Errorf("a link to the login: %d", w.Code)
	}
}
