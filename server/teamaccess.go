package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"agentflow/app"
)

// teamAccess is for the people of a team: each has a token of their own, which the team's
// database knows, or the cookie that the page gives for it.
type teamAccess struct {
	team     *app.Team
	hosts    []string // names without a port, lower case; empty: addresses of loopback
	scheme   string   // of the page's address
	cookie   string   // its name
	proxy    bool     // the proxy says who asks, and by which scheme
	perToken *limiter
	perPlace *limiter // of requests without a known token, by address
	known    *seen    // tokens and cookies that were found
	alive    *pulse
}

// Requests without a known token that one address may make: each asks the database.
const (
	strangerRate  = 5 // a second
	strangerBurst = 30
)

func newTeamAccess(options Options) (*teamAccess, error) {
	c := options.Team.Settings
	a := &teamAccess{team: options.Team, scheme: "http", cookie: "agentflow-team", proxy: c.Proxy,
		perToken: newLimiter(float64(c.Rate), c.Burst, options.Now), perPlace: newLimiter(strangerRate, strangerBurst, options.Now),
		known: newSeen(), alive: &pulse{now: options.Now}}
	for _, host := range c.Hosts {
		a.hosts = append(a.hosts, strings.ToLower(host))
	}
	if c.Cert != "" || c.Proxy {
		a.scheme, a.cookie = "https", "__Host-agentflow-team" // a browser takes that name from this host, over TLS, alone
	}
	return a, nil
}

func (a *teamAccess) checkHost(r *http.Request) *refusal {
	host := hostname(r.Host)
	if r.URL.Path == alivePath {
		return nil // a balancer asks by address, and what it hears is no secret
	}
	if ip, err := netip.ParseAddr(host); slices.Contains(a.hosts, host) || len(a.hosts) == 0 && (host == "localhost" || err == nil && ip.IsLoopback()) {
		return nil
	}
	return &refusal{http.StatusMisdirectedRequest, app.KindRefused, "this server is not asked by that Host", "hosts in [team] lists its names"}
}

// hostname is a Host without its port, lower case; empty where it cannot be read.
func hostname(host string) string {
	u, err := url.Parse("//" + strings.ToLower(host))
	if err != nil || u.User != nil || u.Host != strings.ToLower(host) {
		return ""
	}
	return u.Hostname()
}

func (a *teamAccess) isOwnOrigin(r *http.Request, origin string) bool {
	return strings.EqualFold(origin, a.scheme+"://"+r.Host)
}

// The entrances of the page, and what a balancer asks.
const (
	loginPath  = "/login"
	logoutPath = "/logout"
	alivePath  = "/alive"
)

func (a *teamAccess) isEntrance(r *http.Request) bool {
	switch r.URL.Path {
	case loginPath, logoutPath, alivePath:
		return true
	}
	return strings.HasPrefix(r.URL.Path, "/static/")
}

func (a *teamAccess) signIn() string { return loginPath }

// caller asks the database whose token or cookie it is.
func (a *teamAccess) caller(r *http.Request) (context.Context, *refusal) {
	secret, find := a.secretOf(r)
	if find == nil {
		return nil, a.stranger(r)
	}
	c, no := a.find(r, secret, find)
	if no != nil {
		return nil, no
	}
	if _, sent := bearer(r); !sent {
		if no := checkCookieWrite(r); no != nil {
			return nil, no
		}
	}
	return context.WithValue(app.WithCaller(r.Context(), c), tokenKey{}, c.Name), nil
}

// finder finds who has a token or a cookie.
type finder func(ctx context.Context, secret string) (app.Caller, error)

// secretOf is the token or the cookie of a request, and what finds its owner; nil where the
// request has neither.
func (a *teamAccess) secretOf(r *http.Request) (secret string, find finder) {
	if token, sent := bearer(r); sent {
		return token, a.team.Caller
	}
	if given := r.CookiesNamed(a.cookie); len(given) == 1 {
		return given[0].Value, a.team.LoggedIn
	}
	return "", nil
}

func (a *teamAccess) stillMay(r *http.Request) bool {
	secret, find := a.secretOf(r)
	if find == nil {
		return false
	}
	_, err := find(r.Context(), secret)
	return !errors.Is(err, app.ErrUnknownCaller)
}

type tokenKey struct{}

// tokenIn is the name of the token with which somebody asks; empty: the user alone does.
func tokenIn(ctx context.Context) string {
	name, _ := ctx.Value(tokenKey{}).(string)
	return name
}

// maxSecret bounds what is looked up as a token, in bytes.
const maxSecret = 200

// find looks a token or a cookie up. Whoever guesses may do so a few times a second, and
// keeps nobody out behind the same address whose token was found before.
func (a *teamAccess) find(r *http.Request, secret string, find finder) (app.Caller, *refusal) {
	if !a.known.has(secret) && !a.perPlace.has(a.place(r)) {
		return app.Caller{}, tooMany("requests without a known token come too often from this address")
	}
	if secret == "" || len(secret) > maxSecret {
		return app.Caller{}, a.stranger(r)
	}
	c, err := find(r.Context(), secret)
	switch {
	case errors.Is(err, app.ErrUnknownCaller):
		a.known.remove(secret)
		return c, a.stranger(r)
	case err != nil:
		p, status := problemOf(err)
		return c, &refusal{status, p.Kind, p.Message, p.Hint}
	}
	a.known.add(secret)
	if !a.perToken.allow(c.Name) {
		return c, tooMany("this token asks too often")
	}
	return c, nil
}

// stranger refuses a request without a known token, and counts it.
func (a *teamAccess) stranger(r *http.Request) *refusal {
	a.perPlace.allow(a.place(r))
	return &refusal{http.StatusUnauthorized, app.KindRefused, app.ErrUnknownCaller.Error(),
		"programs send 'Authorization: Bearer TOKEN'; 'agentflow serve token add NAME', on the server, makes one; the page asks for it at " + loginPath}
}

func tooMany(text string) *refusal {
	return &refusal{http.StatusTooManyRequests, app.KindUnavailable, text, "ask again in a second"}
}

// place is where a request comes from: an address or, of IPv6, a network of a customer.
func (a *teamAccess) place(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	if said := r.Header.Values("X-Forwarded-For"); a.proxy && len(said) > 0 {
		all := strings.Split(said[len(said)-1], ",")
		host = strings.TrimSpace(all[len(all)-1]) // what the proxy itself saw; what stands before it anybody can write
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return "unknown"
	}
	if ip = ip.Unmap().WithZone(""); ip.Is6() {
		if p, err := ip.Prefix(64); err == nil {
			return p.String()
		}
	}
	return ip.String()
}

// repository is the only one that the caller may ask where a request names none.
func (a *teamAccess) repository(visible []Repository, name string) (Repository, error) {
	switch {
	case len(visible) == 0:
		return Repository{}, &app.Error{Kind: app.KindRefused, Err: errors.New("this token is for no repository that is served here"), Hint: "'agentflow serve token list', on the server, shows what it is for"}
	case name == "" && len(visible) == 1:
		return visible[0], nil
	case name == "":
		return Repository{}, &app.Error{Kind: app.KindUsage, Err: fmt.Errorf("the request names no repository"), Hint: "GET /api/v1/repositories lists them; searches take repository=* for all"}
	}
	return named(visible, name)
}
