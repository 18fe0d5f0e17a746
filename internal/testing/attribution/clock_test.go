package attribution

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"agentflow/internal/ctime"
	"agentflow/internal/testing/gittest"
)

// fileClock is the clock by which a file system dates changes. It is coarser
// than the clock of programs, and behind it.
type fileClock struct {
	t     testing.TB
	probe string
}

func newFileClock(t testing.TB, dir string) fileClock {
	t.Helper()
	c := fileClock{t, filepath.Join(dir, "probe")}
	gittest.Must(t, os.WriteFile(c.probe, nil, 0o600))
	return c
}

// lag is the most that the clock of a file system may be behind.
const lag = 10 * time.Millisecond

// tick waits until the ctime of a new change is later than this call by more
// than apart, which may be zero. So ctimes separate earlier changes from later
// ones.
func (c fileClock) tick(apart time.Duration) {
	c.t.Helper()
	called := time.Now()
	for {
		now := time.Now()
		gittest.Must(c.t, os.Chtimes(c.probe, now, now))
		info, err := os.Lstat(c.probe)
		gittest.Must(c.t, err)
		if changedAt(c.t, info).After(called.Add(apart)) {
			return
		}
		if now.Sub(called) > 10*time.Second {
			c.t.Fatal("the clock of the file system stands still")
		}
		time.Sleep(time.Millisecond)
	}
}

// changedAt returns the ctime of a file.
func changedAt(t testing.TB, info fs.FileInfo) time.Time {
	t.Helper()
	at, ok := ctime.Of(info)
	if !ok {
		t.Fatal("files have no ctime here")
	}
	return at
}
