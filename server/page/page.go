// Package page is a door for people: the memory of repositories in a browser.
//
// Pages are HTML that the server writes; they can be read without JavaScript.
// One script makes search follow the keys, and sends changes to the JSON API
// of package server, which is the only way to change memory here. The package
// answers only reads, and leaves it to package server who may ask.
//
// Text from memory is hostile: it is cleaned of control characters and stands
// in pages as text alone. No element, attribute name, script or style comes
// from it, and its links lead nowhere. Pages need nothing but their own style
// sheet and script, so they work under a policy that forbids all else.
package page

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"agentflow/api"
	"agentflow/app"
	"agentflow/memory"
)

// Options say what is shown.
type Options struct {
	Repositories []Repository     // at least one; the first that may be seen is meant where a request names none
	Team         bool             // whoever asks logged in, and may log out
	Now          func() time.Time // nil: time.Now
	Version      string           // of the program
}

// Repository is a memory with the name that package server has for it.
type Repository = app.Repository

// allRepositories is the name by which a request names all that are shown.
const allRepositories = "*"

type handler struct{ options Options }

// New is the handler of all pages, for the path "/". It is safe for concurrent
// use.
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

// view makes the data of one template.
type view struct {
	template string
	data     func(ctx context.Context, q request) (answer, error)
	wide     bool // it can show what is of all repositories
}

// request is one for a page.
type request struct {
	Repository
	now    time.Time
	values url.Values
	id     string // of the path; empty where it has none
}

func (q request) get(name string) string { return q.values.Get(name) }

// list holds the values of a field, without empty ones.
func (q request) list(name string) []string {
	return slices.DeleteFunc(slices.Clone(q.values[name]), func(v string) bool { return v == "" })
}

// answer is what a view found.
type answer struct {
	Template string // in place of the view's; empty: the view's
	Title    string
	Data     any
	Degraded []string
}

// page is what templates are made with.
type page struct {
	answer
	View         string
	Now          time.Time
	Repository   string
	Repositories []string // all that may be seen
	Wide         bool     // the view can show all of them at once
	Team         bool
	Version      string
	first        string
}

// All is the name of all repositories.
func (page) All() string { return allRepositories }

// In is the page as one about another repository, for links; empty: the same.
func (p page) In(repository string) page {
	p.Repository = cmp.Or(repository, p.Repository)
	return p
}

// viewName is a view in the navigation.
type viewName struct{ Name, Path, Title string }

// Part is the view of the navigation that the page belongs to.
func (p page) Part() string {
	switch {
	case p.View == "contradictions" || p.View == "review" || p.View == "similar" || p.Template == "fact":
		return "facts"
	case p.View == "entry":
		return "timeline"
	}
	return p.View
}

// Views are those of the navigation.
func (p page) Views() []viewName {
	return []viewName{{"search", "/", "Search"}, {"timeline", "/timeline", "Timeline"}, {"facts", "/facts", "Facts"},
		{"memory", "/memory", "Memory"}, {"files", "/files", "Files"}, {"health", "/health", "Health"}}
}

// Link is a path with a query of pairs; pairs without a value are left out. It
// names the repository that the page is about.
func (p page) Link(path string, pairs ...any) string {
	values := url.Values{}
	if p.Repository != p.first {
		values.Set("repository", p.Repository)
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		if text := fmt.Sprint(pairs[i+1]); text != "" {
			values.Set(fmt.Sprint(pairs[i]), text)
		}
	}
	if len(values) == 0 {
		return path
	}
	return path + "?" + values.Encode()
}

// maxQuery bounds the query of a request, in bytes.
const maxQuery = 32 << 10

// answer writes a page, or with "part" in the query only what of it changes.
func (h *handler) answer(w http.ResponseWriter, r *http.Request, v view) {
	p := page{View: v.template, Now: h.options.Now(), Version: h.options.Version, Team: h.options.Team}
	visible := app.Visible(r.Context(), h.options.Repositories)
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
	_, _ = w.Write(b.Bytes()) // nobody else is there to be told
}

func (h *handler) request(r *http.Request, now time.Time, visible []Repository, wide bool) (request, error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil || len(r.URL.RawQuery) > maxQuery {
		return request{}, &app.Error{Kind: app.KindUsage, Err: errors.New("the query of the request is too long, or cannot be read")}
	}
	q := request{now: now, values: values, id: r.PathValue("id")}
	name := values.Get("repository")
	if name == allRepositories && wide {
		q.Repository = Repository{Name: allRepositories, Memory: app.All(visible)}
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

// statusOf is the status of HTTP for a kind of error.
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

// Changed are changes with the page they stand in.
func (p page) Changed(list []api.Change) changesIn { return changesIn{p, list} }

type changesIn struct {
	page
	Changes []api.Change
}

// Offered is a proposal with the page it stands in.
func (p page) Offered(o api.Proposal) offered { return offered{p, o} }

type offered struct {
	page
	Proposal api.Proposal
}

// One is a fact with the page it stands in.
func (p page) One(f api.Fact) factIn { return factIn{p, f} }

// Shown is a fact of a preview with the page it stands in, and why it is left out.
func (p page) Shown(f api.RecalledFact, left string) shownFact { return shownFact{p, f, left} }

type shownFact struct {
	page
	Fact api.RecalledFact
	Left string // empty: it is shown
}

type factIn struct {
	page
	Fact api.Fact
}

// Other is a fact that another one names, with the page it stands in.
func (p page) Other(id string, titles map[string]string) otherFact {
	return otherFact{p, id, titles[id]}
}

type otherFact struct {
	page
	ID, Title string
}
