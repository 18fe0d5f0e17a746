// Package filelock is an exclusive lock between processes that says who
// holds it.
//
// The operating system drops the lock when its holder dies, however it dies,
// so there are no stale locks. The holder's name stands in the lock file and
// is a courtesy: it can be out of date for a moment, and after a crash until
// the next holder; whether the lock is held is only ever asked of the system.
// Not guaranteed: exclusion on network file systems without flock.
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

	"agentflow/internal/repofile"

	"github.com/gofrs/flock"
)

// Lock is a held lock. It is not safe for concurrent use.
type Lock struct {
	inner *flock.Flock
	queue queue
}

// HeldError says that somebody else holds a lock.
type HeldError struct {
	Path   string
	Holder Holder // zero when the file does not say
}

// Error names the lock and its holder.
func (e *HeldError) Error() string {
	return fmt.Sprintf("locking %s: held by %s", e.Path, e.Holder)
}

// The pause between two attempts grows from firstPause to lastPause: short,
// because holders usually append a few kilobytes, and bounded, so that many
// waiters do not burn the processor the holder needs.
const (
	firstPause = time.Millisecond
	lastPause  = 16 * time.Millisecond
)

// errWaited ends a wait that took as long as it might.
var errWaited = errors.New("waited long enough")

// Acquire takes the lock at path for self, waiting up to wait (0: a single
// attempt). The file is created with mode 0600 when it is missing; its
// folder must exist. When the lock stays taken the error is *HeldError; when
// ctx ends first it is ctx's.
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

// waitedInVain is the error of a wait that ctx ended.
func waitedInVain(ctx context.Context, path string) error {
	if why := context.Cause(ctx); !errors.Is(why, errWaited) {
		return fmt.Errorf("locking %s: %w", path, why)
	}
	return &HeldError{Path: path, Holder: Read(path)}
}

// queue lets the goroutines of this process take a lock in the order in which
// they asked: they would otherwise try in turn by chance, and of many that
// write one after the other some would wait too long.
type queue chan struct{}

// queues are those of the paths that were locked so far.
var queues sync.Map // path → queue

func queueOf(path string) queue {
	q, ok := queues.Load(path)
	if !ok {
		q, _ = queues.LoadOrStore(path, make(queue, 1))
	}
	return q.(queue)
}

// enter waits for the turn until ctx ends; it tries once in any case.
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

// try makes one attempt; no lock and no error means it is taken.
func try(path string, self Holder) (*flock.Flock, error) {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("locking %s: %w", path, repofile.ErrNotRegular)
	}
	inner := flock.New(path)
	ok, err := inner.TryLock()
	if err != nil {
		return nil, fmt.Errorf("locking %s: %w", path, err)
	}
	if !ok || !stands(inner, path) {
		return nil, inner.Close()
	}
	// The name is a courtesy: a full disk must not keep anybody from locking.
	_ = self.write(path)
	return inner, nil
}

// stands says whether the locked file is the one at path. Without this a
// lock file that was deleted and made anew could be held twice.
func stands(inner *flock.Flock, path string) bool {
	locked, err := inner.Stat()
	if err != nil {
		return false
	}
	now, err := os.Stat(path)
	return err == nil && os.SameFile(locked, now)
}

// Release gives the lock back. The file stays, because removing it would race
// with the processes that wait for it.
func (l *Lock) Release() error {
	defer l.queue.leave()
	if err := l.inner.Unlock(); err != nil {
		return fmt.Errorf("unlocking %s: %w", l.inner.Path(), err)
	}
	return nil
}

// Held says whether somebody holds the lock at path now. A missing file is
// not held. Asking can make one attempt of another process miss, so it is for
// display, not for decisions.
func Held(path string) (bool, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err == nil && !info.Mode().IsRegular() {
		return false, fmt.Errorf("asking for the lock %s: %w", path, repofile.ErrNotRegular)
	}
	inner := flock.New(path)
	ok, err := inner.TryRLock()
	if err != nil {
		return false, fmt.Errorf("asking for the lock %s: %w", path, err)
	}
	return !ok, inner.Close()
}

// Holder is who holds a lock.
type Holder struct {
	PID     int       `json:"pid"`
	Host    string    `json:"host"`
	Since   time.Time `json:"since"`
	Command string    `json:"verb"` // such as "run" or "forget"
}

// Self is this process as a holder, from now on.
func Self(command string, now time.Time) Holder {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown host"
	}
	return Holder{PID: os.Getpid(), Host: host, Since: now.Truncate(time.Second), Command: command}
}

// String is the holder on one line.
func (h Holder) String() string {
	if h.PID == 0 {
		return "another process"
	}
	return fmt.Sprintf("process %d (%s) on %s since %s", h.PID, h.Command, h.Host, h.Since.Format("15:04:05"))
}

// nameAt is where the holder stands in the lock file. Windows locks the first byte
// even against readers, so the name begins after it.
const nameAt = 1

// write puts the holder into the lock file, in place: to replace the file would
// take the lock away from it.
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

// Read gives the last holder named in the lock file at path, or the zero
// Holder when it names none. It does not say whether the lock is still held.
func Read(path string) Holder {
	f, err := repofile.Open(path, repofile.NoLink)
	if err != nil {
		return Holder{}
	}
	defer f.Close()
	buf := make([]byte, 1024)
	n, _ := f.ReadAt(buf, nameAt) // io.EOF is the normal end
	var h Holder
	if json.Unmarshal(buf[:n], &h) != nil {
		return Holder{}
	}
	return h
}
