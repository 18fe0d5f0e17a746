// Package server is a door for programs and browsers: memory over HTTP.
//
// Every request needs the token, or the cookie that a one-time link of this
// server set; a Host that the server listens on; and, where a browser names
// the page that asks, a page of this server. Nothing is answered to anybody
// else, reads included. Handlers are thin: what is asked is decided by package
// app, and answered with the objects of package api.
//
// Not guaranteed: a process of the same user can read the token file, and
// browsers send a host's cookies to all its ports, so a program that listens
// on another port of 127.0.0.1 sees the cookie of a browser that visits it.
package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"agentflow/app"
)

// Options say what a server offers, and to whom.
type Options struct {
	// Repositories are the memories that are shown. The first one is meant
	// where a request names none.
	Repositories []Repository
	// Addr is the address that is listened on, as "127.0.0.1:6767"; empty for
	// a Unix socket.
	Addr  string
	Token string // at least 20 characters; see Token
	// MCP is the handler of a repository's tools for agents, at /mcp for the
	// first one and at /mcp/NAME for each; nil: there is none.
	MCP     func(*app.Memory) http.Handler
	Page    http.Handler     // at /; nil: there is none
	Now     func() time.Time // nil: time.Now
	Version string           // of the program

	follow follower // nil: the memory tells itself what happens
}

// Repository is a memory with the name that requests and answers have for it.
type Repository struct {
	Name   string // one path segment or more, without control characters
	Memory *app.Memory
}

// minToken is how long a token is at least, in characters.
const minToken = 20

// Server answers requests. It is safe for concurrent use.
type Server struct {
	options  Options
	handler  http.Handler
	hosts    []string // that a request may name, lower case
	logins   *logins
	streams  *streams
	sessions *agentSessions
	document func() (json.RawMessage, error) // describes the routes
}

// New is a server, which answers until ctx ends: streams of events end then.
func New(ctx context.Context, options Options) (*Server, error) {
	switch {
	case len(options.Repositories) == 0:
		return nil, errors.New("serving memory: there is none to serve")
	case len(options.Token) < minToken:
		return nil, errors.New("serving memory: the token is too short")
	}
	if options.follow == nil {
		options.follow = follow
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	hosts, port, err := hostsOf(options.Addr)
	if err != nil {
		return nil, err
	}
	s := &Server{options: options, hosts: hosts, logins: newLogins(options.Token, port, options.Now), sessions: newAgentSessions(),
		streams: newStreams(ctx, options.follow)}
	table := routes()
	s.document = sync.OnceValues(func() (json.RawMessage, error) { return describe(table) })
	mux := http.NewServeMux()
	if err := s.mount(mux, table); err != nil {
		return nil, err
	}
	s.handler = s.guard(mux)
	return s, nil
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// mount gives each path its handler.
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
	mux.HandleFunc(linkPath+"{code}", oneOfMethods(map[string]http.HandlerFunc{http.MethodGet: s.openLink}))
	if s.options.MCP != nil {
		s.mountMCP(mux)
	}
	if s.options.Page != nil {
		mux.Handle("/", s.options.Page)
	}
	return nil
}

// mountMCP offers each repository's tools under its name, and the first one's
// without.
func (s *Server) mountMCP(mux *http.ServeMux) {
	handlers := map[string]http.Handler{}
	for _, r := range s.options.Repositories {
		handlers[r.Name] = s.options.MCP(r.Memory)
	}
	mux.Handle(mcpPath, handlers[s.options.Repositories[0].Name])
	mux.HandleFunc(mcpPath+"/{repository}", func(w http.ResponseWriter, r *http.Request) {
		found, err := s.memoryOf(r.PathValue("repository"))
		if err != nil {
			answer(w, nil, err)
			return
		}
		handlers[found.Name].ServeHTTP(w, r)
	})
}

// memoryOf is the repository that a request names; the first where it names
// none.
func (s *Server) memoryOf(name string) (Repository, error) {
	for _, r := range s.options.Repositories {
		if name == "" || r.Name == name {
			return r, nil
		}
	}
	return Repository{}, &app.Error{Kind: app.KindNotFound, Err: fmt.Errorf("this server shows no repository %q", name), Hint: "GET /api/v1/repositories lists them"}
}

// hostsOf are the names by which requests may address a server that listens
// on addr, and its port. Other names lead to this address only where somebody
// rebinds a name of theirs to it.
func hostsOf(addr string) (hosts []string, port string, err error) {
	if addr == "" {
		return []string{"localhost", "agentflow"}, "socket", nil
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, "", fmt.Errorf("serving memory: %w", err)
	}
	for _, name := range []string{host, "localhost"} {
		hosts = append(hosts, strings.ToLower(net.JoinHostPort(name, port)))
		if port == "80" {
			hosts = append(hosts, strings.ToLower(strings.TrimSuffix(net.JoinHostPort(name, port), ":80")))
		}
	}
	return hosts, port, nil
}
