package mcp

import (
	"context"
	"slices"
	"strings"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxSessions bounds the sessions over HTTP that a memory has open. Many clients
// never say that they are done, so the session that was used longest ago ends
// for a new one: its client is told "404", and begins another.
const maxSessions = 256

// sessions are the servers of the sessions over HTTP, the one that was used last
// at the end. They are safe for concurrent use.
type sessions struct {
	most int

	mu   sync.Mutex
	open []*sdk.Server
}

// watch counts the session of a server from its initialize on: the SDK ends one
// that begins with anything else after that request.
func (s *sessions) watch(server *sdk.Server) *sdk.Server {
	server.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
			if !strings.HasPrefix(method, "notifications/") {
				s.use(server, method == "initialize")
			}
			return next(ctx, method, req)
		}
	})
	return server
}

// use puts a server at the end; one that begins may end another.
func (s *sessions) use(server *sdk.Server, begins bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.Index(s.open, server)
	if i < 0 && !begins {
		return
	}
	if i >= 0 {
		s.open = slices.Delete(s.open, i, i+1)
	}
	if s.open = append(s.open, server); len(s.open) > s.most {
		i := s.oldest()
		go end(s.open[i]) // it waits for what the session still does
		s.open = slices.Delete(s.open, i, i+1)
	}
}

// oldest is the session that matters least: one that has ended, else the one that
// was used longest ago.
func (s *sessions) oldest() int {
	for i, server := range s.open[:len(s.open)-1] {
		if !running(server) {
			return i
		}
	}
	return 0
}

func running(server *sdk.Server) bool {
	for range server.Sessions() {
		return true
	}
	return false
}

func end(server *sdk.Server) {
	for session := range server.Sessions() {
		session.Close() // an error is the client's: nobody is left to be told
	}
}
