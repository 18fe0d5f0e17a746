//go:build linux || darwin

package proc_test

import (
	"bytes"
	"context"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"agentflow/internal/proc"
)

// roleVar makes the test binary play a program of a test instead of running
// tests; its value names the role.
const roleVar = "PROC_TEST_ROLE"

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVar); role != "" {
		os.Unsetenv(roleVar)
		os.Exit(play(role))
	}
	os.Exit(m.Run())
}

// playing returns the argv and environment of this binary in a role.
func playing(t *testing.T, role string) (argv, env []string) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return []string{exe}, append(os.Environ(), roleVar+"="+role)
}

// sink collects a stream and can be waited on.
type sink struct {
	mu    sync.Mutex
	buf   bytes.Buffer
	fresh chan struct{} // holds a token after each write
}

func newSink() *sink { return &sink{fresh: make(chan struct{}, 1)} }

func (s *sink) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case s.fresh <- struct{}{}:
	default:
	}
	return s.buf.Write(b)
}

func (s *sink) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.String()
}

// await waits until the stream holds text.
func (s *sink) await(t *testing.T, text string) {
	t.Helper()
	limit := time.After(30 * time.Second)
	for !strings.Contains(s.String(), text) {
		select {
		case <-s.fresh:
		case <-limit:
			t.Fatalf("no %q in the output: %q", text, s.String())
		}
	}
}

// eventually waits until the condition holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	limit := time.After(30 * time.Second)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-limit:
			t.Fatalf("still not true: %s", what)
		}
	}
}

func start(t *testing.T, spec proc.Spec) *proc.Process {
	t.Helper()
	p, err := proc.Start(spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
		cancel()
		p.End(ctx)
	})
	return p
}

func wait(t *testing.T, p *proc.Process) proc.Exit {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	exit, err := p.Wait(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return exit
}

// tag returns a tag that no other test and no other test process uses.
func tag(t *testing.T) string {
	return t.Name() + "-" + time.Now().Format(time.RFC3339Nano)
}
