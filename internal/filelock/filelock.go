// Package filelock implements an exclusive lock between processes that names
// its holder.
//
// The operating system releases the lock when its holder dies for any reason,
// so there are no stale locks. The name of the holder in the lock file is only
// informative: it can be outdated for a moment, and after a crash until the
// next holder. Only the system decides whether the lock is held. Not
// guaranteed: exclusion on network file systems without flock.
package filelock

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"

	"agentflow/internal/safefile"

	"github.com/gofrs/flock"
)

// Lock is a held lock. It is not safe for concurrent use.
type Lock struct {
	inner *flock.Flock
	queue queue
}

// HeldError means that another process or goroutine holds a lock.
type HeldError struct {
	Path   string
	Holder Holder // zero if the file names none
}

// Error names the lock and its holder.
func (e *HeldError) Error() string {
	return fmt.Sprintf("locking %s: held by %s", e.Path, e.Holder)
}

// The pause between two attempts grows from firstPause to lastPause. It is
// short, because holders usually append a few kilobytes, and it grows, so that
// many waiters do not use up the processor that the holder needs.
const (
	firstPause = time.Millisecond
	lastPause  = 16 * time.Millisecond
)

// errWaited marks the end of a wait that reached its limit.
var errWaited = errors.New("waited long enough")

// Acquire takes the lock at path for self, waiting up to wait (0 means a single
// attempt). A missing file is created with mode 0600; its folder must exist. If
// the lock stays taken, the error is a *HeldError. If ctx ends first, the error
// wraps its cause.
func Acquire(ctx context.Context, path string, self Holder, wait time.Duration) (*Lock, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, max(wait, 0), errWaited)
	defer cancel()
	q := queueOf(path)
	if !q.enter(ctx) {
		return nil, waitedInVain(ctx, path)
	}
	inner, err := poll(ctx, path, self)
	if err != nil {
		q.leave()
		return nil, err
	}
	return &Lock{inner, q}, nil
}

// poll tries until it has the lock, or ctx ends.
func poll(ctx context.Context, path string, self Holder) (*flock.Flock, error) {
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		inner, err := try(path, self)
		if inner != nil || err != nil {
			return inner, err
		}
		again := time.NewTimer(pause)
		select {
		case <-again.C:
		case <-ctx.Done():
			again.Stop()
			return nil, waitedInVain(ctx, path)
		}
	}
}

// waitedInVain returns the error of a wait that ended without the lock.
func waitedInVain(ctx context.Context, path string) error {
	if why := context.Cause(ctx); !errors.Is(why, errWaited) {
		return fmt.Errorf("locking %s: %w", path, why)
	}
	return &HeldError{Path: path, Holder: Read(path)}
}

// queue lets the goroutines of this process take a lock in the order of their
// calls. Without it, they would get the lock by chance, and some of many
// goroutines that write repeatedly would wait too long.
type queue chan struct{}

// queues holds a queue for each path that was locked so far.
var queues sync.Map // path → queue

func queueOf(path string) queue {
	q, ok := queues.Load(path)
	if !ok {
		q, _ = queues.LoadOrStore(path, make(queue, 1))
	}
	return q.(queue)
}

// enter waits for its turn until ctx ends, but always tries once.
func (q queue) enter(ctx context.Context) bool {
	select {
	case q <- struct{}{}:
		return true
	default:
	}
	select {
	case q <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

func (q queue) leave() { <-q }

// try makes one attempt. It returns no lock and no error if the lock is taken.
func try(path string, self Holder) (*flock.Flock, error) {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("locking %s: %w", path, safefile.ErrNotRegular)
	}
	inner := flock.New(path)
	ok, err := inner.TryLock()
	if err != nil {
		return nil, fmt.Errorf("locking %s: %w", path, err)
	}
	if !ok || !isCurrent(inner, path) {
		return nil, inner.Close()
	}
	// Naming the holder is optional: a full disk must not prevent locking.
	_ = self.write(path)
	return inner, nil
}

// isCurrent reports whether the locked file is still the one at path. Without this
// check, a lock file that was deleted and created again could be held twice.
func isCurrent(inner *flock.Flock, path string) bool {
	locked, err := inner.Stat()
	if err != nil {
		return false
	}
	now, err := os.Stat(path)
	return err == nil && os.SameFile(locked, now)
}

// Release releases the lock. The file stays, because removing it would race
// with the processes that wait for it.
func (l *Lock) Release() error {
	defer l.queue.leave()
	if err := l.inner.Unlock(); err != nil {
		return fmt.Errorf("unlocking %s: %w", l.inner.Path(), err)
	}
	return nil
}

// Held reports whether any process holds the lock at path now. A missing file
// is not held. The check can make one attempt of another process fail, so use
// it for display and not for decisions.
func Held(path string) (bool, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err == nil && !info.Mode().IsRegular() {
		return false, fmt.Errorf("asking for the lock %s: %w", path, safefile.ErrNotRegular)
	}
	inner := flock.New(path)
	ok, err := inner.TryRLock()
	if err != nil {
		return false, fmt.Errorf("asking for the lock %s: %w", path, err)
	}
	return !ok, inner.Close()
}

// Holder describes the process that holds a lock.
type Holder struct {
	PID     int       `json:"pid"`
	Host    string    `json:"host"`
	Since   time.Time `json:"since"`
	Command string    `json:"verb"` // such as "run" or "forget"
}

// Self describes this process as a holder since now.
func Self(command string, now time.Time) Holder {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown host"
	}
	return Holder{PID: os.Getpid(), Host: host, Since: now.Truncate(time.Second), Command: command}
}

// String returns the holder as one line.
func (h Holder) String() string {
	if h.PID == 0 {
		return "another process"
	}
	return fmt.Sprintf("process %d (%s) on %s since %s", h.PID, h.Command, h.Host, h.Since.Format("15:04:05"))
}

// nameAt locates the holder in the lock file. Windows locks the first
// byte even against readers, so the name begins after it.
const nameAt = 1

// write writes the holder into the lock file in place, because replacing the
// file would lose the lock.
func (h Holder) write(path string) error {
	line, err := json.Marshal(h)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.WriteAt(append(line, '\n'), nameAt); err != nil {
		return err
	}
	return f.Truncate(nameAt + int64(len(line)) + 1)
}

// Read returns the last holder named in the lock file at path, or the zero
// Holder if it names none. The lock may have been released since.
func Read(path string) Holder {
	f, err := safefile.Open(path, safefile.NoLink)
	if err != nil {
		return Holder{}
	}
	defer f.Close()
	buf := make([]byte, 1024)
	n, _ := f.ReadAt(buf, nameAt) // io.EOF is expected
	var h Holder
	if json.Unmarshal(buf[:n], &h) != nil {
		return Holder{}
	}
	return h
}
