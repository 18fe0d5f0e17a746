package app

import (
	"os"
	"path/filepath"
	"testing"
)

// TestTeamFolderLeft: what a killed server left goes, what lives stays, and what somebody
// else put there is not touched.
func TestTeamFolderLeft(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	alive := must(newTeamFolder(t.Context()))(t)
	left := filepath.Join(temp, teamFolderPrefix+"left")
	must(0, os.Mkdir(left, 0o700))(t)
	must(0, os.WriteFile(filepath.Join(left, "lock"), nil, 0o600))(t)
	precious := filepath.Join(temp, "precious")
	must(0, os.WriteFile(precious, []byte("keep"), 0o600))(t)
	trap := filepath.Join(temp, teamFolderPrefix+"trap")
	must(0, os.Mkdir(trap, 0o700))(t)
	must(0, os.Symlink(precious, filepath.Join(trap, "lock")))(t)

	second := must(newTeamFolder(t.Context()))(t)
	if _, err := os.Stat(left); !os.IsNotExist(err) {
		t.Errorf("what was left: %v", err)
	}
	if text := must(os.ReadFile(precious))(t); string(text) != "keep" {
		t.Errorf("a lock that is a link was written through: %q", text)
	}
	for _, f := range []*teamFolder{alive, second} {
		if _, err := os.Stat(f.dir); err != nil {
			t.Error(err)
		}
		must(0, f.remove())(t)
	}
}
