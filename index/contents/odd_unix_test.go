//go:build unix

package contents

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"agentflow/internal/safefile"
)

// TestOddPlaces checks that when the path holds something other than a regular
// file, no call blocks and nothing is overwritten.
func TestOddPlaces(t *testing.T) {
	for name, put := range map[string]func(path string) error{
		"pipe":   func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"folder": func(path string) error { return os.Mkdir(path, 0o700) },
		"link":   func(path string) error { return os.Symlink(os.DevNull, path) },
	} {
		t.Run(name, func(t *testing.T) {
			f := newFolder(t)
			must(t, os.Mkdir(filepath.Dir(f.db), 0o700))
			must(t, put(f.db))
			before, err := os.Lstat(f.db)
			must(t, err)
			if _, err := f.store.Find(t.Context(), []uint32{1}); !errors.Is(err, safefile.ErrNotRegular) {
				t.Error(err)
			}
			if _, err := Update(t.Context(), f.db, f.tree(), Options{}); !errors.Is(err, safefile.ErrNotRegular) {
				t.Error(err)
			}
			if after, err := os.Lstat(f.db); err != nil || after.Mode() != before.Mode() {
				t.Errorf("%v %v", after, err)
			}
		})
	}
	f := newFolder(t)
	must(t, os.WriteFile(filepath.Dir(f.db), nil, 0o600))
	if _, err := Update(t.Context(), f.db, f.tree(), Options{}); err == nil {
		t.Error("a file was taken for the folder")
	}
}

// TestUnreadableFiles checks that an update skips a pipe, link or folder that
// replaced a file after the listing.
func TestUnreadableFiles(t *testing.T) {
	f := newFolder(t)
	f.write("a.go", "func alpha() {}")
	f.write("sub/x.go", "func alpha() {}")
	must(t, syscall.Mkfifo(filepath.Join(f.dir, "pipe"), 0o600))
	must(t, os.Symlink("a.go", filepath.Join(f.dir, "link.go")))
	tree := f.tree()
	files, err := tree.Files(t.Context())
	must(t, err)
	must(t, os.RemoveAll(filepath.Join(f.dir, "sub")))
	tree.Files = func(context.Context) ([]File, error) { return files, nil }
	if _, err := Update(t.Context(), f.db, tree, Options{}); err != nil {
		t.Error(err)
	}
	if found := f.find("alpha"); len(found.Paths) != 1 || found.Files != 1 {
		t.Errorf("%+v", found)
	}
}
