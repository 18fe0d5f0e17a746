package server

import (
	"context"
	"crypto/tls"
	"net"
	"sync"
)

// MaxConnections is how many connections are open at once.
const MaxConnections = 512

// bounded is a listener whose open connections are few. One that comes when
// they are all taken gets the place of another: of one whose requests never
// had a token, else of one that waits for its next request, the oldest first.
// So whoever opens thousands of them keeps nobody out.
type bounded struct {
	net.Listener
	most int

	mu   sync.Mutex
	open []*connection // the oldest first
}

// connection is one of them.
type connection struct {
	net.Conn
	home    *bounded
	serving int  // requests with a token that are answered just now
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

// admit notes a connection, and returns the one that has to go; nil where
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

// Close ends a connection and gives its place free.
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

// withConnection is for http.Server.ConnContext.
func withConnection(ctx context.Context, conn net.Conn) context.Context {
	if secure, ok := conn.(*tls.Conn); ok {
		conn = secure.NetConn()
	}
	return context.WithValue(ctx, connectionKey{}, conn)
}

// markServing notes that a request with a token begins or ends on the
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
