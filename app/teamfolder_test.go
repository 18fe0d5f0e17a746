package app

import (
	"os"
	"path/filepath"
	"sync"
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
	trap, others := filepath.Join(temp, teamFolderPrefix+"trap"), filepath.Join(temp, teamFolderPrefix+"others")
	must(0, os.Mkdir(trap, 0o700))(t)
	must(0, os.Symlink(filepath.Join(temp, "elsewhere"), filepath.Join(trap, "lock")))(t)
	must(0, os.Mkdir(others, 0o755))(t)

	second := must(newTeamFolder(t.Context()))(t)
	if _, err := os.Stat(left); !os.IsNotExist(err) {
		t.Errorf("what was left: %v", err)
	}
	for _, dir := range []string{trap, others} {
		if _, err := os.Lstat(dir); err != nil {
			t.Errorf("what no server made: %v", err)
		}
	}
	if _, err := os.Lstat(filepath.Join(temp, "elsewhere")); !os.IsNotExist(err) {
		t.Errorf("a lock was made through a link: %v", err)
	}
	for _, f := range []*teamFolder{alive, second} {
		if _, err := os.Stat(f.dir); err != nil {
			t.Error(err)
		}
		must(0, f.remove())(t)
	}
}

// TestTeamFolderOfMany: of servers that start and end at once, each keeps its folder.
func TestTeamFolderOfMany(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 100 {
				f, err := newTeamFolder(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				if err := os.Mkdir(f.path("own"), 0o700); err != nil {
					t.Errorf("its folder: %v", err)
				}
				if err := f.remove(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}
