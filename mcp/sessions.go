package mcp

import (
	"context"
	"slices"
	"strings"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxSessions limits the open sessions of a memory over HTTP. Many clients never close a
// session. So a new session ends the one that was used longest ago: its client gets "404", and
// begins another one.
const maxSessions = 256

// sessions holds the servers of the sessions over HTTP, with the last used one at the end. It
// is safe for concurrent use.
type sessions struct {
	most int

	mu   sync.Mutex
	open []*sdk.Server
}

// watch counts the session of a server from its initialize request on. The SDK ends a session
// that begins with another request after that request.
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

// use moves a server to the end. A new one may end another one.
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
		go end(s.open[i]) // it waits for requests of the session that still run
		s.open = slices.Delete(s.open, i, i+1)
	}
}

// oldest returns the index of the session to end: one that has ended, or else the one that was
// used longest ago.
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
		session.Close() // an error concerns only the client, which is gone
	}
}
