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

// Errors for refs that git cannot write, here or on the remote.
var (
	ErrLocked = errors.New("a lock file is in the way")
	ErrTaken  = errors.New("another ref is in the way")
)

// The messages that git writes, with LC_ALL=C, if a ref cannot be written.
var (
	lockHeld = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?m)^(remote: )?.*Unable to create '(.+\.lock)': File exists`)
	})
	refTaken = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?m)^(remote: )?.*'(refs/[^']+)' exists; cannot create '(refs/[^']+)'`)
	})
)

// blocked returns the error of this package that git's message describes, or nil.
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

// staleAfter must pass until no process holds a lock file of a ref. Git holds one only while
// it writes the ref, and a command that uses the network ends after networkTime.
const staleAfter = 5 * networkTime

// unlock removes the lock files that a killed git left, and reports whether it removed any. It
// looks at AgentFlow's refs, and in a private repository at all refs.
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

// isStale reports whether a file is old. A file from a later day was made before the clock was set.
func isStale(d fs.DirEntry) bool {
	info, err := d.Info()
	return err == nil && time.Since(info.ModTime()).Abs() > staleAfter
}

// common returns the repository's common git directory, or "" if it is not found.
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

// again runs a git command, and runs it again if only a stale lock file was in its way.
func (r Repo) again(run func() (string, error)) (string, error) {
	out, err := run()
	if errors.Is(err, ErrLocked) && r.unlock() {
		return run()
	}
	return out, err
}
