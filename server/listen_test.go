package server

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"agentflow/app"
)

// listening is a house that answers on a separate port.
type listening struct {
	*house
	url, addr string
	end       func() error // of the server, waited for
}

func newListening(t *testing.T, change ...func(*Options)) *listening {
	t.Helper()
	l, err := Listen(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	h := newHouse(t, append(change, func(o *Options) { o.Addr = addr })...)
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan error, 1)
	go func() { over <- Serve(ctx, l, h.server) }()
	end := func() error { cancel(); return <-over }
	t.Cleanup(cancel)
	return &listening{h, "http://" + addr, addr, end}
}

// ask asks over the network, as a program does.
func (l *listening) ask(method, target, body string) (int, string) {
	l.t.Helper()
	r, err := http.NewRequestWithContext(l.t.Context(), method, l.url+target, strings.NewReader(body))
	if err != nil {
		l.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+testToken)
	r.Header.Set("Content-Type", "application/json")
	client := &http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(r)
	if err != nil {
		l.t.Error(err)
		return 0, ""
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		l.t.Error(err)
	}
	return res.StatusCode, string(text)
}

// raw sends bytes and returns the first line of the response.
func (l *listening) raw(text string) string {
	l.t.Helper()
	conn, err := net.Dial("tcp", l.addr)
	if err != nil {
		l.t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(30 * time.Second)); err != nil {
		l.t.Fatal(err)
	}
	if _, err := io.WriteString(conn, text); err != nil {
		return ""
	}
	line, _ := bufio.NewReader(conn).ReadString('\n')
	return strings.TrimSpace(line)
}

func TestOnlyThisMachine(t *testing.T) {
	for addr, want := range map[string]bool{
		"127.0.0.1:0": true, "localhost:0": true, "127.0.0.2:0": runtime.GOOS == "linux", "[::ffff:127.0.0.1]:0": true,
		"0.0.0.0:0": false, ":0": false, "[::]:0": false, "192.168.1.1:0": false, "example.org:0": false, "127.0.0.1": false, "127.0.0.1:x": false, "127.1:0": false,
		"127.0.0.1.evil.example:0": false, "[fe80::1%lo]:0": false, "127.0.0.1:99999": false, "[::ffff:10.0.0.1]:0": false, "2130706433:0": false,
	} {
		l, err := Listen(t.Context(), addr)
		if l != nil {
			l.Close()
		}
		if (err == nil) != want && (want || app.AsError(err).Kind != app.KindUnavailable) {
			t.Errorf("%s: %v", addr, err)
		}
		if err != nil && app.AsError(err).Kind == app.KindUsage && app.AsError(err).Hint == "" {
			t.Errorf("%s has no hint", addr)
		}
	}
}

