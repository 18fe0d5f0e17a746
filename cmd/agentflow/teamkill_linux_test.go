package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"agentflow/internal/testing/labtest"
	"agentflow/internal/testing/pgtest"
)

// teamLab is a team's remote, database and settings.
type teamLab struct {
	*lab
	database *pgtest.Server
	remote   string
	token    string
}

func newTeamLab(t testing.TB) *teamLab {
	t.Helper()
	w := &teamLab{lab: newLab(t, ""), database: pgtest.Started(t), remote: filepath.Join(t.TempDir(), "shop.git")}
	dsn, err := w.database.Database(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w.Env = append(w.Env, "AGENTFLOW_DSN="+dsn)
	w.Git("init", "-q", "--bare", w.remote)
	w.Settings(fmt.Sprintf("[team]\nremotes = [%q]\nrate = 10000\nburst = 100000\n", w.remote))
	w.token = strings.TrimSpace(w.Agentflow("serve", "token", "add", "Eve", "--write"))
	return w
}

// teamServer is a running serve --team.
type teamServer struct {
	cmd *exec.Cmd
	url string
}

func (w *teamLab) start() (*teamServer, error) {
	s := &teamServer{cmd: w.Command("serve", "--team", "--addr", "127.0.0.1:0")}
	out, err := s.cmd.StderrPipe()
	if err == nil {
		err = s.cmd.Start()
	}
	if err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(out)
	for s.url == "" && lines.Scan() {
		s.url = address.FindString(lines.Text())
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	if s.url == "" {
		return nil, errors.Join(errors.New("serve --team does not listen"), s.cmd.Wait())
	}
	return s, nil
}

func (s *teamServer) kill() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

// balancer leads requests to the servers that are there.
type balancer struct {
	token string

	mu      sync.Mutex
	servers []*teamServer
}

func (b *balancer) any() *teamServer {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.servers[rand.N(len(b.servers))]
}

// ask asks one server, once.
func (b *balancer) ask(ctx context.Context, path string, body any, out any) error {
	data, err := json.Marshal(body)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, b.any().url+path, bytes.NewReader(data))
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+b.token)
	r.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(res.Body)
		return fmt.Errorf("%d %s", res.StatusCode, text)
	}
	return json.NewDecoder(res.Body).Decode(out)
}

// store stores a fact, and repeats that until a server acknowledges it.
func (b *balancer) store(ctx context.Context, text string) error {
	for {
		var fact struct{ ID string }
		err := b.ask(ctx, "/api/v1/memory/facts", map[string]string{"text": text}, &fact)
		if err == nil || ctx.Err() != nil {
			return err
		}
		select {
		case <-time.After(20 * time.Millisecond): // as a client that asks again does
		case <-ctx.Done():
			return fmt.Errorf("%w; last: %w", ctx.Err(), err)
		}
	}
}

// finds reports whether a search finds a text. The error is of a server that does not answer.
func (b *balancer) finds(ctx context.Context, text string) (bool, error) {
	var found struct{ Hits []struct{ Text string } }
	err := b.ask(ctx, "/api/v1/memory/search", map[string]any{"query": text, "limit": 5}, &found)
	return slices.ContainsFunc(found.Hits, func(h struct{ Text string }) bool { return strings.Contains(h.Text, text) }), err
}

// load writes through a balancer until it is asked to end, and keeps the acknowledged facts.
type load struct {
	stored   []string
	mu       sync.Mutex
	searches atomic.Int64
	refused  atomic.Int64 // searches that got an error
}

// run has four clients write and two search for facts acknowledged more than settled ago.
func (l *load) run(t *testing.T, b *balancer, end <-chan struct{}, settled time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	var all sync.WaitGroup
	type known struct {
		text string
		at   time.Time
	}
	var times []known
	over := func() bool {
		select {
		case <-end:
			return true
		default:
			return false
		}
	}
	for client := range 4 {
		all.Go(func() {
			for n := 0; !over(); n++ {
				text := fmt.Sprintf("Client %d wrote rule %d.", client, n)
				if err := b.store(ctx, text); err != nil {
					t.Error(err)
					return
				}
				l.mu.Lock()
				l.stored = append(l.stored, text)
				times = append(times, known{text, time.Now()})
				l.mu.Unlock()
			}
		})
	}
	for range 2 {
		all.Go(func() {
			for !over() {
				l.mu.Lock()
				old := slices.DeleteFunc(slices.Clone(times), func(k known) bool { return time.Since(k.at) < settled })
				l.mu.Unlock()
				if len(old) == 0 {
					select { // there is nothing to search yet
					case <-end:
					case <-time.After(20 * time.Millisecond):
					}
					continue
				}
				k := old[rand.N(len(old))]
				found, err := b.finds(ctx, k.text)
				l.searches.Add(1)
				if err != nil {
					l.refused.Add(1)
				} else if !found {
					t.Errorf("a server answers without %q, which was acknowledged %v ago", k.text, time.Since(k.at))
				}
			}
		})
	}
	all.Wait()
}

// await waits for further writes.
func (l *load) await(t *testing.T, writes int) {
	t.Helper()
	count := func() int {
		l.mu.Lock()
		defer l.mu.Unlock()
		return len(l.stored)
	}
	was := count()
	labtest.Await(t, "writes", func() bool { return count() >= was+writes })
}

// once lists the stored facts that the remote's memory does not contain exactly once.
func (w *teamLab) once(stored []string) (odd []string) {
	w.T.Helper()
	tree := w.Git("--git-dir", w.remote, "grep", "-h", "-e", "^- Client", "refs/agentflow/memory")
	for _, text := range stored {
		if n := strings.Count(tree, "- "+text+" "); n != 1 {
			odd = append(odd, fmt.Sprintf("%q stands %d times", text, n))
		}
	}
	return odd
}

// TestKilledTeamServers kills two servers on one database in turn under
// load, and then the database. Each acknowledged fact is on the remote once, and no answer
// is wrong meanwhile. AGENTFLOW_TEAM_KILLS is how often a server is killed, each time after
// AGENTFLOW_TEAM_WRITES further writes.
func TestKilledTeamServers(t *testing.T) {
	w := newTeamLab(t)
	b := &balancer{token: w.token}
	for range 2 {
		s, err := w.start()
		if err != nil {
			t.Fatal(err)
		}
		b.servers = append(b.servers, s)
	}
	defer func() {
		for _, s := range b.servers {
			s.kill()
		}
	}()
	end := make(chan struct{})
	var l load
	var working sync.WaitGroup
	// Another server's write is found after its next read of the remote.
	working.Go(func() { l.run(t, b, end, 10*time.Second) })
	writes := number(t, "AGENTFLOW_TEAM_WRITES", 10)
	for n := range number(t, "AGENTFLOW_TEAM_KILLS", 4) {
		l.await(t, writes)
		b.servers[n%2].kill()
		s, err := w.start()
		if err != nil {
			t.Error(err)
			break
		}
		b.mu.Lock()
		b.servers[n%2] = s
		b.mu.Unlock()
	}
	if err := w.database.Kill(); err != nil {
		t.Fatal(err)
	}
	refused := l.refused.Load()
	labtest.Await(t, "a search without the database", func() bool { return l.refused.Load() > refused })
	if err := w.database.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	l.await(t, 8)
	close(end)
	working.Wait()
	t.Logf("%d facts, %d searches of which %d got an error", len(l.stored), l.searches.Load(), l.refused.Load())
	if odd := w.once(l.stored); len(odd) > 0 {
		t.Errorf("%d of %d facts: %s", len(odd), len(l.stored), strings.Join(odd[:min(5, len(odd))], ", "))
	}
}
