package server

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"agentflow/app"
)

// linkPath is the path of one-time links.
const linkPath = "/link/"

// linkLife is how long a link is valid.
const linkLife = time.Minute

// maxLogins is the maximum number of known browsers; a further one replaces the
// oldest.
const maxLogins = 100

// Link returns a link that opens the page in a browser: once, within a minute
// of now. Any process that knows the token can make one, also for a server in
// another process. base has the form "http://127.0.0.1:6767".
func Link(base, token string, now time.Time) string {
	at := strconv.FormatInt(now.UnixNano(), 36)
	return base + linkPath + at + "." + linkSeal(token, base[strings.LastIndexByte(base, ':')+1:], at)
}

// linkSeal proves that the maker of a link knows the token. It is valid for one
// port: another server of this user has the same token, but does not know
// whether the link was already followed.
func linkSeal(token, port, at string) string {
	mac := hmac.New(sha256.New, []byte(token))
	mac.Write([]byte("agentflow link " + port + " " + at))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

func isLink(r *http.Request) bool { return strings.HasPrefix(r.URL.Path, linkPath) }

// logins holds the browsers that followed a link of this process. They are only
// in memory, so they end with the process.
type logins struct {
	token  string
	port   string
	cookie string // name of the cookie
	now    func() time.Time
	since  int64 // older links belong to an earlier server, which may have accepted them

	mu      sync.Mutex
	used    map[string]time.Time // used links, until they expire
	known   map[string]bool      // hashes of the cookie's values
	inOrder []string             // the same, oldest first
}

func newLogins(token, port string, now func() time.Time) *logins {
	return &logins{token: token, port: port, cookie: "agentflow-" + port, now: now, since: now().UnixNano(), used: map[string]time.Time{}, known: map[string]bool{}}
}

// follow returns the value of the cookie for a browser that follows a link; ok
// is false if the link is not valid.
func (l *logins) follow(code string) (value string, ok bool) {
	at, seal, _ := strings.Cut(code, ".")
	nanos, err := strconv.ParseInt(at, 36, 64)
	if !same(seal, linkSeal(l.token, l.port, at)) || err != nil {
		return "", false
	}
	now := l.now()
	made := time.Unix(0, nanos)
	if nanos < l.since || now.Before(made) || now.Sub(made) > linkLife {
		return "", false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for code, made := range l.used {
		if now.Sub(made) > linkLife {
			delete(l.used, code)
		}
	}
	if _, again := l.used[at]; again {
		return "", false
	}
	l.used[at] = made
	value = rand.Text()
	l.remember(hashed(value))
	return value, true
}

func (l *logins) remember(hash string) {
	l.known[hash] = true
	l.inOrder = append(l.inOrder, hash)
	if len(l.inOrder) > maxLogins {
		delete(l.known, l.inOrder[0])
		l.inOrder = l.inOrder[1:]
	}
}

// knows reports whether a request has the cookie of a browser that followed a
// link. It looks up the hash, so that the time reveals nothing.
func (l *logins) knows(r *http.Request) bool {
	given := r.CookiesNamed(l.cookie)
	if len(given) != 1 {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.known[hashed(given[0].Value)]
}

func hashed(value string) string {
	sum := sha256.Sum256([]byte(value))
	return string(sum[:])
}

// opened redirects to the page. It is a page and not an HTTP redirect, because
// a browser that follows a link from another origin would not send the cookie.
const opened = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>AgentFlow</title><meta http-equiv="refresh" content="0; url=/"></head>
<body><p><a href="/">Open the memory of this repository</a></p></body></html>
`

// openLink gives the browser its cookie.
func (a *localAccess) openLink(s *Server, w http.ResponseWriter, r *http.Request) {
	value, ok := a.logins.follow(r.PathValue("code"))
	if !ok {
		s.refuseTo(w, r, &refusal{http.StatusForbidden, app.KindRefused, "this link was followed before, or is older than a minute", "'agentflow serve --link' prints another one"})
		return
	}
	http.SetCookie(w, &http.Cookie{Name: a.logins.cookie, Value: value, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprint(w, opened)
}
