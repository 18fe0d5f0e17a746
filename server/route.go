package server

import (
	"context"
	"net/http"
	"reflect"

	"agentflow/app"
)

// route is one route of the API. The table of routes registers the handlers,
// and the OpenAPI document is generated from it.
type route struct {
	method, path string // in the syntax of http.ServeMux
	summary      string // one line
	in, out      reflect.Type
	stream       bool // the answer is a stream of events with data of type out
	serve        func(s *Server, w http.ResponseWriter, r *http.Request)
}

// call holds the context of a handler.
type call struct {
	Repository // the repository of the request
	server     *Server
}

// empty is a request without further parts.
type empty struct{}

// on returns a route with the request type In and the answer type Out. Fields
// of In with the tag path are read from the path, those with query from the
// query, and the others from the body.
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

// ofServer returns a route that does not concern a repository.
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

// read decodes a request and finds its repository.
func read[In any](s *Server, r *http.Request) (in In, c call, err error) {
	name, err := decode(r, &in)
	if err != nil {
		return in, c, err
	}
	c.server = s
	c.Repository, err = s.memoryOf(r.Context(), name)
	return in, c, err
}
