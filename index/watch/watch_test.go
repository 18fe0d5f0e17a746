package watch

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// patience is how long a test waits for an expected event.
const patience = 20 * time.Second

// watched is a Run on real files.
type watched struct {
	t     *testing.T
	root  string
	calls chan struct{} // one for each call that has ended
	stop  func()

	mu   sync.Mutex
	said []string
}

// start watches a new folder and returns when the first call has ended. Each
// call runs job.
func start(t *testing.T, o Options, open func() (*notifier, error), job func(root string) error) *watched {
	t.Helper()
	w := &watched{t: t, calls: make(chan struct{}, 1000)}
	if len(o.Roots) == 0 {
		w.root = filepath.Join(t.TempDir(), "repo", ".agentflow", "memory")
		makeFolder(t, w.root)
		o.Roots = []string{w.root}
	}
	if o.Debounce == 0 {
		o.Debounce = 5 * time.Millisecond
	}
	o.Notice = func(what string) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.said = append(w.said, what)
	}
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan error, 1)
	go func() {
		over <- run(ctx, o, func(context.Context) error {
			err := job(w.root)
			w.calls <- struct{}{}
			return err
		}, open)
	}()
	w.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-over; err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	t.Cleanup(w.stop)
	w.call()
	return w
}

func nothing(string) error { return nil }

// call waits for the end of a call.
func (w *watched) call() {
	w.t.Helper()
	select {
	case <-w.calls:
	case <-time.After(patience):
		w.t.Fatalf("no call; said %q", w.notices())
	}
}

func (w *watched) notices() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]string{}, w.said...)
}

// until waits for something, calls passing by.
func (w *watched) until(what string, is func() bool) {
	w.t.Helper()
	for end := time.Now().Add(patience); !is(); {
		if time.Now().After(end) {
			w.t.Fatalf("not %s; said %q", what, w.notices())
		}
		select {
		case <-w.calls:
		case <-time.After(time.Millisecond):
		}
	}
}

func makeFolder(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(path, 0o700); err != nil {
		t.Fatal(err)
	}
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// moveIn creates a file with a single rename, as editors do when they save, so
// that one event reports it.
func moveIn(t *testing.T, path, text string) {
	t.Helper()
	from := filepath.Join(t.TempDir(), "new")
	put(t, from, text)
	if err := os.Rename(from, path); err != nil {
		t.Fatal(err)
	}
}

// TestEveryKindOfChange checks that a call sees each kind of change.
func TestEveryKindOfChange(t *testing.T) {
	must := func(err error) {
		if err != nil {
			t.Helper()
			t.Error(err)
		}
	}
	for _, how := range []struct {
		name string
		o    Options
	}{{"events", Options{}}, {"poll", Options{Poll: 5 * time.Millisecond}}} {
		t.Run(how.name, func(t *testing.T) {
			var mu sync.Mutex
			texts := map[string]string{}
			w := start(t, how.o, openEvents, func(root string) error {
				mu.Lock()
				defer mu.Unlock()
				texts = readAll(root)
				return nil
			})
			holds := func(name, text string) {
				t.Helper()
				w.until(name+" is "+text, func() bool {
					mu.Lock()
					defer mu.Unlock()
					return texts[name] == text
				})
			}
			at := func(name string) string { return filepath.Join(w.root, name) }
			put(t, at("a.md"), "written")
			holds("a.md", "written")
			put(t, at("a.md"), "written again")
			holds("a.md", "written again")
			moveIn(t, at("a.md"), "saved by rename")
			holds("a.md", "saved by rename")
			must(os.Rename(at("a.md"), at("b.md")))
			holds("a.md", "")
			holds("b.md", "saved by rename")
			makeFolder(t, at("one/two/three"))
			put(t, at("one/two/three/deep.md"), "at once")
			holds("one/two/three/deep.md", "at once")
			put(t, at("one/two/three/deep.md"), "later")
			holds("one/two/three/deep.md", "later")
			must(os.Rename(at("one"), at("uno")))
			holds("uno/two/three/deep.md", "later")
			put(t, at("uno/two/three/deep.md"), "after its folder moved")
			holds("uno/two/three/deep.md", "after its folder moved")
			makeFolder(t, at("uno/two/four"))
			put(t, at("uno/two/four/new.md"), "in a new folder there")
			holds("uno/two/four/new.md", "in a new folder there")
			must(os.Remove(at("b.md")))
			holds("b.md", "")
			must(os.RemoveAll(filepath.Dir(w.root)))
			holds("uno/two/three/deep.md", "")
			makeFolder(t, w.root)
			put(t, at("c.md"), "back")
			holds("c.md", "back")
			for _, dir := range []string{w.root, filepath.Dir(w.root), filepath.Dir(filepath.Dir(w.root))} {
				must(os.Rename(dir, dir+".away"))
				holds("c.md", "")
				must(os.Rename(dir+".away", dir))
				holds("c.md", "back")
			}
			put(t, at("c.md"), "after it was away")
			holds("c.md", "after it was away")
			if said := w.notices(); len(said) > 0 {
				t.Errorf("said %q", said)
			}
		})
	}
}

// readAll returns the texts that a call would index.
func readAll(root string) map[string]string {
	texts := map[string]string{}
	_ = filepath.WalkDir(root, func(path string, _ os.DirEntry, err error) error {
		if err == nil && isMarkdown(path) {
			text, _ := os.ReadFile(path)
			name, _ := filepath.Rel(root, path)
			texts[filepath.ToSlash(name)] = string(text)
		}
		return nil
	})
	return texts
}

// TestARootThatIsNotThereYet nor are the folders above it.
func TestARootThatIsNotThereYet(t *testing.T) {
	dir := t.TempDir()
	root := filepath.Join(dir, "a", "b", "memory")
	found := make(chan struct{}, 1000)
	w := start(t, Options{Roots: []string{root}}, openEvents, func(string) error {
		if len(readAll(root)) > 0 {
			found <- struct{}{}
		}
		return nil
	})
	for _, name := range []string{"a", "a/b", "a/b/memory", "a/b/memory/c"} {
		makeFolder(t, filepath.Join(dir, name))
	}
	put(t, filepath.Join(root, "c", "d.md"), "there")
	w.until("found", func() bool { return len(found) > 0 })
}
