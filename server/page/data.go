package page

import (
	"cmp"
	"fmt"
	"net/url"
	"time"

	"agentflow/app/api"
)

// page is the data for templates.
type page struct {
	answer
	View         string
	Now          time.Time
	Repository   string
	Repositories []string // all visible repositories
	Wide         bool     // the view can show all of them together
	Team         bool
	Version      string
	first        string
}

// All returns the name for all repositories.
func (page) All() string { return allRepositories }

// In returns the page with another repository, for links; empty means the same
// one.
func (p page) In(repository string) page {
	p.Repository = cmp.Or(repository, p.Repository)
	return p
}

// viewName is a view in the navigation.
type viewName struct{ Name, Path, Title string }

// Part returns the view in the navigation that the page belongs to.
func (p page) Part() string {
	switch {
	case p.View == "contradictions" || p.View == "review" || p.View == "similar" || p.Template == "fact":
		return "facts"
	case p.View == "entry":
		return "timeline"
	}
	return p.View
}

// Views returns the views in the navigation.
func (p page) Views() []viewName {
	return []viewName{{"search", "/", "Search"}, {"timeline", "/timeline", "Timeline"}, {"facts", "/facts", "Facts"},
		{"memory", "/memory", "Memory"}, {"files", "/files", "Files"}, {"health", "/health", "Health"}}
}

// Link returns a path with a query of name-value pairs. It leaves out pairs
// without a value, and names the page's repository.
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

// Changed returns changes together with their page, for a template.
func (p page) Changed(list []api.Change) changesIn { return changesIn{p, list} }

type changesIn struct {
	page
	Changes []api.Change
}

// Offered returns a proposal together with its page, for a template.
func (p page) Offered(o api.Proposal) offered { return offered{p, o} }

type offered struct {
	page
	Proposal api.Proposal
}

// One returns a fact together with its page, for a template.
func (p page) One(f api.Fact) factIn { return factIn{p, f} }

// Shown returns a fact of a preview together with its page and the reason why
// it is left out, for a template.
func (p page) Shown(f api.RecalledFact, left string) shownFact { return shownFact{p, f, left} }

type shownFact struct {
	page
	Fact api.RecalledFact
	Left string // empty if it is shown
}

type factIn struct {
	page
	Fact api.Fact
}

// Other returns a fact that another one refers to, together with its page, for
// a template.
func (p page) Other(id string, titles map[string]string) otherFact {
	return otherFact{p, id, titles[id]}
}

type otherFact struct {
	page
	ID, Title string
}
