package server

import (
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// browser follows a link, and gives the cookie that it got.
func (h *house) browser(link string) (*http.Cookie, int) {
	h.t.Helper()
	w := h.do(request("GET", strings.TrimPrefix(link, "http://127.0.0.1:6767"), "", with("Authorization", "")))
	cookies := w.Result().Cookies()
	if w.Code != 200 {
		if len(cookies) > 0 {
			h.t.Errorf("%d with a cookie", w.Code)
		}
		return nil, w.Code
	}
	if len(cookies) != 1 {
		h.t.Fatalf("cookies %v", cookies)
	}
	held(h.t, w.Header())
	return cookies[0], 200
}

func TestALinkLogsInOnce(t *testing.T) {
	now := time.Now()
	h := newHouse(t, func(o *Options) { o.Now = func() time.Time { return now } })
	const at = "http://127.0.0.1:6767"
	now = now.Add(time.Second)
	link := Link(at, testToken, now)
	now = now.Add(time.Second)
	if strings.Contains(link, testToken) {
		t.Errorf("the link %s holds the token", link)
	}
	for _, head := range []func(string) string{
		func(l string) string { return strings.Replace(l, "/link/", "/link/0", 1) },
		func(l string) string { return l + "A" },
		func(l string) string { return l[:strings.LastIndexByte(l, '.')+1] },
		func(string) string { return at + "/link/x" },
		func(string) string { return Link(at, testToken+"x", now) },
		func(string) string {
			return at + strings.TrimPrefix(Link("http://127.0.0.1:6768", testToken, now), "http://127.0.0.1:6768")
		}, // of another server
		func(string) string { return Link(at, testToken, now.Add(time.Hour)) },    // of a clock ahead
		func(string) string { return Link(at, testToken, now.Add(-time.Hour)) },   // too old
		func(string) string { return Link(at, testToken, now.Add(-time.Minute)) }, // of an earlier server, which may have taken it
	} {
		if _, code := h.browser(head(link)); code != 403 {
			t.Errorf("%s: %d", head(link), code)
		}
	}
	cookie, code := h.browser(link)
	if code != 200 {
		t.Fatal(code)
	}
	if cookie.Name != "agentflow-6767" || !cookie.HttpOnly || cookie.SameSite != http.SameSiteStrictMode || cookie.Path != "/" || cookie.Domain != "" ||
		len(cookie.Value) < 26 || strings.Contains(cookie.Value, testToken) {
		t.Errorf("%+v", cookie)
	}
	if _, code := h.browser(link); code != 403 {
		t.Errorf("a second time: %d", code)
	}
	for _, target := range []string{"/", strings.TrimPrefix(link, at)} {
		w := h.do(request("GET", target, "", with("Authorization", ""), with("Accept", "text/html,*/*;q=0.8")))
		if !strings.Contains(w.Body.String(), "<p>&#39;agentflow serve --link&#39; prints a") || w.Header().Get("Content-Type") != "text/html; charset=utf-8" || w.Code < 401 {
			t.Errorf("a person at %s is told %d:\n%s", target, w.Code, w.Body)
		}
	}
	late := Link(at, testToken, now)
	now = now.Add(61 * time.Second)
	if _, code := h.browser(late); code != 403 {
		t.Errorf("after a minute: %d", code)
	}
	page := func(method, target, body string, change ...func(*http.Request)) int {
		change = append([]func(*http.Request){with("Authorization", ""), func(r *http.Request) { r.AddCookie(cookie) }}, change...)
		return h.do(request(method, target, body, change...)).Code
	}
	own := with("Origin", "http://127.0.0.1:6767")
	if code := page("POST", facts, `{"text":"From the page."}`, own); code != 200 {
		t.Errorf("a write of the page: %d", code)
	}
	if code := page("POST", facts, `{"text":"From the page."}`, with("Sec-Fetch-Site", "same-origin")); code != 200 {
		t.Errorf("a write of the page: %d", code)
	}
	if code := page("GET", facts, ""); code != 200 {
		t.Errorf("a read of the page: %d", code)
	}
	for name, change := range map[string]func(*http.Request){
		"nobody says who writes": func(*http.Request) {},
		"typed":                  with("Sec-Fetch-Site", "none"),
		"foreign":                with("Origin", "http://evil.example"),
		"other port":             with("Sec-Fetch-Site", "same-site"),
		"other port's cookie":    func(r *http.Request) { own(r); r.Header.Set("Cookie", "agentflow-6768="+cookie.Value) },
		"two cookies":            func(r *http.Request) { own(r); r.AddCookie(&http.Cookie{Name: cookie.Name, Value: "x"}) },
		"wrong token besides":    func(r *http.Request) { own(r); r.Header.Set("Authorization", "Bearer x") },
	} {
		if code := page("POST", facts, `{"text":"Evil."}`, change); code != 403 && code != 401 {
			t.Errorf("%s: %d", name, code)
		}
	}
	next := newHouse(t)
	w := next.do(request("GET", facts, "", with("Authorization", ""), func(r *http.Request) { r.AddCookie(cookie) }))
	if w.Code != 401 {
		t.Errorf("the cookie outlives its server: %d", w.Code)
	}
}

// TestLinksOfManyAtOnce checks that of sixteen clients that use one link at
// once, one is let in.
func TestLinksOfManyAtOnce(t *testing.T) {
	l := newLogins(testToken, "1", time.Now)
	code := strings.TrimPrefix(Link(":1", testToken, time.Now()), ":1"+linkPath)
	var in sync.WaitGroup
	got := make(chan string, 16)
	for range 16 {
		in.Go(func() {
			if value, ok := l.follow(code); ok {
				got <- value
			}
		})
	}
	in.Wait()
	if len(got) != 1 {
		t.Errorf("%d were let in", len(got))
	}
	for range maxLogins + 10 {
		l.follow(strings.TrimPrefix(Link(":1", testToken, time.Now()), ":1"+linkPath))
	}
	if len(l.known) > maxLogins || len(l.inOrder) != len(l.known) {
		t.Errorf("%d logins are known", len(l.known))
	}
}

func TestTokenIsTheUsersAlone(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state", "serve-token")
	token, err := Token(file)
	if err != nil || len(token) < minToken {
		t.Fatalf("%q, %v", token, err)
	}
	info, err := os.Stat(file)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if again, err := Token(file); err != nil || again != token {
		t.Errorf("%q, %v", again, err)
	}
	for name, spoil := range map[string]func() error{
		"cut short": func() error { return os.WriteFile(file, []byte("abc\n"), 0o600) },
		"empty":     func() error { return os.WriteFile(file, nil, 0o600) },
		"readable": func() error {
			if runtime.GOOS == "windows" {
				return os.Remove(file)
			}
			return os.Chmod(file, 0o644)
		},
	} {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		next, err := Token(file)
		if err != nil || next == token || len(next) < minToken {
			t.Errorf("%s: %q, %v", name, next, err)
		}
		if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v", name, err)
		}
		token = next
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	tokens := make(chan string, 16)
	for range 16 {
		all.Go(func() {
			token, err := Token(file)
			if err != nil {
				t.Error(err)
			}
			tokens <- token
		})
	}
	all.Wait()
	first := <-tokens
	for range 15 {
		if other := <-tokens; other != first {
			t.Errorf("two at once have %q and %q", first, other)
		}
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(file), ".token-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if err := os.Remove(file); err == nil && os.Symlink("/dev/null", file) == nil {
		if _, err := Token(file); err == nil {
			t.Error("a link was taken for the token")
		}
	}
}
