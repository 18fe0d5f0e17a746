// Package fsmonitor asks git's built-in file system monitor (git-fsmonitor--daemon(1)) which paths
// of a work tree have changed.
//
// Guarantees: it starts no program and no daemon, and waits for at most a second. It connects only
// to a socket in the git directory, and sends only a token of the form that git's daemon gives. An
// index from somewhere else cannot make it send anything else to another server.
//
// Not guaranteed: the daemon reports the changes that the system reported to it, as it does for git
// status. These do not include a write through a memory map, or through a link from outside the
// work tree. Its socket is not found if git puts it elsewhere (fsmonitor.socketDir and network file
// systems), if its path is too long for the system, and on Windows, where it is a pipe.
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

// patience limits the daemon's time. It writes a file for each question, and answers once
// the system has reported that file: in milliseconds.
const patience = time.Second

// tokens matches the names that the daemon gives to moments.
var tokens = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^builtin:[0-9A-Za-z._-]{1,100}:[0-9]{1,20}$`) })

// Moved returns the paths that may have changed since the daemon gave a token, relative to the work
// tree and '/'-separated. One may be a folder with everything below it, with or without '/' at its
// end. known is false if there is no daemon, if it lost track, and if it does not answer.
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

// parseAnswer reads a new token and the paths, each ended by NUL. The path "/" means that the
// daemon does not know.
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
