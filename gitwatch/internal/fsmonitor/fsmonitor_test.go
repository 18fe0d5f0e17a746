package fsmonitor

import (
	"bytes"
	"context"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"agentflow/internal/testing/gittest"
)

const token = "builtin:0.17.20261124T000510.1Z:3"

// daemon starts a server that answers each question with the same bytes, and reports the questions.
func daemon(t *testing.T, answer string) (dir string, asked chan string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("git's daemon listens at a pipe there")
	}
	dir, err := os.MkdirTemp("", "m") // a socket's path is short
	gittest.Must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	l, err := net.Listen("unix", filepath.Join(dir, "fsmonitor--daemon.ipc"))
	gittest.Must(t, err)
	t.Cleanup(func() { _ = l.Close() })
	asked = make(chan string, 9)
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			question, _ := readPackets(conn)
			asked <- string(question)
			_, _ = io.WriteString(conn, answer)
			if answer == "" {
				_, _ = io.ReadAll(conn) // until the other side has had enough
			}
			_ = conn.Close()
		}
	}()
	return dir, asked
}

// packet is a pkt-line.
func packet(text string) string {
	const digits = "0123456789abcdef"
	n := len(text) + 4
	return string([]byte{digits[n>>12], digits[n>>8&15], digits[n>>4&15], digits[n&15]}) + text
}

func TestMoved(t *testing.T) {
	whole := token + "\x00a\x00dir/\x00"
	for name, c := range map[string]struct {
		answer, want string
		known        bool
	}{
		"paths":                 {packet(whole) + "0000", "a dir/", true},
		"in parts":              {packet(whole[:7]) + packet(whole[7:]) + "0000", "a dir/", true},
		"nothing moved":         {packet(token+"\x00") + "0000", "", true},
		"it does not know":      {packet(token+"\x00/\x00") + "0000", "", false},
		"cut off":               {packet(whole[:len(whole)-3]) + "0000", "", false},
		"without an end":        {packet(whole), "", false},
		"no token":              {packet("a\x00b\x00") + "0000", "", false},
		"empty":                 {"0000", "", false},
		"another protocol":      {"HTTP/1.1 400 Bad Request\r\n\r\n", "", false},
		"a packet too short":    {"0003", "", false},
		"an absolute path":      {packet(token+"\x00/etc\x00") + "0000", "", false},
		"an empty path":         {packet(token+"\x00\x00a\x00") + "0000", "", false},
		"no answer for a while": {"", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			dir, asked := daemon(t, c.answer)
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			if c.answer == "" {
				ctx, cancel = context.WithTimeout(t.Context(), 20*time.Millisecond)
			}
			defer cancel()
			paths, known := Moved(ctx, dir, token)
			if known != c.known || strings.Join(paths, " ") != c.want {
				t.Errorf("%q, %v", paths, known)
			}
			gittest.Want(t, "the question", <-asked, token)
		})
	}
}

// TestNotAsked checks the connections and the data that is sent: a repository from elsewhere cannot
// use it to talk to another server.
func TestNotAsked(t *testing.T) {
	dir, asked := daemon(t, packet(token+"\x00")+"0000")
	for _, other := range []string{"", "1", "quit", "flush", "builtin:a\nSET x:1", "builtin:a:1\n", "builtin:a", "builtin:" + strings.Repeat("a", 200) + ":1"} {
		if _, known := Moved(t.Context(), dir, other); known {
			t.Errorf("the token %q is sent", other)
		}
	}
	socket := filepath.Join(dir, "fsmonitor--daemon.ipc")
	for name, put := range map[string]func(string) error{
		"link":    func(at string) error { return os.Symlink(socket, at) },
		"file":    func(at string) error { return os.WriteFile(at, nil, 0o600) },
		"folder":  func(at string) error { return os.Mkdir(at, 0o700) },
		"nothing": func(string) error { return nil },
	} {
		other := t.TempDir()
		gittest.Must(t, put(filepath.Join(other, "fsmonitor--daemon.ipc")))
		if _, known := Moved(t.Context(), other, token); known {
			t.Errorf("a %s is asked", name)
		}
	}
	if len(asked) > 0 {
		t.Errorf("it was asked %q", <-asked)
	}
}

// FuzzAnswer reads what anything may send: no more than was sent is held.
func FuzzAnswer(f *testing.F) {
	f.Add([]byte(packet(token+"\x00a\x00dir/\x00") + "0000"))
	f.Add([]byte(packet(token+"\x00/\x00") + "0000"))
	f.Add([]byte("ffff0000"))
	f.Fuzz(func(t *testing.T, sent []byte) {
		answer, err := readPackets(bytes.NewReader(sent))
		if err != nil {
			return
		}
		if len(answer) > len(sent) {
			t.Fatalf("%d bytes of %d", len(answer), len(sent))
		}
		paths, known := parseAnswer(answer)
		for _, p := range paths {
			if p == "" || p[0] == '/' || strings.Contains(p, "\x00") || !known {
				t.Fatalf("%q, %v", p, known)
			}
		}
	})
}
