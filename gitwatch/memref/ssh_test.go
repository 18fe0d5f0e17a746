//go:build unix

package memref

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestFetchOverSSH: a missing ref is distinguished from a remote that does not answer. The other
// end complains in both cases, because we end.
func TestFetchOverSSH(t *testing.T) {
	remote, clones := repos(t, 1)
	ssh := filepath.Join(t.TempDir(), "ssh")
	script := "#!/bin/sh\nwhile [ $# -gt 1 ]; do shift; done\nunset GIT_PROTOCOL\nexec sh -c \"$1\"\n" // as sshd starts it
	if err := os.WriteFile(ssh, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GIT_SSH_COMMAND", ssh)
	if err := clones[0].Fetch(t.Context(), "git@example.com:"+remote, "refs/agentflow/none", "refs/agentflow/fetched"); !errors.Is(err, ErrNoRef) {
		t.Errorf("fetching what is not there: %v", err)
	}
}
