//go:build unix

package index

import (
	"errors"
	"os"
	"syscall"
	"testing"

	"agentflow/memory/retrieval"
)

// TestLockThatIsAPipe checks that a pipe in place of the index's lock blocks
// neither readers nor a rebuild.
func TestLockThatIsAPipe(t *testing.T) {
	s := newStore(t)
	s.put("2026-11-21.md", written("a", "Raise the timeout of the mailer", nil))
	s.sync(s.open(Options{}))
	lock := s.db() + ".lock"
	if err := errors.Join(os.Remove(lock), syscall.Mkfifo(lock, 0o600)); err != nil {
		t.Fatal(err)
	}
	d := s.open(Options{})
	s.sync(d)
	if hits := search1(t, d, retrieval.Query{Text: "timeout of the mailer"}); len(hits) != 1 {
		t.Errorf("hits %+v", hits)
	}
}
