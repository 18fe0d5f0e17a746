package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"agentflow/app"
	"agentflow/app/daemon"
	"agentflow/app/open"
	"agentflow/memory"
)

// Place is where a server listens: on an address or on a Unix socket. Empty
// means the address from the settings.
type Place struct{ Addr, Socket string }

// Started is a server with its listener.
type Started struct {
	URL       string // "http://127.0.0.1:6767", or the path of the socket
	token     string
	tokenFile string
	listener  net.Listener
	server    *Server
	onSocket  bool
}

// Start listens, but does not answer yet. It sets Addr and Token of the
// options. Errors are of KindUsage, KindRefused (another process listens there)
// and KindUnavailable.
func Start(ctx context.Context, at Place, options Options) (s *Started, err error) {
	user, err := daemon.Serving(ctx, options.Repositories[0].Memory)
	if err != nil {
		return nil, err
	}
	s = &Started{tokenFile: user.TokenFile, onSocket: at.Socket != ""}
	if s.token, err = Token(user.TokenFile); err != nil {
		return nil, err
	}
	if s.onSocket {
		s.listener, err = ListenSocket(ctx, at.Socket)
		s.URL = at.Socket
	} else {
		s.listener, err = Listen(ctx, at.orSetting(user.Addr))
	}
	if err != nil {
		return nil, err
	}
	if options.Token = s.token; !s.onSocket {
		options.Addr = s.listener.Addr().String()
		s.URL = "http://" + options.Addr
	}
	if s.server, err = New(ctx, options); err != nil {
		return nil, errors.Join(err, s.listener.Close())
	}
	return s, nil
}

func (p Place) orSetting(addr string) string {
	if p.Addr != "" {
		return p.Addr
	}
	return addr
}

// Serve answers until ctx ends, which is its normal end. Meanwhile it keeps the
// memories' indexes up to date and runs their jobs, as configured by keep. It
// reports problems with that to warn.
func (s *Started) Serve(ctx context.Context, keep daemon.UpkeepRequest, warn func(format string, args ...any)) error {
	var beside sync.WaitGroup
	for _, r := range s.server.options.Repositories {
		beside.Go(func() {
			if _, err := daemon.Upkeep(ctx, r.Memory, keep); err != nil && ctx.Err() == nil {
				warn("%s: %v", r.Name, err)
			}
		})
	}
	err := Serve(ctx, s.listener, s.server)
	beside.Wait()
	return err
}

// Link returns a new one-time link to the page; empty for a socket, which
// browsers cannot open.
func (s *Started) Link() string {
	if s.onSocket {
		return ""
	}
	return Link(s.URL, s.token, time.Now())
}

// NewLink returns a one-time link to another running server of this user.
func NewLink(ctx context.Context, m *app.Memory, at Place) (string, error) {
	user, err := daemon.Serving(ctx, m)
	if err != nil {
		return "", err
	}
	addr, err := loopback(at.orSetting(user.Addr))
	if err != nil {
		return "", err
	}
	token, err := Token(user.TokenFile)
	if err != nil {
		return "", err
	}
	conn, err := (&net.Dialer{Timeout: time.Second}).DialContext(ctx, "tcp", addr)
	if err != nil {
		return "", &app.Error{Kind: app.KindUnavailable, Err: fmt.Errorf("no server listens on %s", addr), Hint: "'agentflow serve' does"}
	}
	conn.Close()
	return Link("http://"+addr, token, time.Now()), nil
}

// OpenBrowser opens the page. It passes the link in a file that only the user
// can read, because all users can read the arguments of programs.
func (s *Started) OpenBrowser() error {
	link := s.Link()
	if link == "" {
		return errors.New("no browser opens a socket")
	}
	file := filepath.Join(filepath.Dir(s.tokenFile), "serve-open.html")
	if err := os.Remove(file); err != nil && !os.IsNotExist(err) {
		return err
	}
	page := "<!doctype html><meta charset=\"utf-8\"><title>AgentFlow</title><meta http-equiv=\"refresh\" content=\"0; url=" + link + "\"><a href=\"" + link + "\">Open</a>\n"
	if err := os.WriteFile(file, []byte(page), 0o600); err != nil {
		return err
	}
	name, args := opener(runtime.GOOS)
	cmd := exec.Command(name, append(args, file)...)
	if err := cmd.Start(); err != nil {
		return err
	}
	go cmd.Wait() // it may last as long as the browser
	return nil
}

// opener returns the program that opens a file with the user's default
// application.
func opener(goos string) (name string, args []string) {
	switch goos {
	case "darwin":
		return "open", nil
	case "windows":
		return "rundll32", []string{"url.dll,FileProtocolHandler"}
	}
	return "xdg-open", nil
}

// Open opens the memories of folders, relative to dir or absolute, and names
// each after its folder. Without folders it uses the memory of dir, which is
// already open. Memories that are switched off are left out, and off has the
// reasons. It is an error if all are switched off.
func Open(ctx context.Context, dir string, here *app.Memory, folders []string, env app.Env) (list []Repository, off []error, err error) {
	taken := map[string]bool{}
	add := func(folder string, m *app.Memory) {
		if err := m.On(ctx); err != nil {
			off = append(off, err)
			return
		}
		base := memory.Clean(filepath.Base(folder))
		name := base
		for n := 2; taken[name]; n++ {
			name = fmt.Sprintf("%s-%d", base, n)
		}
		taken[name] = true
		list = append(list, Repository{Name: name, Memory: m})
	}
	if len(folders) == 0 {
		add(dir, here)
	}
	for _, folder := range folders {
		if !filepath.IsAbs(folder) {
			folder = filepath.Join(dir, folder)
		}
		if info, err := os.Stat(folder); err != nil || !info.IsDir() {
			return nil, nil, &app.Error{Kind: app.KindNotFound, Err: fmt.Errorf("there is no folder %s", folder)}
		}
		m, err := open.Open(ctx, folder, env)
		if err != nil {
			return nil, nil, err
		}
		add(folder, m)
	}
	if len(list) == 0 {
		return nil, nil, off[0]
	}
	return list, off, nil
}
