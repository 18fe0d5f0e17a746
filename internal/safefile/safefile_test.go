package safefile

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// layout creates a repository's folder with a secret outside, next to it.
func layout(t *testing.T) (root, outside string) {
	t.Helper()
	dir := t.TempDir()
	root, outside = filepath.Join(dir, "repo"), filepath.Join(dir, "secret")
	must(t, os.MkdirAll(filepath.Join(root, "sub"), 0o755))
	must(t, os.WriteFile(outside, []byte("secret"), 0o600))
	must(t, os.WriteFile(filepath.Join(root, "file"), []byte("text"), 0o600))
	return root, outside
}

func TestWhatIsRead(t *testing.T) {
	root, outside := layout(t)
	link := func(name, to string) string {
		path := filepath.Join(root, name)
		if err := os.Symlink(to, path); err != nil {
			t.Skip("no symlinks here:", err)
		}
		return path
	}
	link("folder", filepath.Dir(outside))
	for _, c := range []struct {
		name, path string
		links      Links
		want       string
		err        error
	}{
		{"a file", filepath.Join(root, "file"), NoLink, "text", nil},
		{"a file, all links", filepath.Join(root, "file"), AnyLink, "text", nil},
		{"a file in its folder", filepath.Join(root, "file"), Within(root), "text", nil},
		{"a link", link("a", "file"), NoLink, "", ErrNotRegular},
		{"a link that git follows", link("b", "file"), AnyLink, "text", nil},
		{"a link that stays", link("sub/c", "../file"), Within(root), "text", nil},
		{"a link that leaves", link("d", "../secret"), Within(root), "", ErrOutside},
		{"an absolute link", link("e", outside), Within(root), "", ErrOutside},
		{"a folder that leaves", filepath.Join(root, "folder", "secret"), Within(root), "", ErrOutside},
		{"a path that leaves", filepath.Join(root, "..", "secret"), Within(root), "", ErrOutside},
		{"a folder", filepath.Join(root, "sub"), NoLink, "", ErrNotRegular},
		{"a folder within", filepath.Join(root, "sub"), Within(root), "", ErrNotRegular},
		{"a device", link("f", os.DevNull), AnyLink, "", ErrNotRegular},
		{"a device within", filepath.Join(root, "f"), Within(root), "", ErrOutside},
		{"nothing", filepath.Join(root, "none"), NoLink, "", os.ErrNotExist},
		{"nothing within", filepath.Join(root, "none"), Within(root), "", os.ErrNotExist},
		{"a link to nothing", link("g", "none"), Within(root), "", os.ErrNotExist},
		{"too much", filepath.Join(root, "file"), NoLink, "", ErrTooLarge},
	} {
		limit := int64(4)
		if errors.Is(c.err, ErrTooLarge) {
			limit = 3
		}
		data, err := Read(c.path, c.links, limit)
		if string(data) != c.want || !errors.Is(err, c.err) {
			t.Errorf("%s: %q, %v; want %q, %v", c.name, data, err, c.want, c.err)
		}
		if err != nil && !strings.Contains(err.Error(), c.path) {
			t.Errorf("%s: the error does not name %s: %v", c.name, c.path, err)
		}
		refused := errors.Is(err, ErrNotRegular) || errors.Is(err, ErrTooLarge) || errors.Is(err, ErrOutside)
		if refused == IsAbsent(err) && err != nil {
			t.Errorf("%s: refused %v, absent %v", c.name, refused, IsAbsent(err))
		}
	}
}

func TestAFileInAFoldersPlaceIsAbsent(t *testing.T) {
	root, _ := layout(t)
	for _, links := range []Links{NoLink, AnyLink, Within(root)} {
		if _, err := Open(filepath.Join(root, "file", "below"), links); !IsAbsent(err) {
			t.Errorf("%+v: %v", links, err)
		}
	}
}

func TestReadAllEndsWithItsContext(t *testing.T) {
	root, _ := layout(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	f, err := Open(filepath.Join(root, "file"), NoLink)
	must(t, err)
	defer f.Close()
	if _, err := ReadAll(ctx, f, 10); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
