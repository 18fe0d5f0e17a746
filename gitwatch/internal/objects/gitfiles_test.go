package objects

import (
	"os"
	"path/filepath"
	"testing"

	"agentflow/gitwatch/internal/repo"
	"agentflow/internal/testing/gittest"
)

// TestLocksAreNoReferences takes a snapshot while a git is about to write references.
func TestLocksAreNoReferences(t *testing.T) {
	f := gittest.New(t)
	f.Git("commit", "-q", "--allow-empty", "-m", "one")
	heads := filepath.Join(f.Dir, ".git", "refs", "heads")
	gittest.Must(t, os.WriteFile(filepath.Join(heads, "empty.lock"), nil, 0o600))
	gittest.Must(t, os.WriteFile(filepath.Join(heads, "full.lock"), []byte("0123456789012345678901234567890123456789\n"), 0o600))
	p, err := repo.Find(t.Context(), f.Dir)
	gittest.Must(t, err)
	refs, err := OpenStore(t.Context(), p).Refs()
	if err != nil || len(refs) != 1 || refs[0].Name != "refs/heads/main" {
		t.Errorf("have %v, %v", refs, err)
	}
}
