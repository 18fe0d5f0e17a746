package filelock

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestMain lets the test program run as the other process of a test: it takes
// the lock named in holdPath, reports this, and keeps the lock until it is
// killed.
func TestMain(m *testing.M) {
	if path := os.Getenv("FILELOCK_TEST_HOLD"); path != "" {
		lock, err := Acquire(context.Background(), path, Self("held", time.Now()), 0)
		fmt.Println("held", err)
		never := make(chan os.Signal, 1)
		signal.Notify(never, os.Interrupt)
		<-never
		runtime.KeepAlive(lock) // an unreachable lock is collected, and thereby released
	}
	os.Exit(m.Run())
}

func TestAcquireExcludes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	since := time.Date(2026, 11, 21, 14, 32, 7, 0, time.UTC)
	lock, err := Acquire(t.Context(), path, Self("forget", since), 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Acquire(t.Context(), path, Self("run", since), 0)
	var held *HeldError
	if !errors.As(err, &held) {
		t.Fatalf("error %v, want a HeldError", err)
	}
	if h := held.Holder; h.PID != os.Getpid() || h.Command != "forget" || !h.Since.Equal(since) || h.Host == "" {
		t.Errorf("holder %+v", h)
	}
	for _, part := range []string{path, "(forget)", "14:32:07"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not say %q", err, part)
		}
	}
	if busy, err := Held(path); !busy || err != nil {
		t.Errorf("Held: %v, %v", busy, err)
	}
	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
	if busy, err := Held(path); busy || err != nil {
		t.Errorf("Held after Release: %v, %v", busy, err)
	}
}

func TestAcquireWaits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	var inside, total atomic.Int32
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			for range 10 {
				lock, err := Acquire(t.Context(), path, Self("run", time.Now()), time.Minute)
				if err != nil {
					t.Error(err)
					return
				}
				if n := inside.Add(1); n != 1 {
					t.Errorf("%d hold the lock", n)
				}
				total.Add(1)
				inside.Add(-1)
				if err := lock.Release(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if total.Load() != 160 {
		t.Errorf("%d turns, want 160", total.Load())
	}
}

func TestAcquireEndsWithContext(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	if _, err := Acquire(t.Context(), path, Self("run", time.Now()), 0); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
	defer cancel()
	if _, err := Acquire(ctx, path, Self("run", time.Now()), time.Hour); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want the context's", err)
	}
}

// TestKilledHolder checks the property that makes the lock safe: the system
// releases it when its holder dies.
func TestKilledHolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	holder := exec.CommandContext(t.Context(), os.Args[0])
	holder.Env = append(os.Environ(), "FILELOCK_TEST_HOLD="+path)
	out, err := holder.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "held <nil>\n" {
		t.Fatalf("the holder said %q, error %v", line, err)
	}
	_, err = Acquire(t.Context(), path, Self("run", time.Now()), 0)
	var held *HeldError
	if !errors.As(err, &held) || held.Holder.PID != holder.Process.Pid || held.Holder.Command != "held" {
		t.Fatalf("error %v, want held by %d", err, holder.Process.Pid)
	}
	if err := holder.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = holder.Wait()
	lock, err := Acquire(t.Context(), path, Self("run", time.Now()), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
}

// TestDeletedLockFile checks that a waiter does not take a lock on a file that
// is no longer at the path, since such a lock excludes no other process.
func TestDeletedLockFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	old, err := try(path, Self("run", time.Now())) // as another process has it
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if isCurrent(old, path) {
		t.Error("a lock on a deleted file counts as standing")
	}
	if _, err := Acquire(t.Context(), path, Self("run", time.Now()), time.Minute); err != nil {
		t.Fatal(err)
	}
	if isCurrent(old, path) {
		t.Error("a lock on a replaced file counts as standing")
	}
}

// TestGoroutinesTakeTurns checks that goroutines get a lock in the order of
// their requests, not by chance.
func TestGoroutinesTakeTurns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	synctest.Test(t, func(t *testing.T) {
		first, err := Acquire(t.Context(), path, Self("run", time.Now()), 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Acquire(t.Context(), path, Self("run", time.Now()), 0); !errors.As(err, new(*HeldError)) {
			t.Errorf("a held lock was taken: %v", err)
		}
		var order []int
		for i := range 8 {
			go func() {
				lock, err := Acquire(t.Context(), path, Self("run", time.Now()), time.Minute)
				if err != nil {
					t.Error(err)
					return
				}
				order = append(order, i)
				if err := lock.Release(); err != nil {
					t.Error(err)
				}
			}()
			synctest.Wait() // until it waits
		}
		if err := first.Release(); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if !slices.Equal(order, []int{0, 1, 2, 3, 4, 5, 6, 7}) {
			t.Errorf("the lock went round as %v", order)
		}
	})
}

func TestReadOddFiles(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"empty": "", "short": " ", "torn": ` {"pid":12,"ho`, "other": "x\x00\xff"} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if h := Read(path); h != (Holder{}) {
			t.Errorf("%s: %+v", name, h)
		}
	}
	if got := Read(filepath.Join(dir, "missing")).String(); got != "another process" {
		t.Errorf("missing: %q", got)
	}
	if busy, err := Held(filepath.Join(dir, "missing")); busy || err != nil {
		t.Errorf("missing: held %v, error %v", busy, err)
	}
}
