// Package fsmonitor asks git's built-in file system monitor (git-fsmonitor--daemon(1))
// which paths of a work tree have moved.
//
// Guarantees: it starts no program and no daemon, and waits for a second at most. It
// connects to nothing but a socket in the git directory, and sends nothing but a token of
// the form that git's daemon gives: an index that somebody else made cannot speak to
// another server through it.
//
// Not guaranteed: the daemon answers for what the system told it, as it does for git
// status; a write through a memory map, or through a link from outside the work tree, is
// not among that. Its socket is not found where git puts it elsewhere (fsmonitor.socketDir
// and network file systems), where its path is too long for the system, and on Windows,
// where it is a pipe.
package fsmonitor

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"
)

// patience is how long the daemon may take. It answers once the system has told it of a
// file that it writes for each question: in milliseconds.
const patience = time.Second

// tokens are what the daemon names a moment by.
var tokens = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^builtin:[0-9A-Za-z._-]{1,100}:[0-9]{1,20}$`) })

// Moved returns the paths that may have changed since the daemon gave a token, relative
// to the work tree and '/'-separated; one may be a folder with all below it, with or
// without '/' at its end. known is false where there is no daemon, where it lost track,
// and where it does not answer.
func Moved(ctx context.Context, gitDir, token string) (paths []string, known bool) {
	socket := filepath.Join(gitDir, "fsmonitor--daemon.ipc")
	info, err := os.Lstat(socket)
	if err != nil || info.Mode().Type() != os.ModeSocket || !tokens().MatchString(token) {
		return nil, false
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	conn, err := new(net.Dialer).DialContext(ctx, "unix", socket)
	if err != nil {
		return nil, false
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	if _, err := fmt.Fprintf(conn, "%04x%s0000", len(token)+4, token); err != nil {
		return nil, false
	}
	answer, err := readPackets(conn)
	if err != nil {
		return nil, false
	}
	return parseAnswer(answer)
}

// parseAnswer reads a new token and the paths, each ended by NUL. The path "/" says that
// the daemon does not know.
func parseAnswer(answer []byte) (paths []string, known bool) {
	text, ended := strings.CutSuffix(string(answer), "\x00")
	fields := strings.Split(text, "\x00")
	if !ended || !tokens().MatchString(fields[0]) {
		return nil, false
	}
	for _, path := range fields[1:] {
		if path == "" || path[0] == '/' {
			return nil, false
		}
	}
	return fields[1:], true
}
