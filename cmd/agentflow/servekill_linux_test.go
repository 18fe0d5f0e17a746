package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
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

// ask is one request; the error says that there was no whole answer.
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

// TestKilledServerKeepsWhatItAcknowledged ends serve with SIGKILL while four
// programs store, change and delete facts and write notes: what was
// acknowledged is there, once, and what was deleted stays away.
// AGENTFLOW_KILLS sets how often; AGENTFLOW_SEED repeats a sequence of moments.
func TestKilledServerKeepsWhatItAcknowledged(t *testing.T) {
	kills := number(t, "AGENTFLOW_KILLS", 5)
	random := rand.New(rand.NewPCG(seed(t), 1))
	l := newLab(t, "")
	l.Agentflow("init")
	acknowledged := map[string]string{} // what holds → "": each text once
	gone := map[string]bool{}
	for round := range kills {
		s := l.serving()
		time.AfterFunc(upTo(random, 400*time.Millisecond), func() { _ = s.cmd.Process.Kill() })
		var mu sync.Mutex
		var writers sync.WaitGroup
		for w := range 4 {
			writers.Go(func() { s.writeUntilKilled(round, w, &mu, acknowledged, gone) })
		}
		writers.Wait()
		s.kill()
	}
	var text strings.Builder
	l.Agentflow("status")
	err := filepath.WalkDir(filepath.Join(l.Repo, ".agentflow/memory"), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		text.Write(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for fact := range acknowledged {
		if n := strings.Count(text.String(), fact); n != 1 {
			t.Errorf("%q was acknowledged, and stands there %d times", fact, n)
		}
	}
	for fact := range gone {
		if strings.Contains(text.String(), fact) {
			t.Errorf("%q was deleted or changed, and is there", fact)
		}
	}
	if len(acknowledged) < kills || len(gone) == 0 {
		t.Errorf("%d were acknowledged in %d rounds, %d deleted or changed", len(acknowledged), kills, len(gone))
	}
	t.Logf("%d kills, %d texts acknowledged, %d deleted or changed", kills, len(acknowledged), len(gone))
}

// writeUntilKilled stores a fact, then leaves it, changes it or deletes it,
// and writes a note, again and again until the server is gone.
func (s *served) writeUntilKilled(round, writer int, mu *sync.Mutex, acknowledged map[string]string, gone map[string]bool) {
	note := func(set func()) { mu.Lock(); defer mu.Unlock(); set() }
	for n := 0; ; n++ {
		text := fmt.Sprintf("Fact %d of writer %d in round %d is kept.", n, writer, round)
		status, answer, err := s.ask("POST", "/api/v1/memory/facts", map[string]string{"text": text})
		if err != nil || status != http.StatusOK {
			return
		}
		note(func() { acknowledged[text] = "" })
		var fact struct{ ID string }
		if err := json.Unmarshal(answer, &fact); err != nil {
			return
		}
		switch n % 4 {
		case 1:
			note(func() { delete(acknowledged, text) }) // nobody knows whether it is there, if this is cut short
			changed := strings.Replace(text, "kept", "changed", 1)
			if status, _, err := s.ask("PATCH", "/api/v1/memory/facts/"+fact.ID, map[string]string{"text": changed}); err != nil || status != http.StatusOK {
				return
			}
			note(func() { acknowledged[changed], gone[text] = "", true })
		case 2:
			note(func() { delete(acknowledged, text) })
			if status, _, err := s.ask("DELETE", "/api/v1/memory/facts/"+fact.ID, struct{}{}); err != nil || status != http.StatusOK {
				return
			}
			note(func() { gone[text] = true })
		case 3:
			line := fmt.Sprintf("Note %d of writer %d in round %d.", n, writer, round)
			command := map[string]string{"command": "create", "path": fmt.Sprintf("/memories/r%d-w%d-%d.md", round, writer, n), "file_text": line + "\n"}
			if status, _, err := s.ask("POST", fmt.Sprintf("/api/v1/memory/tool?agent=test&session=%d-%d-%d", round, writer, n), command); err != nil || status != http.StatusOK {
				return
			}
			note(func() { acknowledged[line] = "" })
		}
	}
}
