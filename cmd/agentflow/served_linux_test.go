package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// served is a running serve, and the way to it.
type served struct {
	l       *lab
	cmd     *exec.Cmd
	url     string
	token   string
	started time.Duration // from its start until it listens
}

// serving starts serve on a free port.
func (l *lab) serving(args ...string) *served {
	l.T.Helper()
	s := &served{l: l, cmd: l.Command(append([]string{"serve", "--addr", "127.0.0.1:0"}, args...)...)}
	out, err := s.cmd.StderrPipe()
	if err != nil {
		l.T.Fatal(err)
	}
	began := time.Now()
	if err := s.cmd.Start(); err != nil {
		l.T.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if s.url = address.FindString(lines.Text()); s.url != "" {
			break
		}
	}
	s.started = time.Since(began)
	go func() { _, _ = io.Copy(io.Discard, out) }()
	token, err := os.ReadFile(filepath.Join(l.Home, "state/agentflow/serve-token"))
	if err != nil || s.url == "" {
		l.T.Fatalf("serve does not listen: %v", err)
	}
	s.token = strings.TrimSpace(string(token))
	return s
}

// kill ends it as a crash would.
func (s *served) kill() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

// ask sends one request. The error reports that there was no whole answer.
func (s *served) ask(method, path string, body any) (status int, text []byte, err error) {
	data, err := json.Marshal(body)
	if err != nil {
		return 0, nil, err
	}
	r, err := http.NewRequest(method, s.url+path, bytes.NewReader(data))
	if err != nil {
		return 0, nil, err
	}
	r.Header.Set("Authorization", "Bearer "+s.token)
	r.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer res.Body.Close()
	text, err = io.ReadAll(res.Body)
	return res.StatusCode, text, err
}
