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
	"agentflow/app/serving"
	"agentflow/app/team"
)

// teamAccess is for the people of a team: each has a separate token, which the
// team's database knows, or the cookie that the page gives for it.
type teamAccess struct {
	team     *team.Team
	hosts    []string // names without a port, lower case; empty means loopback addresses
	scheme   string   // of the page's address
	cookie   string   // name of the cookie
	proxy    bool     // a proxy reports the client's address and scheme
	perToken *limiter
	perPlace *limiter // for requests without a known token, by address
	known    *seen    // tokens and cookies that were valid
	alive    *pulse
}

// Limits for requests without a known token from one address, because each
// queries the database.
const (
	strangerRate  = 5 // per second
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
		a.scheme, a.cookie = "https", "__Host-agentflow-team" // a browser accepts this name only from this host, over TLS
	}
	return a, nil
}

func (a *teamAccess) checkHost(r *http.Request) *refusal {
	host := hostname(r.Host)
	if r.URL.Path == alivePath {
		return nil // a balancer uses the address, and the answer is not secret
	}
	if ip, err := netip.ParseAddr(host); slices.Contains(a.hosts, host) || len(a.hosts) == 0 && (host == "localhost" || err == nil && ip.IsLoopback()) {
		return nil
	}
	return &refusal{http.StatusMisdirectedRequest, app.KindRefused, "this server is not asked by that Host", "hosts in [team] lists its names"}
}

// hostname returns a Host header without its port, in lower case, or "" if it
// is invalid.
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

// The entrances of the page, and the path for a balancer's health check.
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

// caller looks up the owner of the token or cookie in the database.
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
	return context.WithValue(serving.WithCaller(r.Context(), c), tokenKey{}, c.Name), nil
}

// finder returns the owner of a token or a cookie.
type finder func(ctx context.Context, secret string) (app.Caller, error)

// secretOf returns the token or the cookie of a request, and the function that
// finds its owner, or nil if the request has neither.
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
	return !errors.Is(err, team.ErrUnknownCaller)
}

type tokenKey struct{}

// tokenIn returns the name of the caller's token, or "" if the caller is the
// user of this machine.
func tokenIn(ctx context.Context) string {
	name, _ := ctx.Value(tokenKey{}).(string)
	return name
}

// maxSecret limits the length of a token that is looked up, in bytes.
const maxSecret = 200

// find looks up a token or a cookie. A client that guesses tokens may do so a
// few times per second. It does not block other clients behind the same address
// with a token that was valid before.
func (a *teamAccess) find(r *http.Request, secret string, find finder) (app.Caller, *refusal) {
	if !a.known.has(secret) && !a.perPlace.has(a.place(r)) {
		return app.Caller{}, tooMany("requests without a known token come too often from this address")
	}
	if secret == "" || len(secret) > maxSecret {
		return app.Caller{}, a.stranger(r)
	}
	c, err := find(r.Context(), secret)
	switch {
	case errors.Is(err, team.ErrUnknownCaller):
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
	return &refusal{http.StatusUnauthorized, app.KindRefused, team.ErrUnknownCaller.Error(),
		"programs send 'Authorization: Bearer TOKEN'; 'agentflow serve token add NAME', on the server, makes one; the page asks for it at " + loginPath}
}

func tooMany(text string) *refusal {
	return &refusal{http.StatusTooManyRequests, app.KindUnavailable, text, "ask again in a second"}
}

// place returns the origin of a request: an IPv4 address, or an IPv6 /64
// network.
func (a *teamAccess) place(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	if said := r.Header.Values("X-Forwarded-For"); a.proxy && len(said) > 0 {
		all := strings.Split(said[len(said)-1], ",")
		host = strings.TrimSpace(all[len(all)-1]) // the address that the proxy saw; the client can forge everything before it
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

// repository returns the only repository that the caller may use if a request
// names none.
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
