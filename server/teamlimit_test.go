package server

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"agentflow/app"
	"agentflow/app/team"
)

func from(address string) func(*http.Request) {
	return func(r *http.Request) { r.RemoteAddr = address }
}

// TestTeamTokenRate checks that each token has one rate, shared by all
// addresses that use it and by its cookies.
func TestTeamTokenRate(t *testing.T) {
	h := newHall(t, "rate = 2\nburst = 5")
	ada, bob := h.token(team.TokenRequest{Name: "Ada"}), h.token(team.TokenRequest{Name: "Bob"})
	cookie := h.logIn(ada) // 1
	ask := func(token string, n int, change ...func(*http.Request)) int {
		return h.ask(token, "GET", base+"/repositories", "", append(change, from(fmt.Sprintf("192.0.2.%d:1", n)))...).Code
	}
	for n := range 4 {
		if code := ask(ada, n); code != 200 {
			t.Fatalf("request %d: %d", n, code)
		}
	}
	if a, b, c := ask(ada, 9), ask("", 9, cookies(cookie)), ask(bob, 9); a != 429 || b != 429 || c != 200 {
		t.Errorf("with the token %d, with its cookie %d, with another token %d", a, b, c)
	}
	if w := h.form(loginPath, ada); w.Code != 429 {
		t.Errorf("the form: %d", w.Code)
	}
	h.clock.pass(500 * time.Millisecond)
	if a, b := ask(ada, 9), ask(ada, 9); a != 200 || b != 429 {
		t.Errorf("half a second later %d, then %d", a, b)
	}
}

// TestTeamStrangersRate checks that clients without a token may send a few
// requests per address, and never block clients with one.
func TestTeamStrangersRate(t *testing.T) {
	h := newHall(t, "")
	ada, late := h.token(team.TokenRequest{Name: "Ada"}), h.token(team.TokenRequest{Name: "Late"})
	ask := func(token, address string, change ...func(*http.Request)) int {
		return h.ask(token, "GET", base+"/repositories", "", append(change, from(address))...).Code
	}
	const here = "192.0.2.1:1"
	if code := ask(ada, here); code != 200 {
		t.Fatal(code)
	}
	guess := func(address string) (refused int) {
		for n := range 2 * strangerBurst {
			if ask(fmt.Sprintf("aft_%d", n), address) == 429 {
				refused++
			}
		}
		return refused
	}
	if n := guess(here); n != strangerBurst {
		t.Errorf("of %d guesses %d were not looked up", 2*strangerBurst, n)
	}
	if a, b, c := ask(ada, here), ask(late, here), ask(late, "192.0.2.2:1"); a != 200 || b != 429 || c != 200 {
		t.Errorf("a token that was used before: %d; one that was not: %d; elsewhere: %d", a, b, c)
	}
	if code := ask(late, here); code != 200 {
		t.Errorf("it was used elsewhere: %d", code)
	}
	if w := h.form(loginPath, "aft_x", from(here)); w.Code != 429 {
		t.Errorf("the form: %d", w.Code)
	}
	if w := h.form(logoutPath, "", from(here), cookies(&http.Cookie{Name: "agentflow-team", Value: "x"})); w.Code != 429 {
		t.Errorf("logging out: %d", w.Code)
	}
	if err := team.RevokeToken(t.Context(), app.Env{Vars: h.Env}, "Ada"); err != nil {
		t.Fatal(err)
	}
	if a, b := ask(ada, here), ask(ada, here); a != 401 || b != 429 {
		t.Errorf("once it is revoked: %d, then %d", a, b)
	}
	h.clock.pass(time.Second)
	if a, b := ask("aft_x", here), ask("aft_x", "192.0.2.1:2"); a != 401 || b != 401 {
		t.Errorf("a second later: %d, %d", a, b)
	}
	guess("[2001:db8:1:2::3]:1")
	if a, b := ask("aft_x", "[2001:db8:1:2:ffff::4]:1"), ask("aft_x", "[2001:db8:1:3::3]:1"); a != 429 || b != 401 {
		t.Errorf("the same network: %d, the next one: %d", a, b)
	}
	guess("[::ffff:192.0.2.7]:1")
	if code := ask("aft_x", "192.0.2.7:1"); code != 429 {
		t.Errorf("the same address, written otherwise: %d", code)
	}
}

// TestTeamPlaceOfARequest checks that the origin of a request is taken from a
// proxy only, and only as far as the proxy has seen it itself.
func TestTeamPlaceOfARequest(t *testing.T) {
	for _, c := range []struct {
		proxy     bool
		forwarded []string
		want      string
	}{
		{false, nil, "192.0.2.1"},
		{false, []string{"198.51.100.1"}, "192.0.2.1"},
		{true, nil, "192.0.2.1"},
		{true, []string{"198.51.100.1"}, "198.51.100.1"},
		{true, []string{"203.0.113.1, 198.51.100.1"}, "198.51.100.1"},
		{true, []string{"203.0.113.1", "198.51.100.1"}, "198.51.100.1"},
		{true, []string{"203.0.113.1, 203.0.113.2,198.51.100.1 "}, "198.51.100.1"},
		{true, []string{"2001:db8::1"}, "2001:db8::/64"},
		{true, []string{"[2001:db8::1]:80"}, "unknown"},
		{true, []string{""}, "unknown"},
		{true, []string{"198.51.100.1, "}, "unknown"},
		{true, []string{"'; DROP TABLE tokens; --"}, "unknown"},
		{true, []string{strings.Repeat("x", 1<<20)}, "unknown"},
		{true, []string{"fe80::1%" + strings.Repeat("x", 1000)}, "fe80::/64"},
	} {
		a := &teamAccess{proxy: c.proxy}
		r := &http.Request{RemoteAddr: "192.0.2.1:1", Header: http.Header{"X-Forwarded-For": c.forwarded}}
		if got := a.place(r); got != c.want {
			t.Errorf("proxy %v, %.60q: %.100s, not %s", c.proxy, c.forwarded, got, c.want)
		}
	}
}

// TestTeamLimitsAreBounded checks that a client with any number of addresses
// takes a bounded amount of memory.
func TestTeamLimitsAreBounded(t *testing.T) {
	l, s := newLimiter(1, 1, time.Now), newSeen()
	for n := range 3 * maxLimited {
		l.allow(fmt.Sprint(n))
		s.add(fmt.Sprint(n))
	}
	if len(l.names) > maxLimited || len(s.hashes) > maxLimited {
		t.Errorf("%d names, %d secrets", len(l.names), len(s.hashes))
	}
}

// TestTeamAliveIsCheap checks that frequent health checks do not each ask the
// database.
func TestTeamAliveIsCheap(t *testing.T) {
	now, asked := time.Now(), 0
	p := &pulse{now: func() time.Time { return now }}
	ask := func() bool { asked++; return asked == 1 }
	for range 1000 {
		if !p.of(ask) {
			t.Fatal("it is alive")
		}
	}
	now = now.Add(aliveAge)
	if p.of(ask) || asked != 2 {
		t.Errorf("asked %d times", asked)
	}
}
