package page

import (
	"net/url"
	"slices"
	"time"

	"agentflow/app"
)

// Repository is a memory with its name in package server.
type Repository = app.Repository

// allRepositories is the name for all visible repositories in a request.
const allRepositories = "*"

// request is a request for a page.
type request struct {
	Repository
	now    time.Time
	values url.Values
	id     string // from the path; empty if it has none
}

func (q request) get(name string) string { return q.values.Get(name) }

// list returns the values of a field, without empty ones.
func (q request) list(name string) []string {
	return slices.DeleteFunc(slices.Clone(q.values[name]), func(v string) bool { return v == "" })
}

// answer is the result of a view.
type answer struct {
	Template string // replaces the view's template; empty means the view's
	Title    string
	Data     any
	Degraded []string
}
