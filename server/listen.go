package server

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"agentflow/app"
)

// DefaultAddr is the default address of a server.
const DefaultAddr = "127.0.0.1:6767"

// headerWait is how long the headers of a request may take.
const headerWait = 5 * time.Second

// endWait is how long requests may continue after the server's end.
const endWait = 500 * time.Millisecond

// Listen listens on an address of this machine: a loopback IP address, or
// localhost, and a port; 0 means a free port.
func Listen(ctx context.Context, addr string) (net.Listener, error) {
	addr, err := loopback(addr)
	if err != nil {
		return nil, err
	}
	return listen(ctx, addr)
}

// listen listens on an address.
func listen(ctx context.Context, addr string) (net.Listener, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if isTaken(err) {
		return nil, &app.Error{Kind: app.KindRefused, Err: fmt.Errorf("serving memory: another program listens on %s", addr),
			Hint: "--addr 127.0.0.1:0 takes a free port; where it is another 'agentflow serve', --link prints a link to it"}
	}
	if err != nil {
		return nil, &app.Error{Kind: app.KindUnavailable, Err: fmt.Errorf("serving memory: %w", err)}
	}
	return l, nil
}

// loopback returns an address with its host as a loopback IP address, or an
// error if it is not one.
func loopback(addr string) (string, error) {
	bad := func(why string) error {
		return &app.Error{Kind: app.KindUsage, Err: fmt.Errorf("address %q: %s", addr, why),
			Hint: "serve listens only on this machine: 127.0.0.1:6767, [::1]:6767"}
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "", bad("want HOST:PORT")
	}
	if strings.EqualFold(host, "localhost") {
		host = "127.0.0.1"
	}
	ip, err := netip.ParseAddr(host)
	if err != nil || ip.Zone() != "" {
		return "", bad("want an IP address")
	}
	if !ip.Unmap().IsLoopback() {
		return "", bad("others could reach it")
	}
	if n, err := net.LookupPort("tcp", port); err != nil || n > 65535 {
		return "", bad("want a port from 0 to 65535")
	}
	return net.JoinHostPort(ip.Unmap().String(), port), nil
}

// Serve answers the requests to a listener with h until ctx ends, which is its
// normal end. It closes the listener.
func Serve(ctx context.Context, l net.Listener, h http.Handler) error {
	return serve(ctx, l, h, nil)
}

// serve is Serve, over TLS if secure is not nil.
func serve(ctx context.Context, l net.Listener, h http.Handler, secure *tls.Config) error {
	server := &http.Server{Handler: h, ReadHeaderTimeout: headerWait, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10, DisableGeneralOptionsHandler: true,
		ConnContext: withConnection, TLSConfig: secure, ErrorLog: log.New(io.Discard, "", 0)}
	over := make(chan error, 1)
	l = boundedListener(l, maxConnections)
	go func() {
		if secure != nil {
			over <- server.ServeTLS(l, "", "")
		} else {
			over <- server.Serve(l)
		}
	}()
	select {
	case err := <-over:
		return fmt.Errorf("serving memory: %w", err)
	case <-ctx.Done():
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), endWait)
	defer cancel()
	if err := server.Shutdown(ending); errors.Is(err, context.DeadlineExceeded) {
		return server.Close()
	} else if err != nil {
		return fmt.Errorf("ending: %w", err)
	}
	return nil
}
