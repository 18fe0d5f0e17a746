package memref

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"agentflow/internal/gitdir"
)

// Errors of refs that git cannot write, here or on the remote.
var (
	ErrLocked = errors.New("a lock file is in the way")
	ErrTaken  = errors.New("another ref is in the way")
)

// What git writes, with LC_ALL=C, where a ref cannot be written.
var (
	lockHeld = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?m)^(remote: )?.*Unable to create '(.+\.lock)': File exists`)
	})
	refTaken = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?m)^(remote: )?.*'(refs/[^']+)' exists; cannot create '(refs/[^']+)'`)
	})
)

// blocked is the error of this package that git's words describe; nil: none.
func blocked(words string) error {
	if m := lockHeld().FindStringSubmatch(words); m != nil {
		return fmt.Errorf("%w: %s%s", ErrLocked, filepath.Clean(m[2]), where(m[1]))
	}
	if m := refTaken().FindStringSubmatch(words); m != nil {
		return fmt.Errorf("%w: %s exists%s, so git cannot make %s", ErrTaken, m[2], where(m[1]), m[3])
	}
	return nil
}

func where(prefix string) string {
	if prefix == "" {
		return ""
	}
	return " on the remote"
}

// staleAfter is the age from which no process holds a lock file of a ref: git holds one only
// while it writes the ref, and a command that uses the network ends after networkTime.
const staleAfter = 5 * networkTime

// unlock removes the lock files that a killed git left, and says whether it removed any: those
// of AgentFlow's refs, and in a private repository those of all refs.
func (r Repo) unlock() (removed bool) {
	places := []string{"refs/agentflow"}
	if r.Private {
		places = []string{"refs", "packed-refs.lock"}
	}
	for _, place := range places {
		_ = filepath.WalkDir(filepath.Join(r.common(), filepath.FromSlash(place)), func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && strings.HasSuffix(path, ".lock") && isStale(d) {
				removed = os.Remove(path) == nil || removed
			}
			return nil
		})
	}
	return removed
}

// isStale says whether a file is old. One of a later day was made before the clock was set.
func isStale(d fs.DirEntry) bool {
	info, err := d.Info()
	return err == nil && time.Since(info.ModTime()).Abs() > staleAfter
}

// common is the repository's common git directory; empty where it is not found.
func (r Repo) common() string {
	if gitdir.Is(r.Dir) {
		return r.Dir
	}
	dirs, err := gitdir.Of(r.Dir)
	if err != nil {
		return ""
	}
	return dirs.Common
}

// again runs a git command, and once more where only a stale lock file was in its way.
func (r Repo) again(run func() (string, error)) (string, error) {
	out, err := run()
	if errors.Is(err, ErrLocked) && r.unlock() {
		return run()
	}
	return out, err
}
