package labtest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"agentflow/internal/filelock"
)

// Programs returns a folder with agentflow and the scripted agent, which are
// built once for all tests of a package.
func Programs(t testing.TB) string {
	t.Helper()
	dir, err := programs()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

var programs = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "agentflow-test-")
	if err != nil {
		return "", err
	}
	built.Store(&dir)
	return dir, buildInto(dir)
})

// cache is the user's cache folder, from before tests changed the environment.
var cache, noCache = os.UserCacheDir()

// buildInto builds the programs in the user's cache folder, where go finds for
// the next package that they are up to date, and links them into dir. Linking
// them took 6 s of processor time in each package. A build of another version
// replaces the files in the cache folder, but not those in dir.
func buildInto(dir string) error {
	if noCache != nil {
		return noCache
	}
	shared := filepath.Join(cache, "agentflow-dev", "programs")
	if err := os.MkdirAll(shared, 0o700); err != nil {
		return err
	}
	lock, err := filelock.Acquire(context.Background(), filepath.Join(shared, "lock"), filelock.Self("test", time.Now()), 15*time.Minute)
	if err != nil {
		return err
	}
	defer lock.Release()
	out := filepath.Join(shared, "bin")
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", out+string(filepath.Separator), "agentflow/cmd/agentflow", "agentflow/internal/testing/scriptedagent/agent")
	cmd.Env = append(slices.Clone(environ), "CGO_ENABLED=0") // as for a release
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, text)
	}
	return linkAll(out, dir)
}

// linkAll links every file of a folder into another one, or copies all files if
// the folders are on different file systems.
func linkAll(from, to string) error {
	files, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := os.Link(filepath.Join(from, f.Name()), filepath.Join(to, f.Name())); err != nil {
			return os.CopyFS(to, os.DirFS(from))
		}
	}
	return nil
}

// built is the folder of the programs; nil until a test needs them.
var built atomic.Pointer[string]

// Main runs the tests of a package that uses Programs, and removes the programs
// afterwards.
type Main struct{ *testing.M }

// Run runs the tests and returns the exit code.
func (m Main) Run() int {
	code := m.M.Run()
	if dir := built.Load(); dir != nil {
		os.RemoveAll(*dir)
	}
	return code
}
