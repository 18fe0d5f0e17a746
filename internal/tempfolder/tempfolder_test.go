package tempfolder

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

const prefix = "agentflow-test-"

func newFolder(t *testing.T, in string) *Folder {
	t.Helper()
	f, err := New(in, prefix)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// made fails the test on an error of its setup.
func made(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestLeft checks that the folders of a killed process are removed, that those
// of live processes stay, and that other files are not touched.
func TestLeft(t *testing.T) {
	temp := t.TempDir()
	alive := newFolder(t, temp)
	aMinute := time.Now().Add(-newFor - time.Second)
	made(t, os.Chtimes(alive.Path(lockName), aMinute, aMinute))
	left, young := filepath.Join(temp, prefix+"left"), filepath.Join(temp, prefix+"young")
	for _, dir := range []string{left, young} {
		made(t, os.Mkdir(dir, 0o700))
		made(t, os.WriteFile(filepath.Join(dir, lockName), nil, 0o600))
	}
	made(t, os.Chtimes(filepath.Join(left, lockName), aMinute, aMinute))
	trap, others, unlocked := filepath.Join(temp, prefix+"trap"), filepath.Join(temp, prefix+"others"), filepath.Join(temp, prefix+"unlocked")
	made(t, os.Mkdir(trap, 0o700))
	made(t, os.Symlink(filepath.Join(temp, "elsewhere"), filepath.Join(trap, lockName)))
	made(t, os.Mkdir(others, 0o755))
	made(t, os.WriteFile(filepath.Join(others, lockName), nil, 0o600))
	made(t, os.Mkdir(unlocked, 0o700))

	second := newFolder(t, temp)
	if _, err := os.Stat(left); !os.IsNotExist(err) {
		t.Errorf("what was left: %v", err)
	}
	for _, dir := range []string{trap, others, unlocked, young} {
		if _, err := os.Lstat(dir); err != nil {
			t.Errorf("no leftover: %v", err)
		}
	}
	if _, err := os.Lstat(filepath.Join(temp, "elsewhere")); !os.IsNotExist(err) {
		t.Errorf("a lock was made through a link: %v", err)
	}
	for _, f := range []*Folder{alive, second} {
		if _, err := os.Stat(f.Dir); err != nil {
			t.Error(err)
		}
		made(t, f.Remove())
	}
}

// TestMany checks that processes that start and end concurrently each keep
// their folder.
func TestMany(t *testing.T) {
	temp := t.TempDir()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 100 {
				f, err := New(temp, prefix)
				if err != nil {
					t.Error(err)
					return
				}
				if err := os.Mkdir(f.Path("own"), 0o700); err != nil {
					t.Errorf("its folder: %v", err)
				}
				if err := f.Remove(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}
