package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"agentflow/app"
)

// New returns a server, which answers until ctx ends, also in streams of
// events.
func New(ctx context.Context, options Options) (*Server, error) {
	if len(options.Repositories) == 0 {
		return nil, errors.New("serving memory: there is none to serve")
	}
	if options.follow == nil {
		options.follow = follow
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	s := &Server{options: options, sessions: newAgentSessions(), streams: newStreams(ctx, options.follow)}
	var err error
	if options.Team != nil {
		s.access, err = newTeamAccess(options)
	} else {
		s.access, err = newLocalAccess(options)
	}
	if err != nil {
		return nil, err
	}
	table := routes()
	s.document = sync.OnceValues(func() (json.RawMessage, error) { return describe(table) })
	mux := http.NewServeMux()
	if err := s.mount(mux, table); err != nil {
		return nil, err
	}
	s.handler = s.guard(mux)
	return s, nil
}

// mount registers the handler of each path.
func (s *Server) mount(mux *http.ServeMux, table []route) error {
	methods := map[string]map[string]http.HandlerFunc{}
	for _, r := range table {
		if methods[r.path] == nil {
			methods[r.path] = map[string]http.HandlerFunc{}
		}
		if methods[r.path][r.method] != nil {
			return fmt.Errorf("serving memory: %s %s has two handlers", r.method, r.path)
		}
		methods[r.path][r.method] = func(w http.ResponseWriter, req *http.Request) { r.serve(s, w, req) }
	}
	for path, byMethod := range methods {
		mux.HandleFunc(path, oneOfMethods(byMethod))
	}
	mux.HandleFunc("/api/", func(w http.ResponseWriter, r *http.Request) {
		fail(w, http.StatusNotFound, app.KindNotFound, fmt.Sprintf("there is no %s", r.URL.Path), "the routes are listed at "+openAPIPath)
	})
	s.access.mount(s, mux)
	s.mountMCP(mux)
	if s.options.Page != nil {
		mux.Handle("/", s.options.Page)
	}
	return nil
}

// mountMCP registers the handlers of the tools for agents.
func (s *Server) mountMCP(mux *http.ServeMux) {
	handlers := map[string]http.Handler{}
	handle := func(w http.ResponseWriter, r *http.Request, of Repository) { handlers[of.Name].ServeHTTP(w, r) }
	switch {
	case s.options.TeamMCP != nil:
		one := s.options.TeamMCP(memoryIn)
		handle = func(w http.ResponseWriter, r *http.Request, of Repository) {
			one.ServeHTTP(w, withMemory(r, of.Memory))
		}
	case s.options.MCP != nil:
		for _, r := range s.options.Repositories {
			handlers[r.Name] = s.options.MCP(r.Memory)
		}
	default:
		return
	}
	serve := func(w http.ResponseWriter, r *http.Request) {
		name := r.PathValue("repository")
		if name == "" && s.options.Team != nil {
			name = allRepositories
		}
		found, err := s.memoryOf(r.Context(), name)
		if err != nil {
			answer(w, nil, err)
			return
		}
		handle(w, r, found)
	}
	mux.HandleFunc(mcpPath, serve)
	mux.HandleFunc(mcpPath+"/{repository}", serve)
}

type memoryKey struct{}

// withMemory stores the memory that a request may use, for memoryIn.
func withMemory(r *http.Request, m *app.Memory) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), memoryKey{}, m))
}

func memoryIn(r *http.Request) *app.Memory { return r.Context().Value(memoryKey{}).(*app.Memory) }
