package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"path"
	"strings"
	"time"
	"unicode"

	"agentflow/app"
)

// Bounds of a request.
const (
	maxBody   = 1 << 20          // bytes
	bodyWait  = 10 * time.Second // for the whole body
	writeWait = 2 * time.Minute  // for the whole answer; streams have times of their own
)

// mcpPath is where agents find their tools.
const mcpPath = "/mcp"

// policy is what the browser may do with a page of ours: load its own files
// and ask its own server, and nothing inline.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// refusal is why a request is not answered.
type refusal struct {
	status     int
	kind       app.Kind
	text, hint string
}

// guard lets only the requests through that may ask, in a shape that handlers
// can rely on: the path is clean and the body is read whole.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		setHeaders(w.Header())
		control := http.NewResponseController(w)
		_ = control.SetWriteDeadline(time.Now().Add(writeWait)) // not every writer has one: a test's has none
		defer answerPanic(w)
		ctx, no := s.admit(r)
		if no != nil {
			if r.ContentLength != 0 {
				w.Header().Set("Connection", "close") // its body is not read
			}
			s.refuseTo(w, r, no)
			return
		}
		r = r.WithContext(ctx)
		markServing(r.Context(), true)
		defer markServing(r.Context(), false)
		if no := readBody(control, r); no != nil {
			w.Header().Set("Connection", "close")
			fail(w, no.status, no.kind, no.text, no.hint)
			return
		}
		if r.URL.Path == mcpPath || strings.HasPrefix(r.URL.Path, mcpPath+"/") {
			_ = control.SetWriteDeadline(time.Time{}) // its streams last
		}
		next.ServeHTTP(w, r)
	})
}

func setHeaders(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}

// answerPanic keeps an error of ours to its request.
func answerPanic(w http.ResponseWriter) {
	switch err := recover(); err {
	case nil:
	case http.ErrAbortHandler:
		panic(err)
	default:
		fail(w, http.StatusInternalServerError, app.KindInternal, "the server failed at this request", "")
	}
}

// admit says why a request is not answered. Of one that is, ctx says who asks.
func (s *Server) admit(r *http.Request) (ctx context.Context, no *refusal) {
	for _, check := range []func(*http.Request) *refusal{checkPath, s.access.checkHost, s.checkOrigin} {
		if no := check(r); no != nil {
			return nil, no
		}
	}
	ctx = r.Context()
	if !s.access.isEntrance(r) {
		if ctx, no = s.access.caller(r); no != nil {
			return nil, no
		}
		no = checkType(r)
	}
	return ctx, no
}

// checkPath takes the paths that mean what they say.
func checkPath(r *http.Request) *refusal {
	p := r.URL.Path
	escaped := strings.ToLower(r.URL.EscapedPath())
	clean := path.Clean(p)
	if strings.HasSuffix(p, "/") && clean != "/" {
		clean += "/"
	}
	if p != clean || !strings.HasPrefix(p, "/") || strings.ContainsFunc(p, unicode.IsControl) || strings.ContainsAny(p, `\%`) ||
		strings.Contains(escaped, "%2f") || strings.Contains(escaped, "%2e") {
		return &refusal{http.StatusBadRequest, app.KindUsage, "the path of the request is not clean", "name ids and files without escapes, . and .."}
	}
	return nil
}

// checkOrigin keeps out pages of others. A browser names the page's origin
// with each write, and with each request how near the page is; another port
// of this host is same-site, and still somebody else.
func (s *Server) checkOrigin(r *http.Request) *refusal {
	foreign := &refusal{http.StatusForbidden, app.KindRefused, "a page of another origin asks", ""}
	origins := r.Header.Values("Origin")
	if len(origins) > 1 || len(origins) == 1 && !s.access.isOwnOrigin(r, origins[0]) {
		return foreign
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
		return nil
	}
	if s.access.isEntrance(r) && r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document" {
		return nil // somebody follows the link from where it was printed
	}
	return foreign
}

// checkType takes JSON alone: a form of another page can send other types
// without asking.
func checkType(r *http.Request) *refusal {
	if r.Method != http.MethodPost && r.Method != http.MethodPut && r.Method != http.MethodPatch {
		return nil
	}
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err == nil && kind == "application/json" {
		return nil
	}
	return &refusal{http.StatusUnsupportedMediaType, app.KindUsage, "the body of a request is JSON", "send 'Content-Type: application/json'"}
}

// readBody reads the body whole, so that a slow one holds up nothing but its
// connection.
func readBody(control *http.ResponseController, r *http.Request) *refusal {
	if r.Body == nil || r.Body == http.NoBody {
		return nil
	}
	tooLarge := &refusal{http.StatusRequestEntityTooLarge, app.KindUsage, fmt.Sprintf("the body is larger than %d bytes", maxBody), ""}
	if r.ContentLength > maxBody {
		return tooLarge
	}
	_ = control.SetReadDeadline(time.Now().Add(bodyWait)) // as above
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	_ = control.SetReadDeadline(time.Time{})
	var late net.Error
	switch {
	case errors.As(err, &late) && late.Timeout():
		return &refusal{http.StatusRequestTimeout, app.KindUsage, fmt.Sprintf("the body did not come within %v", bodyWait), ""}
	case err != nil:
		return &refusal{http.StatusBadRequest, app.KindUsage, "the body could not be read", ""}
	case len(body) > maxBody:
		return tooLarge
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return nil
}
