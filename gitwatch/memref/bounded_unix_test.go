//go:build unix

package memref

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestFetchIsBounded: a fetch into a private repository ends when it has brought too much,
// and leaves nothing.
func TestFetchIsBounded(t *testing.T) {
	remote, clones := repos(t, 1)
	files := map[string][]byte{}
	for i := range 150 { // git keeps as many in a pack
		files[fmt.Sprint(i)] = make([]byte, 8<<10)
		_, _ = rand.Read(files[fmt.Sprint(i)]) // never fails
	}
	tip, err := clones[0].Write(t.Context(), ref, Commit{Message: "enormous", Files: files})
	must(t, err)
	must(t, clones[0].Push(t.Context(), "origin", tip, ref, ""))
	ssh := filepath.Join(t.TempDir(), "ssh")
	script := "#!/bin/sh\nwhile [ $# -gt 1 ]; do shift; done\nunset GIT_PROTOCOL\nsh -c \"$1\" | { dd bs=8192 count=80 status=none; exec sleep 5; }\n"
	must(t, os.WriteFile(ssh, []byte(script), 0o700))
	t.Setenv("GIT_SSH_COMMAND", ssh)
	r, err := Init(t.Context(), filepath.Join(t.TempDir(), "own.git"))
	must(t, err)
	r.maxFetch = 100_000
	if err := r.Fetch(t.Context(), "git@example.com:"+remote, ref, "refs/agentflow/fetched"); !errors.Is(err, ErrTooMuch) {
		t.Errorf("fetching: %v", err)
	}
	if n := r.written(time.Time{}); n > 0 {
		t.Errorf("%d bytes are left", n)
	}
}
