package watch

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/fsnotify/fsnotify"
)

// deaf opens a real notifier but discards its events; the errors that a test
// sends to errs arrive instead.
func deaf(errs <-chan error) func() (*notifier, error) {
	return func() (*notifier, error) {
		n, err := openEvents()
		if err != nil {
			return nil, err
		}
		events := make(chan fsnotify.Event)
		go func() {
			for range n.events {
			}
			close(events)
		}()
		return &notifier{events, errs, n.add, n.remove, n.close}, nil
	}
}

// TestOverflowLooksAtAllAgain checks that after an overflow the watcher rescans
// everything, including folders, since no event reported the changes.
func TestOverflowLooksAtAllAgain(t *testing.T) {
	errs := make(chan error)
	var files, lists atomic.Int32
	open := func() (*notifier, error) {
		n, err := deaf(errs)()
		if err == nil {
			add := n.add
			n.add = func(path string) error {
				if filepath.Base(path) == "new" {
					lists.Add(1)
				}
				return add(path)
			}
		}
		return n, err
	}
	w := start(t, Options{}, open, func(root string) error {
		files.Store(int32(len(readAll(root))))
		return nil
	})
	makeFolder(t, filepath.Join(w.root, "new"))
	put(t, filepath.Join(w.root, "new", "a.md"), "unseen")
	errs <- fsnotify.ErrEventOverflow
	w.call()
	if files.Load() != 1 || lists.Load() == 0 || len(w.notices()) > 0 {
		t.Errorf("%d files, new folder watched %d times, said %q", files.Load(), lists.Load(), w.notices())
	}
	errs <- errors.New("a strange thing")
	w.call()
	errs <- errors.New("a strange thing")
	w.call()
	if said := w.notices(); len(said) != 1 || !strings.Contains(said[0], "a strange thing") {
		t.Errorf("said %q", said)
	}
}

// TestMoreEventsThanWait checks that events not received in time become an
// overflow.
func TestMoreEventsThanWait(t *testing.T) {
	sent := make(chan fsnotify.Event)
	b := inbox{ready: make(chan struct{}, 1)}
	go b.fill(&notifier{events: sent})
	for range mostWaiting + 3 {
		sent <- fsnotify.Event{Name: "x", Op: fsnotify.Write}
	}
	close(sent)
	for over := false; !over; {
		<-b.ready
		b.mu.Lock()
		over = b.over
		b.mu.Unlock()
	}
	events, errs, _ := b.take()
	if len(events) != 3 || len(errs) != 1 || !errors.Is(errs[0], fsnotify.ErrEventOverflow) {
		t.Errorf("%d events, errors %v", len(events), errs)
	}
}

// TestNoMoreWatches checks that at the system's limit of watches the watcher
// polls the files instead, and reports this once.
func TestNoMoreWatches(t *testing.T) {
	for name, open := range map[string]func() (*notifier, error){
		"none at all": func() (*notifier, error) { return nil, syscall.EMFILE },
		"from the start": func() (*notifier, error) {
			n, err := openEvents()
			if err == nil {
				n.add = func(path string) error { return &os.PathError{Op: "add", Path: path, Err: syscall.ENOSPC} }
			}
			return n, err
		},
		"later": func() (*notifier, error) {
			n, err := openEvents()
			if err == nil {
				add := n.add
				n.add = func(path string) error {
					if filepath.Base(path) == "one-too-many" {
						return syscall.ENOSPC
					}
					return add(path)
				}
			}
			return n, err
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := start(t, Options{}, open, nothing)
			makeFolder(t, filepath.Join(w.root, "one-too-many"))
			w.until("said", func() bool { return len(w.notices()) > 0 })
			if said := w.notices(); len(said) != 1 || !strings.Contains(said[0], "looking at the files every 5s") {
				t.Errorf("said %q", said)
			}
		})
	}
}

// TestLookingInsteadMissesNothing checks that changes before the first poll
// lead to a call.
func TestLookingInsteadMissesNothing(t *testing.T) {
	woken := 0
	s := sensor{o: Options{Roots: []string{t.TempDir()}}.withDefaults(), wake: func() { woken++ }}
	s.instead(t.Context(), errors.New("no events"))
	if woken != 1 {
		t.Errorf("woken %d times", woken)
	}
}

// TestAFolderMadeMeanwhile creates a folder above the root after the watcher
// looked for it and before it watches the folder above.
func TestAFolderMadeMeanwhile(t *testing.T) {
	dir := t.TempDir()
	root := filepath.Join(dir, "a", "memory")
	open := func() (*notifier, error) {
		n, err := openEvents()
		if err == nil {
			add := n.add
			n.add = func(path string) error {
				if path == dir {
					makeFolder(t, filepath.Join(dir, "a"))
				}
				return add(path)
			}
		}
		return n, err
	}
	w := start(t, Options{Roots: []string{root}}, open, nothing)
	makeFolder(t, root)
	w.call()
}

// TestWhatMatters feeds real events, one file after the other, and lists those
// that wake the watcher. The last one marks the end.
func TestWhatMatters(t *testing.T) {
	n, err := openEvents()
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(t.TempDir(), "repo")
	state := filepath.Join(root, "state")
	makeFolder(t, filepath.Join(state, "deep"))
	makeFolder(t, filepath.Join(root, "docs"))
	in := inbox{ready: make(chan struct{}, 1)}
	go in.fill(n)
	f := folders{n: n, roots: []string{root}, ignore: func(path string) bool { return path == state || filepath.Base(path) == "node_modules" },
		trouble: func(what string) { t.Error(what) }}
	if err := f.renew(); err != nil {
		t.Fatal(err)
	}
	makeFolder(t, filepath.Join(root, "empty", "folders"))
	for _, path := range []string{"state/a.md", "state/deep/b.md", "docs/c.txt", "index.db-wal", "d.MD", "docs/e.md"} {
		moveIn(t, filepath.Join(root, path), "x")
	}
	put(t, filepath.Join(filepath.Dir(root), "beside.md"), "x")
	makeFolder(t, filepath.Join(root, "node_modules"))
	moveIn(t, filepath.Join(root, "node_modules", "f.md"), "x")
	moveIn(t, filepath.Join(root, "end.md"), "x")
	var woke []string
	for end := false; !end; {
		<-in.ready
		list, errs, over := in.take()
		if over || len(errs) > 0 {
			t.Fatal(errs, over)
		}
		for _, ev := range list {
			wake, err := f.saw(ev)
			if err != nil {
				t.Fatal(err)
			}
			if wake {
				woke = append(woke, filepath.Base(ev.Name))
			}
			end = end || filepath.Base(ev.Name) == "end.md"
		}
	}
	if err := n.close(); err != nil {
		t.Error(err)
	}
	if got := strings.Join(woke, " "); got != "d.MD e.md end.md" {
		t.Errorf("woken by %q", got)
	}
}

// TestStopLeavesNothing checks that no goroutine and no open file is left.
func TestStopLeavesNothing(t *testing.T) {
	start(t, Options{}, openEvents, nothing).stop() // what the runtime keeps is kept now
	goroutines, files := runtime.NumGoroutine(), openFiles()
	for _, o := range []Options{{}, {Poll: 1}} {
		w := start(t, o, openEvents, nothing)
		put(t, filepath.Join(w.root, "a.md"), "x")
		w.call()
		w.stop()
		w.until("gone", func() bool { return runtime.NumGoroutine() <= goroutines && openFiles() <= files })
	}
}

// openFiles counts this process's open files, where the system reports them.
func openFiles() int {
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(list)
}
