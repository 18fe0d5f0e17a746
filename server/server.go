// Package server is a door for programs and browsers: memory over HTTP.
//
// Every request needs three things: the token, or the cookie that a one-time
// link of this server set; a Host header with a name of this server; and, if
// the browser reports the page that sends the request, a page of this server.
// All other requests are refused, also for reading. Handlers are thin: package
// app does the work, and the answers are objects of package api.
//
// Not guaranteed: a process of the same user can read the token file. Browsers
// send a host's cookies to all its ports, so a program that listens on another
// port of 127.0.0.1 sees the cookie of a browser that visits it.
//
// The routes are one table, which also makes the OpenAPI document: fields of
// requests with the tag path or query are parameters, the others are the body.
// A test compares the answers of every route with the document. Events come
// from one follower for each repository, which starts with the first reader. A
// reader with a full queue is dropped. A team's server differs only in its
// access: the guard finds the caller of a token or cookie in the database, and
// each handler gets only the memories that the caller may use.
//
// Attempts to guess a token are limited by address. A token that was found once
// passes this limit, so that strangers with the same address keep no user out.
// While a server runs, Upkeep of package app/daemon watches the repository or
// runs its jobs, and waits while another process does so.
package server

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"agentflow/app"
	"agentflow/app/serving"
	"agentflow/app/team"
)

// Options configure a server.
type Options struct {
	// Repositories are the memories that are served. A request that names none
	// means the first one.
	Repositories []Repository
	// Addr is the address that the server listens on, such as "127.0.0.1:6767";
	// empty for a Unix socket.
	Addr  string
	Token string // at least 20 characters; see Token
	// MCP returns the handler of a repository's tools for agents, at /mcp for
	// the first repository and at /mcp/NAME for each; nil means that there is
	// none.
	MCP func(*app.Memory) http.Handler
	// Team is the team that is served, in place of Token and MCP; nil means
	// only the user.
	Team *team.Team
	// TeamMCP returns the handler of the tools for the memory that a request
	// may use, at /mcp for all of the caller's repositories and at /mcp/NAME
	// for each; nil means that there is none.
	TeamMCP func(of func(*http.Request) *app.Memory) http.Handler
	Page    http.Handler     // at /; nil means that there is none
	Now     func() time.Time // nil means time.Now
	Version string           // of the program

	follow follower // nil means the events of the memory itself
}

// Repository is a memory with its name in requests and answers: one or more
// path segments, without control characters.
type Repository = app.Repository

// minToken is the minimum length of a token, in characters.
const minToken = 20

// Server answers requests. It is safe for concurrent use.
type Server struct {
	options  Options
	handler  http.Handler
	access   access
	streams  *streams
	sessions *agentSessions
	document func() (json.RawMessage, error) // returns the description of the routes
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// memoryOf returns the repository that a request names, with the rights of the
// caller in ctx.
func (s *Server) memoryOf(ctx context.Context, name string) (Repository, error) {
	return s.access.repository(serving.Visible(ctx, s.options.Repositories), name)
}
