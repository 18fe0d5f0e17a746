package atomicfile

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
)

func TestWriteCreatesAndReplaces(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	write(t, path, "one", 0o640)
	write(t, path, "two", 0o600)
	wantFile(t, path, "two")
	if info, _ := os.Stat(path); runtime.GOOS != "windows" && info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v after replacing, want that of the first write, 0640", info.Mode().Perm())
	}
	wantAlone(t, path)
}

// TestWriteLeavesDevices checks that a device is not replaced: for root, a
// rename over a device would remove it for all users.
func TestWriteLeavesDevices(t *testing.T) {
	path := filepath.Join(t.TempDir(), "folder")
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := Write(path, []byte("x"), 0o600); err == nil || !strings.HasSuffix(err.Error(), "not a regular file") {
		t.Errorf("replacing a folder: %v", err)
	}
	wantAlone(t, path)
}

func TestWriteKeepsSymlinks(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "sub", "target")
	if err := os.Mkdir(filepath.Dir(target), 0o700); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(filepath.Join("sub", "target"), link); err != nil {
		t.Fatal(err)
	}
	write(t, link, "through a dangling link", 0o600)
	wantFile(t, target, "through a dangling link")
	write(t, link, "again", 0o600)
	wantFile(t, target, "again")
	if info, _ := os.Lstat(link); info.Mode()&fs.ModeSymlink == 0 {
		t.Error("the symlink was replaced")
	}
	loop := filepath.Join(dir, "loop")
	if err := os.Symlink("loop", loop); err != nil {
		t.Fatal(err)
	}
	if err := Write(loop, nil, 0o600); err == nil {
		t.Error("writing through a loop of symlinks gave no error")
	}
}

// TestFailureLeavesTheOld makes every step fail in turn.
func TestFailureLeavesTheOld(t *testing.T) {
	for _, step := range []string{"create", "write", "short", "chmod", "sync", "close", "rename"} {
		t.Run(step, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "a")
			write(t, path, "old", 0o600)
			err := WriteTo(failing{OS{}, step}, path, []byte("new"), 0o600)
			if !errors.Is(err, syscall.ENOSPC) {
				t.Fatalf("error %v, want ENOSPC", err)
			}
			if !strings.Contains(err.Error(), path) {
				t.Errorf("error %q does not name %s", err, path)
			}
			wantFile(t, path, "old")
			wantAlone(t, path)
		})
	}
	t.Run("syncdir", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "a")
		if err := WriteTo(failing{OS{}, "syncdir"}, path, []byte("new"), 0o600); !errors.Is(err, syscall.ENOSPC) {
			t.Fatalf("error %v, want ENOSPC", err)
		}
	})
}

func TestConcurrentWritersNeverMix(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	write(t, path, strings.Repeat("0", 9000), 0o600)
	var writers sync.WaitGroup
	for n := range 4 {
		writers.Go(func() {
			for range 25 {
				if err := Write(path, bytes.Repeat([]byte{byte('a' + n)}, 9000), 0o600); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { writers.Wait(); close(done) }()
	for stop := false; !stop; {
		select {
		case <-done:
			stop = true
		default:
		}
		data, err := os.ReadFile(path)
		if err != nil || len(data) != 9000 || bytes.Count(data, data[:1]) != 9000 {
			t.Fatalf("read %d mixed bytes, error %v", len(data), err)
		}
	}
	wantAlone(t, path)
}

// sweeping is the real file system while another process removes some temporary
// files before their rename.
type sweeping struct {
	OS
	left *int
}

func (s sweeping) Rename(from, to string) error {
	if *s.left > 0 {
		*s.left--
		return errors.Join(s.OS.Remove(from), s.OS.Rename(from, to))
	}
	return s.OS.Rename(from, to)
}

func TestRemovedTemporaryFilesAreWrittenAgain(t *testing.T) {
	for removed, works := range map[int]bool{1: true, maxWrites - 1: true, maxWrites: false} {
		path := filepath.Join(t.TempDir(), "a")
		write(t, path, "old", 0o600)
		err := WriteTo(sweeping{left: &removed}, path, []byte("new"), 0o600)
		if want := map[bool]string{true: "new", false: "old"}[works]; (err == nil) != works || works && removed != 0 {
			t.Errorf("%d are left to be removed: %v", removed, err)
		} else {
			wantFile(t, path, want)
		}
		wantAlone(t, path)
	}
}

// failing is the real file system with one step that fails as on a full disk.
type failing struct {
	OS
	step string
}

func (f failing) fails(step string) error {
	if f.step == step {
		return syscall.ENOSPC
	}
	return nil
}

func (f failing) CreateTemp(dir, pattern string) (File, error) {
	if err := f.fails("create"); err != nil {
		return nil, err
	}
	file, err := f.OS.CreateTemp(dir, pattern)
	return failingFile{file, f}, err
}

func (f failing) Rename(from, to string) error {
	return errors.Join(f.fails("rename"), func() error {
		if f.step == "rename" {
			return nil
		}
		return f.OS.Rename(from, to)
	}())
}

func (f failing) SyncDir(dir string) error { return errors.Join(f.fails("syncdir"), f.OS.SyncDir(dir)) }

type failingFile struct {
	File
	sys failing
}

func (f failingFile) Write(p []byte) (int, error) {
	switch f.sys.step {
	case "write":
		return 0, syscall.ENOSPC
	case "short":
		n, _ := f.File.Write(p[:len(p)/2])
		return n, syscall.ENOSPC
	}
	return f.File.Write(p)
}

func (f failingFile) Chmod(m fs.FileMode) error {
	return errors.Join(f.sys.fails("chmod"), f.File.Chmod(m))
}
func (f failingFile) Sync() error  { return errors.Join(f.sys.fails("sync"), f.File.Sync()) }
func (f failingFile) Close() error { return errors.Join(f.sys.fails("close"), f.File.Close()) }

func write(t *testing.T, path, text string, perm fs.FileMode) {
	t.Helper()
	if err := Write(path, []byte(text), perm); err != nil {
		t.Fatal(err)
	}
}

func wantFile(t *testing.T, path, want string) {
	t.Helper()
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Fatalf("%s holds %q, error %v; want %q", path, got, err, want)
	}
}

func wantAlone(t *testing.T, path string) {
	t.Helper()
	if names, _ := os.ReadDir(filepath.Dir(path)); len(names) != 1 {
		t.Errorf("%v are in the folder, want only %s", names, filepath.Base(path))
	}
}
