package server

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strings"
	"sync"

	"agentflow/app"
)

// StartedTeam is a server for a team, with its listener.
type StartedTeam struct {
	URL      string // "https://memory.example.com:6767"
	listener net.Listener
	server   *Server
	tls      *tls.Config // nil if there is none, or if a proxy does it
}

// StartTeam listens, but does not answer yet. An address that others can reach
// requires TLS, or a proxy that does it. Errors are of KindUsage, KindRefused
// (another process listens there) and KindUnavailable.
func StartTeam(ctx context.Context, addr string, options Options) (*StartedTeam, error) {
	c := options.Team.Settings
	if (c.Cert == "") != (c.Key == "") {
		return nil, &app.Error{Kind: app.KindUsage, Err: errors.New("of cert and key in [team] one is missing"), Hint: "both name PEM files"}
	}
	if err := checkTeamAddr(addr, c.Cert != "" || c.Proxy, len(c.Hosts) > 0); err != nil {
		return nil, err
	}
	options.Repositories = options.Team.Repositories
	s := &StartedTeam{}
	if c.Cert != "" {
		files := &certificate{cert: c.Cert, key: c.Key}
		if _, err := files.current(nil); err != nil {
			return nil, err
		}
		s.tls = &tls.Config{GetCertificate: files.current, MinVersion: tls.VersionTLS12}
	}
	var err error
	if s.server, err = New(ctx, options); err != nil {
		return nil, err
	}
	if s.listener, err = listen(ctx, addr); err != nil {
		return nil, err
	}
	host, port, _ := net.SplitHostPort(s.listener.Addr().String()) // it has a host and a port
	scheme := "http"
	if s.tls != nil {
		scheme = "https"
	}
	if len(c.Hosts) > 0 && s.tls != nil {
		host = c.Hosts[0]
	}
	s.URL = scheme + "://" + net.JoinHostPort(host, port)
	if s.tls != nil && port == "443" {
		s.URL = strings.TrimSuffix(s.URL, ":443")
	}
	return s, nil
}

// checkTeamAddr returns an error if a team's server may not listen on an
// address.
func checkTeamAddr(addr string, safe, named bool) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return &app.Error{Kind: app.KindUsage, Err: fmt.Errorf("address %q: want HOST:PORT", addr)}
	}
	ip, err := netip.ParseAddr(host)
	switch local := host == "localhost" || err == nil && ip.Unmap().IsLoopback(); {
	case local && !safe:
		return nil
	case !safe:
		return &app.Error{Kind: app.KindUsage, Err: fmt.Errorf("address %q: others could reach it, and tokens would travel in the clear", addr),
			Hint: "set cert and key in [team], or proxy = true behind a proxy that does TLS"}
	case !named:
		return &app.Error{Kind: app.KindUsage, Err: errors.New("a team's server needs to know by which names it is asked"), Hint: `set hosts in [team], such as ["memory.example.com"]`}
	}
	return nil
}

// Serve answers until ctx ends, which is its normal end, and keeps the memories
// up to date with their remotes. It reports problems with that to warn.
func (s *StartedTeam) Serve(ctx context.Context, warn func(format string, args ...any)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var beside sync.WaitGroup
	beside.Go(func() { s.server.options.Team.Follow(ctx, warn) })
	err := serve(ctx, s.listener, s.server, s.tls)
	cancel()
	beside.Wait()
	return err
}

// certificate is a TLS certificate in files that are reloaded when they change.
// It is safe for concurrent use.
type certificate struct {
	cert, key string

	mu   sync.Mutex
	read string // times and sizes of the files when they were read
	now  *tls.Certificate
}

// current is used in tls.Config. If the files cannot be read because they are
// being replaced, it returns the previous certificate.
func (c *certificate) current(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	files := ""
	for _, name := range []string{c.cert, c.key} {
		if info, err := os.Stat(name); err == nil {
			files += fmt.Sprintln(info.ModTime(), info.Size())
		}
	}
	if c.now != nil && files == c.read {
		return c.now, nil
	}
	loaded, err := tls.LoadX509KeyPair(c.cert, c.key)
	if err != nil && c.now == nil {
		return nil, &app.Error{Kind: app.KindUsage, Err: fmt.Errorf("reading the TLS certificate: %w", err), Hint: "cert and key in [team] name PEM files"}
	}
	if err == nil {
		c.now, c.read = &loaded, files
	}
	return c.now, nil
}
