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

// linkPath is where one-time links lead.
const linkPath = "/link/"

// linkLife is how long a link can be followed.
const linkLife = time.Minute

// maxLogins bounds how many browsers are known at once; a further one takes
// the place of the one that came first.
const maxLogins = 100

// Link is a link that opens the page in a browser: once, within a minute of
// now. Whoever knows the token can make one, also for a server in another
// process; base is "http://127.0.0.1:6767".
func Link(base, token string, now time.Time) string {
	at := strconv.FormatInt(now.UnixNano(), 36)
	return base + linkPath + at + "." + linkSeal(token, base[strings.LastIndexByte(base, ':')+1:], at)
}

// linkSeal shows that whoever made a link knows the token. It holds for one
// port: another server of this user, which has the same token, was not asked
// whether the link was followed.
func linkSeal(token, port, at string) string {
	mac := hmac.New(sha256.New, []byte(token))
	mac.Write([]byte("agentflow link " + port + " " + at))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

func isLink(r *http.Request) bool { return strings.HasPrefix(r.URL.Path, linkPath) }

// logins are the browsers that followed a link of this process. They are
// nowhere else, so they end with it.
type logins struct {
	token  string
	port   string
	cookie string // its name
	now    func() time.Time
	since  int64 // links made before are of an earlier server, which may have taken them

	mu      sync.Mutex
	used    map[string]time.Time // links, until they are too old anyway
	known   map[string]bool      // values of the cookie, as hashes
	inOrder []string             // the same, the first to come first
}

func newLogins(token, port string, now func() time.Time) *logins {
	return &logins{token: token, port: port, cookie: "agentflow-" + port, now: now, since: now().UnixNano(), used: map[string]time.Time{}, known: map[string]bool{}}
}

// follow is the value of a cookie for the browser that follows a link; ok says
// whether the link can be followed.
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

// knows says whether a request has the cookie of a browser that followed a
// link. It is looked up by its hash, so that the time tells nothing.
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

// opened leads on to the page. It is a page of its own and no redirect: a
// browser that comes from elsewhere would not send the cookie along.
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
