package server

import (
	"context"
	"net/http"
	"reflect"

	"agentflow/app"
)

// route is one thing that can be asked. The table of routes registers the
// handlers, and is what the OpenAPI document is made of.
type route struct {
	method, path string // as http.ServeMux has them
	summary      string // one line
	in, out      reflect.Type
	stream       bool // the answer is a stream of events, whose data are of type out
	serve        func(s *Server, w http.ResponseWriter, r *http.Request)
}

// call is what a handler works with.
type call struct {
	Repository // that the request is about
	server     *Server
}

// empty is a request without parts of its own.
type empty struct{}

// on is a route whose request has the parts of In: fields with the tag path
// are read from the path, those with query from the query, and the others from
// the body. Its answer is an Out.
func on[In, Out any](method, path, summary string, handle func(ctx context.Context, c call, in In) (Out, error)) route {
	return route{method: method, path: path, summary: summary, in: reflect.TypeFor[In](), out: reflect.TypeFor[Out](),
		serve: func(s *Server, w http.ResponseWriter, r *http.Request) {
			in, c, err := read[In](s, r)
			if err != nil {
				answer(w, nil, err)
				return
			}
			out, err := handle(app.Quiet(r.Context()), c, in)
			answer(w, out, err)
		}}
}

// ofServer is a route that is about no repository.
func ofServer[Out any](path, summary string, handle func(ctx context.Context, s *Server) (Out, error)) route {
	return route{method: get, path: path, summary: summary, in: reflect.TypeFor[empty](), out: reflect.TypeFor[Out](),
		serve: func(s *Server, w http.ResponseWriter, r *http.Request) {
			if _, err := decode(r, &empty{}); err != nil {
				answer(w, nil, err)
				return
			}
			out, err := handle(r.Context(), s)
			answer(w, out, err)
		}}
}

// read reads a request, and finds the repository that it is about.
func read[In any](s *Server, r *http.Request) (in In, c call, err error) {
	name, err := decode(r, &in)
	if err != nil {
		return in, c, err
	}
	c.server = s
	c.Repository, err = s.memoryOf(r.Context(), name)
	return in, c, err
}
