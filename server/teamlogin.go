package server

import (
	"context"
	"errors"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"agentflow/app"
	"agentflow/app/team"
)

// mount registers the handlers of the page's entrances, and of the path by
// which a balancer checks that the server and its database answer.
func (a *teamAccess) mount(s *Server, mux *http.ServeMux) {
	mux.HandleFunc(loginPath, oneOfMethods(map[string]http.HandlerFunc{
		http.MethodGet:  func(w http.ResponseWriter, _ *http.Request) { writeLogin(w, http.StatusOK, "") },
		http.MethodPost: a.logIn,
	}))
	mux.HandleFunc(logoutPath, oneOfMethods(map[string]http.HandlerFunc{http.MethodPost: a.logOut}))
	mux.HandleFunc(alivePath, oneOfMethods(map[string]http.HandlerFunc{http.MethodGet: a.isAlive}))
}

// Limits of the health check: how long it waits for the database, and how long
// a result is reused.
const (
	aliveTime = 2 * time.Second
	aliveAge  = time.Second
)

// pulse holds the time and the result of the last query of the database.
type pulse struct {
	now func() time.Time

	mu    sync.Mutex
	at    time.Time
	beats bool
}

// of calls ask, unless the last result is recent.
func (p *pulse) of(ask func() bool) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if age := p.now().Sub(p.at); age < 0 || age >= aliveAge {
		p.beats = ask()
		p.at = p.now()
	}
	return p.beats
}

// isAlive queries the database with an unknown token.
func (a *teamAccess) isAlive(w http.ResponseWriter, r *http.Request) {
	answers := a.alive.of(func() bool {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), aliveTime)
		defer cancel()
		_, err := a.team.Caller(ctx, "nobody")
		return errors.Is(err, team.ErrUnknownCaller)
	})
	if !answers {
		fail(w, http.StatusServiceUnavailable, app.KindUnavailable, "the database does not answer", "")
		return
	}
	send(w, http.StatusOK, struct {
		Alive bool `json:"alive"`
	}{true})
}

// formOf parses the form from a page of this server. It refuses a form of
// another page, which the browser's headers reveal.
func formOf(r *http.Request) (url.Values, *refusal) {
	if r.Header.Get("Origin") == "" && r.Header.Get("Sec-Fetch-Site") != "same-origin" {
		return nil, &refusal{http.StatusForbidden, app.KindRefused, "a form must come from the page", "programs send the token with each request"}
	}
	if err := r.ParseForm(); err != nil {
		return nil, &refusal{http.StatusBadRequest, app.KindUsage, "the form cannot be read", ""}
	}
	return r.PostForm, nil
}

// logIn gives a browser a cookie for a token.
func (a *teamAccess) logIn(w http.ResponseWriter, r *http.Request) {
	form, no := formOf(r)
	if no != nil {
		writeLogin(w, no.status, no.text)
		return
	}
	token := strings.TrimSpace(form.Get("token"))
	if _, no := a.find(r, token, a.team.Caller); no != nil {
		writeLogin(w, no.status, no.text)
		return
	}
	value, err := a.team.LogIn(r.Context(), token)
	if err != nil {
		p, status := problemOf(err)
		writeLogin(w, status, p.Message)
		return
	}
	http.SetCookie(w, a.cookieOf(value, team.LoginLife))
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// logOut ends the login of the cookie, if the cookie is valid.
func (a *teamAccess) logOut(w http.ResponseWriter, r *http.Request) {
	if _, no := formOf(r); no != nil {
		writeLogin(w, no.status, no.text)
		return
	}
	if given := r.CookiesNamed(a.cookie); len(given) == 1 {
		if no := a.endLogin(r, given[0].Value); no != nil {
			writeLogin(w, no.status, no.text)
			return
		}
	}
	http.SetCookie(w, a.cookieOf("", -time.Second))
	http.Redirect(w, r, loginPath, http.StatusSeeOther)
}

// endLogin ends the login of a cookie's value. An unknown value is not an
// error.
func (a *teamAccess) endLogin(r *http.Request, value string) *refusal {
	_, no := a.find(r, value, a.team.LoggedIn)
	switch {
	case no != nil && no.status == http.StatusUnauthorized:
		return nil
	case no != nil:
		return no
	}
	if err := a.team.LogOut(r.Context(), value); err != nil {
		p, status := problemOf(err)
		return &refusal{status, p.Kind, p.Message, p.Hint}
	}
	return nil
}

func (a *teamAccess) cookieOf(value string, life time.Duration) *http.Cookie {
	return &http.Cookie{Name: a.cookie, Value: value, Path: "/", HttpOnly: true, Secure: a.scheme == "https", SameSite: http.SameSiteStrictMode, MaxAge: int(life / time.Second)}
}

const loginPage = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<title>Log in · AgentFlow</title><link rel="icon" href="/static/icon.svg" type="image/svg+xml"><link rel="stylesheet" href="/static/page.css"></head>
<body><main id="main"><h1>AgentFlow</h1>
<form method="post" action="/login"><p><label for="token">Your token</label><input id="token" name="token" type="password" autocomplete="current-password" required autofocus></p>
<p role="alert">%s</p><p class="actions"><button class="main">Log in</button></p></form>
</main></body></html>
`

func writeLogin(w http.ResponseWriter, status int, problem string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	fmt.Fprintf(w, loginPage, html.EscapeString(problem))
}