func TestAPortInUseIsSaid(t *testing.T) {
	l, err := Listen(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, err = Listen(t.Context(), l.Addr().String())
	if known := app.AsError(err); known == nil || known.Kind != app.KindRefused || !strings.Contains(known.Hint, "--addr") {
		t.Errorf("%v", err)
	}
}

func TestSocket(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are none")
	}
	dir, err := os.MkdirTemp("", "s") // the names of sockets are short
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "s")
	l, err := ListenSocket(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if _, err := ListenSocket(t.Context(), path); app.AsError(err) == nil || app.AsError(err).Kind != app.KindRefused {
		t.Errorf("a second listener: %v", err)
	}
	h := newHouse(t, func(o *Options) { o.Addr = "" })
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan error, 1)
	go func() { over <- Serve(ctx, l, h.server) }()
	client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", path)
	}}}
	for token, want := range map[string]int{testToken: 200, "": 401} {
		r, _ := http.NewRequestWithContext(t.Context(), "GET", "http://localhost"+base+"/repositories", nil)
		r.Header.Set("Authorization", "Bearer "+token)
		res, err := client.Do(r)
		if err != nil || res.StatusCode != want {
			t.Errorf("%v, %v", res, err)
		}
		res.Body.Close()
	}
	cancel()
	if err := <-over; err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket stays: %v", err)
	}
	stale, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	stale.(*net.UnixListener).SetUnlinkOnClose(false)
	stale.Close()
	l, err = ListenSocket(t.Context(), path)
	if err != nil {
		t.Fatalf("a stale socket is not replaced: %v", err)
	}
	l.Close()
	if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ListenSocket(t.Context(), path); err == nil {
		t.Error("a file was replaced")
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".s*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestRawRequests sends bytes that no HTTP client sends.
func TestRawRequests(t *testing.T) {
	l := newListening(t)
	token := "Authorization: Bearer " + testToken + "\r\n"
	hostLine := "Host: " + l.addr + "\r\n"
	for name, c := range map[string]struct{ text, want string }{
		"a good one":              {"GET /api/v1/repositories HTTP/1.1\r\n" + hostLine + token + "\r\n", "200"},
		"two hosts":               {"GET /api/v1/repositories HTTP/1.1\r\n" + hostLine + "Host: evil.example\r\n" + token + "\r\n", "400"},
		"no host":                 {"GET /api/v1/repositories HTTP/1.1\r\n" + token + "\r\n", "400"},
		"host in the target":      {"GET http://evil.example/api/v1/repositories HTTP/1.1\r\n" + hostLine + token + "\r\n", "403"},
		"HTTP/1.0 without host":   {"GET /api/v1/repositories HTTP/1.0\r\n" + token + "\r\n", "403"},
		"length and chunks":       {"POST /api/v1/sync HTTP/1.1\r\n" + hostLine + token + "Content-Type: application/json\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "4"},
		"two lengths":             {"POST /api/v1/sync HTTP/1.1\r\n" + hostLine + token + "Content-Type: application/json\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n", "400"},
		"space in a header":       {"GET /api/v1/repositories HTTP/1.1\r\n" + hostLine + "Authorization : Bearer " + testToken + "\r\n\r\n", "400"},
		"header with a newline":   {"GET /api/v1/repositories HTTP/1.1\r\n" + hostLine + "X: a\n\tb\x00\r\n" + token + "\r\n", "400"},
		"long header":             {"GET /api/v1/repositories HTTP/1.1\r\n" + hostLine + "X: " + strings.Repeat("a", 64<<10) + "\r\n" + token + "\r\n", "431"},
		"raw dots":                {"GET /api/v1/memory/files/memory/../../config.toml HTTP/1.1\r\n" + hostLine + token + "\r\n", "400"},
		"no HTTP":                 {"\x16\x03\x01\x00\x00\r\n\r\n", "400"},
		"HTTP/2 without TLS":      {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "4"},
		"star":                    {"OPTIONS * HTTP/1.1\r\n" + hostLine + token + "\r\n", "40"},
		"upgrade":                 {"GET /api/v1/nothing HTTP/1.1\r\n" + hostLine + token + "Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n", "404"},
		"body promised, too long": {"POST /api/v1/sync HTTP/1.1\r\n" + hostLine + token + "Content-Type: application/json\r\nContent-Length: 99999999\r\n\r\n", "413"},
	} {
		if got := l.raw(c.text); !strings.Contains(got, " "+c.want) {
			t.Errorf("%s: %q, want %s", name, got, c.want)
		}
	}
}

// TestTenThousandConnections checks that clients that open connections and send
// nothing, or never end their first lines, keep no other client out, and that
// the resources they hold are bounded.
func TestTenThousandConnections(t *testing.T) {
	l := newListening(t)
	if code, text := l.ask("POST", facts, `{"text":"It is answered."}`); code != 200 {
		t.Fatal(code, text)
	}
	open := number(t, 10_000)
	var held []net.Conn
	defer func() {
		for _, c := range held {
			c.Close()
		}
	}()
	for i := range open {
		conn, err := net.Dial("tcp", l.addr)
		if err != nil {
			t.Fatalf("connection %d: %v", i, err)
		}
		held = append(held, conn)
		if i%2 == 0 {
			fmt.Fprintf(conn, "GET /api/v1/status HTTP/1.1\r\nHost: %s\r\nX-Slow: ", l.addr)
		}
		if i%1000 == 999 {
			began := time.Now()
			if code, text := l.ask("GET", facts, ""); code != 200 || !strings.Contains(text, "It is answered.") {
				t.Fatalf("beside %d connections: %d %s", i+1, code, text)
			}
			if took := time.Since(began); took > 5*time.Second {
				t.Errorf("beside %d connections an answer took %v", i+1, took)
			}
		}
	}
	if n := runtime.NumGoroutine(); n > 4*maxConnections {
		t.Errorf("%d goroutines", n)
	}
}

// number returns how many connections this process can hold.
func number(t *testing.T, want int) int {
	t.Helper()
	if runtime.GOOS != "linux" {
		return min(want, 1000) // the limit of open files is lower there
	}
	return want
}

// TestSlowBodies checks that a body that never arrives blocks only its
// connection, and only for a limited time.
func TestSlowBodies(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for the body as long as the server does")
	}
	t.Parallel()
	l := newListening(t)
	began := time.Now()
	line := l.raw("POST " + facts + " HTTP/1.1\r\nHost: " + l.addr + "\r\nAuthorization: Bearer " + testToken + "\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"text\":")
	if took := time.Since(began); !strings.Contains(line, "408") || took < bodyWait || took > bodyWait+10*time.Second {
		t.Errorf("%q after %v", line, took)
	}
}

func TestSlowHeaders(t *testing.T) {
	t.Parallel()
	l := newListening(t)
	began := time.Now()
	line := l.raw("GET " + facts + " HTTP/1.1\r\nHost: " + l.addr + "\r\nX: ")
	if took := time.Since(began); line != "" && !strings.Contains(line, "408") || took > headerWait+10*time.Second {
		t.Errorf("%q after %v", line, took)
	}
}

// TestTheEndIsSoon checks that the server ends although a request is in
// progress, and releases its port.
func TestTheEndIsSoon(t *testing.T) {
	began := make(chan struct{})
	l := newListening(t, func(o *Options) {
		o.Page = http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			close(began)
			<-r.Context().Done()
		})
	})
	go func() {
		r, _ := http.NewRequest("GET", l.url+"/", nil)
		r.Header.Set("Authorization", "Bearer "+testToken)
		if res, err := http.DefaultClient.Do(r); err == nil {
			res.Body.Close()
		}
	}()
	<-began
	at := time.Now()
	if err := l.end(); err != nil {
		t.Error(err)
	}
	if took := time.Since(at); took > 2*time.Second {
		t.Errorf("the end took %v", took)
	}
	again, err := Listen(t.Context(), l.addr)
	if err != nil {
		t.Fatal(err)
	}
	again.Close()
}
