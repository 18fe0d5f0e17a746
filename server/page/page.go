// Package page is a door for people: the memory of repositories in a browser.
//
// Pages are HTML that the server renders; they can be read without JavaScript.
// One script updates the search while the user types, and sends changes to the
// JSON API of package server, which is the only way to change memory here. The
// package only answers reads, and leaves access control to package server.
//
// Text from memory is hostile: control characters are removed, and it appears
// in pages only as text. No element, attribute name, script or style comes from
// it, and links in it are not active. Pages need only their own style sheet and
// script, so they work under a policy that forbids everything else.
//
// There is no framework and no build step. The few views need little script,
// and no dependency has to be updated or trusted.
package page

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"agentflow/app"
	"agentflow/app/serving"
	"agentflow/memory"
)

// Options configure the pages.
type Options struct {
	Repositories []Repository     // at least one; the first visible one is meant if a request names none
	Team         bool             // the user logged in, and may log out
	Now          func() time.Time // nil means time.Now
	Version      string           // of the program
}

type handler struct{ options Options }

// New returns the handler of all pages, for the path "/". It is safe for
// concurrent use.
func New(options Options) http.Handler {
	if options.Now == nil {
		options.Now = time.Now
	}
	h := &handler{options}
	mux := http.NewServeMux()
	for path, v := range map[string]view{
		"/{$}":            {"search", search, true},
		"/timeline":       {"timeline", timeline, false},
		"/live":           {"live", liveRuns, false},
		"/entry/{id}":     {"entry", showItem, false},
		"/similar/{id}":   {"similar", similarTo, false},
		"/facts":          {"facts", facts, false},
		"/contradictions": {"contradictions", contradictions, false},
		"/review":         {"review", review, false},
		"/memory":         {"memory", memoryText, false},
		"/files":          {"files", files, false},
		"/health":         {"health", health, false},
	} {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) { h.answer(w, r, v) })
	}
	mux.HandleFunc("GET /static/{name}", static)
	mux.HandleFunc("GET /", func(w http.ResponseWriter, r *http.Request) { h.answer(w, r, view{"problem", nowhere, false}) })
	return mux
}

// view produces the data of one template.
type view struct {
	template string
	data     func(ctx context.Context, q request) (answer, error)
	wide     bool // it can show the contents of all repositories
}

// maxQuery is the maximum length of a request's query, in bytes.
const maxQuery = 32 << 10

// answer writes a page, or only its variable part if the query has "part".
func (h *handler) answer(w http.ResponseWriter, r *http.Request, v view) {
	p := page{View: v.template, Now: h.options.Now(), Version: h.options.Version, Team: h.options.Team}
	visible := serving.Visible(r.Context(), h.options.Repositories)
	for _, repo := range visible {
		p.Repositories = append(p.Repositories, repo.Name)
	}
	p.Wide = v.wide && len(visible) > 1
	q, err := h.request(r, p.Now, visible, p.Wide)
	if len(visible) > 0 {
		p.first, p.Repository = visible[0].Name, visible[0].Name
	}
	if err == nil {
		p.Repository = q.Name
		p.answer, err = v.data(app.Quiet(r.Context()), q)
	}
	status := http.StatusOK
	if err != nil {
		known := app.AsError(err)
		status = statusOf(known.Kind)
		p.answer = answer{Template: "problem", Title: "Not shown", Data: known}
	}
	var b bytes.Buffer
	if err := render(&b, cmp.Or(p.Template, v.template), r.URL.Query().Has("part"), p); err != nil {
		http.Error(w, "the page could not be made", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // an error cannot be reported to anyone
}

func (h *handler) request(r *http.Request, now time.Time, visible []Repository, wide bool) (request, error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil || len(r.URL.RawQuery) > maxQuery {
		return request{}, &app.Error{Kind: app.KindUsage, Err: errors.New("the query of the request is too long, or cannot be read")}
	}
	q := request{now: now, values: values, id: r.PathValue("id")}
	name := values.Get("repository")
	if name == allRepositories && wide {
		q.Repository = Repository{Name: allRepositories, Memory: serving.All(visible)}
		return q, nil
	}
	for _, repo := range visible {
		if name == "" || repo.Name == name || name == allRepositories {
			q.Repository = repo
			return q, nil
		}
	}
	return q, &app.Error{Kind: app.KindNotFound, Err: fmt.Errorf("no repository %q is shown here", memory.Clean(name))}
}

func nowhere(context.Context, request) (answer, error) {
	return answer{}, &app.Error{Kind: app.KindNotFound, Err: errors.New("there is no such page"), Hint: "the views are named above"}
}

// statusOf returns the HTTP status for a kind of error.
func statusOf(kind app.Kind) int {
	switch kind {
	case app.KindUsage:
		return http.StatusBadRequest
	case app.KindNotFound, app.KindNoPlace:
		return http.StatusNotFound
	case app.KindRefused:
		return http.StatusConflict
	case app.KindLocked:
		return http.StatusLocked
	case app.KindUnavailable:
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}
