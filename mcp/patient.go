package mcp

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// patient is a transport that reports the end of the input, or an error of reading it, only
// when all requests have been answered. The SDK ends its handlers at the end of the input, and
// the answer to a request right before it is lost
// (https://github.com/modelcontextprotocol/go-sdk/issues/1061).
type patient struct{ sdk.Transport }

// maxPatience limits the wait for answers at the end.
const maxPatience = 30 * time.Second

// Connect implements sdk.Transport.
func (p *patient) Connect(ctx context.Context) (sdk.Connection, error) {
	c, err := p.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &patientConnection{Connection: c, open: map[any]bool{}, closed: make(chan struct{})}, nil
}

type patientConnection struct {
	sdk.Connection
	mu      sync.Mutex
	open    map[any]bool  // ids of the open requests
	settled chan struct{} // closed when no request is open; nil until the input has ended
	closed  chan struct{}
	once    sync.Once
}

// Read implements sdk.Connection.
func (c *patientConnection) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := c.Connection.Read(ctx)
	if err != nil {
		c.await(ctx)
	}
	if r, ok := m.(*jsonrpc.Request); ok && err == nil {
		c.asked(r)
	}
	return m, err
}

// Write implements sdk.Connection.
func (c *patientConnection) Write(ctx context.Context, m jsonrpc.Message) error {
	err := c.Connection.Write(ctx, m)
	if r, ok := m.(*jsonrpc.Response); ok {
		c.done(r.ID.Raw())
	}
	return err
}

// Close implements sdk.Connection.
func (c *patientConnection) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.Connection.Close()
}

func (c *patientConnection) asked(r *jsonrpc.Request) {
	if r.IsCall() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.open[r.ID.Raw()] = true
		return
	}
	var cancelled struct {
		RequestID any `json:"requestId"`
	}
	if r.Method == "notifications/cancelled" && json.Unmarshal(r.Params, &cancelled) == nil {
		if id, err := jsonrpc.MakeID(cancelled.RequestID); err == nil {
			c.done(id.Raw()) // no answer follows
		}
	}
}

func (c *patientConnection) done(id any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.open, id)
	if c.settled != nil && len(c.open) == 0 {
		close(c.settled)
		c.settled = nil
	}
}

// await waits until no request is open.
func (c *patientConnection) await(ctx context.Context) {
	c.mu.Lock()
	settled := make(chan struct{})
	if len(c.open) == 0 {
		c.mu.Unlock()
		return
	}
	c.settled = settled
	c.mu.Unlock()
	enough := time.NewTimer(maxPatience)
	defer enough.Stop()
	select {
	case <-settled:
	case <-c.closed:
	case <-ctx.Done():
	case <-enough.C:
	}
}
