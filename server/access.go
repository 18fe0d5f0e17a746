package server

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"

	"agentflow/app"
	"agentflow/app/serving"
)

// access decides who may use a server. Its methods may be called from any
// goroutine.
type access interface {
	// checkHost refuses host names that an attacker made resolve to this
	// machine.
	checkHost(*http.Request) *refusal
	// isOwnOrigin reports whether a request comes from a page of this server.
	isOwnOrigin(r *http.Request, origin string) bool
	// isEntrance reports whether a request is for a path that gives a browser
	// its cookie. Such a request is answered without a cookie.
	isEntrance(*http.Request) bool
	// caller returns the context for the handler, which names the caller, or a refusal.
	caller(*http.Request) (context.Context, *refusal)
	// stillMay reports whether the caller may still read: a token may have been revoked since.
	// If the check is not possible at the moment, it is true. It does not count as a request.
	stillMay(*http.Request) bool
	// mount registers the handlers of the entrances.
	mount(*Server, *http.ServeMux)
	// signIn returns the path to which a browser without a cookie is
	// redirected; empty means none.
	signIn() string
	// repository returns the repository that a request names; name is "" if it
	// names none.
	repository(visible []Repository, name string) (Repository, error)
}

// localAccess is for the user of this machine: it accepts one token, and the
// browsers that followed a link.
type localAccess struct {
	token  string
	hosts  []string // allowed values of the Host header, lower case
	logins *logins
}

func newLocalAccess(options Options) (*localAccess, error) {
	if len(options.Token) < minToken {
		return nil, fmt.Errorf("serving memory: the token is too short")
	}
	hosts, port, err := hostsOf(options.Addr)
	return &localAccess{options.Token, hosts, newLogins(options.Token, port, options.Now)}, err
}

func (a *localAccess) checkHost(r *http.Request) *refusal {
	if slices.Contains(a.hosts, strings.ToLower(r.Host)) {
		return nil
	}
	return &refusal{http.StatusForbidden, app.KindRefused, "this server is not asked by that Host", "ask http://" + a.hosts[0]}
}

func (a *localAccess) stillMay(r *http.Request) bool {
	_, no := a.caller(r)
	return no == nil
}

func (a *localAccess) isOwnOrigin(_ *http.Request, origin string) bool {
	host, ok := strings.CutPrefix(strings.ToLower(origin), "http://")
	return ok && slices.Contains(a.hosts, host)
}

func (a *localAccess) isEntrance(r *http.Request) bool { return isLink(r) }

func (a *localAccess) signIn() string { return "" }

func (a *localAccess) mount(s *Server, mux *http.ServeMux) {
	mux.HandleFunc(linkPath+"{code}", oneOfMethods(map[string]http.HandlerFunc{http.MethodGet: func(w http.ResponseWriter, r *http.Request) { a.openLink(s, w, r) }}))
}

// caller accepts the token or the cookie.
func (a *localAccess) caller(r *http.Request) (context.Context, *refusal) {
	token, sent := bearer(r)
	switch {
	case sent && same(token, a.token):
		return r.Context(), nil
	case sent || !a.logins.knows(r):
		return nil, &refusal{http.StatusUnauthorized, app.KindRefused, "the request has no valid token",
			"'agentflow serve --link' prints a link for the browser; programs send 'Authorization: Bearer TOKEN'"}
	}
	return r.Context(), checkCookieWrite(r)
}

// repository returns the first repository if a request names none.
func (a *localAccess) repository(visible []Repository, name string) (Repository, error) {
	if name == "" {
		return visible[0], nil
	}
	return named(visible, name)
}

// allRepositories is the name for a search in all visible repositories.
const allRepositories = "*"

// named returns the repository with a name.
func named(visible []Repository, name string) (Repository, error) {
	if name == allRepositories {
		return Repository{Name: visible[0].Name, Memory: serving.All(visible)}, nil
	}
	for _, r := range visible {
		if r.Name == name {
			return r, nil
		}
	}
	return Repository{}, &app.Error{Kind: app.KindNotFound, Err: fmt.Errorf("this server shows no repository %q", name), Hint: "GET /api/v1/repositories lists them"}
}

// bearer returns the token of a request. sent reports whether the request has
// an Authorization header, even an invalid one.
func bearer(r *http.Request) (token string, sent bool) {
	given := r.Header.Values("Authorization")
	if len(given) == 0 {
		return "", false
	}
	scheme, token, _ := strings.Cut(given[0], " ")
	if len(given) > 1 || !strings.EqualFold(scheme, "Bearer") {
		return "", true
	}
	return token, true
}

// checkCookieWrite refuses a write with a cookie unless the browser's headers
// show that it comes from a page of this server.
func checkCookieWrite(r *http.Request) *refusal {
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead
	if !reads && r.Header.Get("Origin") == "" && r.Header.Get("Sec-Fetch-Site") != "same-origin" {
		return &refusal{http.StatusForbidden, app.KindRefused, "a write with the cookie must come from the page", "programs send the token"}
	}
	return nil
}

// same compares in constant time, and hides even the lengths.
func same(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}

// hostsOf returns the host names by which requests may address a server that
// listens on addr, and its port. Any other name leads to this address only if
// an attacker rebinds it.
func hostsOf(addr string) (hosts []string, port string, err error) {
	if addr == "" {
		return []string{"localhost", "agentflow"}, "socket", nil
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, "", fmt.Errorf("serving memory: %w", err)
	}
	for _, name := range []string{host, "localhost"} {
		hosts = append(hosts, strings.ToLower(net.JoinHostPort(name, port)))
		if port == "80" {
			hosts = append(hosts, strings.ToLower(strings.TrimSuffix(net.JoinHostPort(name, port), ":80")))
		}
	}
	return hosts, port, nil
}
