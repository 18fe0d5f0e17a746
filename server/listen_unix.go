//go:build unix

package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"agentflow/app"
)

func isTaken(err error) bool { return errors.Is(err, syscall.EADDRINUSE) }

// ListenSocket listens on a Unix socket that only the user can use. It replaces
// a socket on which no process listens any more.
func ListenSocket(ctx context.Context, path string) (net.Listener, error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, fmt.Errorf("serving memory: %w", err)
	case info.Mode().Type() != fs.ModeSocket:
		return nil, &app.Error{Kind: app.KindRefused, Err: fmt.Errorf("serving memory: %s is there, and is no socket", path), Hint: "name another path"}
	default:
		if conn, err := net.DialTimeout("unix", path, time.Second); err == nil {
			conn.Close()
			return nil, &app.Error{Kind: app.KindRefused, Err: fmt.Errorf("serving memory: another program listens on %s", path), Hint: "name another path"}
		}
		if err := os.Remove(path); err != nil {
			return nil, fmt.Errorf("serving memory: %w", err)
		}
	}
	// The umask belongs to the whole process, so the socket is created in a new
	// private folder and then moved: no other user can connect before its mode
	// is set.
	dir, err := os.MkdirTemp(filepath.Dir(path), ".s")
	if err != nil {
		return nil, fmt.Errorf("serving memory: %w", err)
	}
	defer os.RemoveAll(dir)
	l, err := (&net.ListenConfig{}).Listen(ctx, "unix", dir+"/s")
	if err != nil {
		return nil, &app.Error{Kind: app.KindUnavailable, Err: fmt.Errorf("serving memory: %w", err)}
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	err = os.Chmod(dir+"/s", 0o600)
	if err == nil {
		err = os.Rename(dir+"/s", path)
	}
	if err != nil {
		l.Close()
		return nil, fmt.Errorf("serving memory: %w", err)
	}
	return &socket{l, path}, nil
}

// socket removes its file when it is closed.
type socket struct {
	net.Listener
	path string
}

func (s *socket) Close() error { return errors.Join(s.Listener.Close(), os.Remove(s.path)) }
