package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"html"
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

// Limits of a request.
const (
	maxBody   = 1 << 20          // bytes
	maxForm   = 4 << 10          // bytes, for a request without a token
	bodyWait  = 10 * time.Second // for the whole body
	writeWait = 2 * time.Minute  // for the whole answer; streams have other limits
)

// mcpPath is the path of the tools for agents.
const mcpPath = "/mcp"

// policy is the content security policy of pages: a browser may load only files
// of this server and send requests only to it, and nothing may be inline.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// refusal is the reason for refusing a request.
type refusal struct {
	status     int
	kind       app.Kind
	text, hint string
}

// guard passes on only authorized requests, in a form that handlers can rely
// on: the path is clean and the body is read completely.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		setHeaders(w.Header())
		control := http.NewResponseController(w)
		_ = control.SetWriteDeadline(time.Now().Add(writeWait)) // not every writer supports it: a test's does not
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
		most := int64(maxForm)
		if !s.access.isEntrance(r) {
			most = maxBody
			markServing(ctx, true)
			defer markServing(ctx, false)
		}
		if no := readBody(control, r, most); no != nil {
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

// answerPanic recovers from a panic of a handler and answers the request, so
// that the server keeps running.
// running.
func answerPanic(w http.ResponseWriter) {
	switch err := recover(); err {
	case nil:
	case http.ErrAbortHandler:
		panic(err)
	default:
		fail(w, http.StatusInternalServerError, app.KindInternal, "the server failed at this request", "")
	}
}

// admit returns why a request is refused, or the context that identifies the
// caller.
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

// checkPath refuses paths that could be read in two ways.
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

// checkOrigin refuses requests from other pages. A browser sends the page's
// origin with each write, and with each request how it relates to this server.
// Another port of this host is same-site, but still another origin.
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
		return nil // the user follows the link from where it was printed
	}
	return foreign
}

// checkType accepts only JSON: a form of another page can send other types
// without a preflight request.
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

// readBody reads the complete body, so that a slow body blocks only its
// connection.
func readBody(control *http.ResponseController, r *http.Request, most int64) *refusal {
	if r.Body == nil || r.Body == http.NoBody {
		return nil
	}
	tooLarge := &refusal{http.StatusRequestEntityTooLarge, app.KindUsage, fmt.Sprintf("the body is larger than %d bytes", most), ""}
	if r.ContentLength > most {
		return tooLarge
	}
	_ = control.SetReadDeadline(time.Now().Add(bodyWait)) // not every body supports it
	body, err := io.ReadAll(io.LimitReader(r.Body, most+1))
	_ = control.SetReadDeadline(time.Time{})
	var late net.Error
	switch {
	case errors.As(err, &late) && late.Timeout():
		return &refusal{http.StatusRequestTimeout, app.KindUsage, fmt.Sprintf("the body did not come within %v", bodyWait), ""}
	case err != nil:
		return &refusal{http.StatusBadRequest, app.KindUsage, "the body could not be read", ""}
	case int64(len(body)) > most:
		return tooLarge
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return nil
}

// refuseTo answers a refused request: with a page for a person who opens an
// address in a browser, and with an object for a program.
func (s *Server) refuseTo(w http.ResponseWriter, r *http.Request, no *refusal) {
	if !strings.Contains(r.Header.Get("Accept"), "text/html") {
		fail(w, no.status, no.kind, no.text, no.hint)
		return
	}
	if to := s.access.signIn(); to != "" && no.status == http.StatusUnauthorized && r.Method == http.MethodGet {
		http.Redirect(w, r, to, http.StatusSeeOther)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(no.status)
	fmt.Fprintf(w, refused, html.EscapeString(no.text), html.EscapeString(no.hint))
}

const refused = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>AgentFlow</title></head>
<body><h1>AgentFlow does not show this</h1><p>%s</p><p>%s</p></body></html>
`
