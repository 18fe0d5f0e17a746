package server

import (
	"context"
	"crypto/tls"
	"net"
	"sync"
)

// maxConnections is the maximum number of open connections.
const maxConnections = 512

// bounded is a listener with a maximum number of open connections. A new
// connection beyond the maximum replaces another one: the oldest without any
// request with a token, or else the oldest that waits for its next request. So
// a client that opens thousands of connections cannot keep others out.
type bounded struct {
	net.Listener
	most int

	mu   sync.Mutex
	open []*connection // oldest first
}

// connection is an open connection of a bounded listener.
type connection struct {
	net.Conn
	home    *bounded
	serving int  // requests with a token that are currently being answered
	known   bool // a request had a token
}

func boundedListener(l net.Listener, most int) *bounded { return &bounded{Listener: l, most: most} }

// Accept waits for the next connection.
func (b *bounded) Accept() (net.Conn, error) {
	for {
		conn, err := b.Listener.Accept()
		if err != nil {
			return nil, err
		}
		c := &connection{Conn: conn, home: b}
		if out := b.admit(c); out != nil {
			out.Close()
			if out == c {
				continue
			}
		}
		return c, nil
	}
}

// admit registers a connection and returns the connection to close, or nil if
// there is room.
func (b *bounded) admit(c *connection) (out *connection) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.open) >= b.most {
		for _, dispensable := range []func(*connection) bool{
			func(c *connection) bool { return !c.known },
			func(c *connection) bool { return c.serving == 0 },
			func(*connection) bool { return false },
		} {
			if out = b.oldest(dispensable); out != nil {
				break
			}
		}
		if out == nil {
			return c
		}
	}
	b.open = append(b.open, c)
	return out
}

func (b *bounded) oldest(is func(*connection) bool) *connection {
	for _, c := range b.open {
		if is(c) {
			return c
		}
	}
	return nil
}

// Close closes a connection and frees its place.
func (c *connection) Close() error {
	c.home.mu.Lock()
	for i, other := range c.home.open {
		if other == c {
			c.home.open = append(c.home.open[:i], c.home.open[i+1:]...)
			break
		}
	}
	c.home.mu.Unlock()
	return c.Conn.Close()
}

type connectionKey struct{}

// withConnection is used as http.Server.ConnContext.
func withConnection(ctx context.Context, conn net.Conn) context.Context {
	if secure, ok := conn.(*tls.Conn); ok {
		conn = secure.NetConn()
	}
	return context.WithValue(ctx, connectionKey{}, conn)
}

// markServing records that a request with a token begins or ends on the
// connection of ctx.
func markServing(ctx context.Context, begins bool) {
	c, ok := ctx.Value(connectionKey{}).(*connection)
	if !ok {
		return
	}
	c.home.mu.Lock()
	defer c.home.mu.Unlock()
	if c.serving--; begins {
		c.serving, c.known = c.serving+2, true
	}
}
