package contents

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"agentflow/internal/ctime"
)

// folder is a work tree that a test writes files to, with the file that indexes
// them.
type folder struct {
	*testing.T
	dir, db string
	store   *Store
}

func newFolder(t *testing.T) *folder {
	t.Helper()
	dir := t.TempDir()
	f := &folder{t, filepath.Join(dir, "tree"), filepath.Join(dir, "agentflow", "contents.db"), nil}
	must(t, os.Mkdir(f.dir, 0o755))
	f.store = OpenStore(f.db)
	t.Cleanup(func() { must(t, f.store.Close()) })
	return f
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (f *folder) write(path, text string) {
	f.Helper()
	full := filepath.Join(f.dir, filepath.FromSlash(path))
	must(f.T, os.MkdirAll(filepath.Dir(full), 0o755))
	must(f.T, os.WriteFile(full, []byte(text), 0o600))
}

func (f *folder) remove(path string) {
	f.Helper()
	must(f.T, os.Remove(filepath.Join(f.dir, filepath.FromSlash(path))))
}

func (f *folder) tree() Tree {
	return Tree{Dir: f.dir, Files: func(context.Context) ([]File, error) { return filesIn(f.dir) }}
}

// filesIn lists the files of a folder as git's index does: sorted by path.
func filesIn(dir string) (files []File, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		changed, _ := ctime.Of(info)
		rel, err := filepath.Rel(dir, path)
		files = append(files, File{filepath.ToSlash(rel), Stat{Size: info.Size(), Mtime: info.ModTime().UnixNano(), Ctime: changed.UnixNano()}})
		return err
	})
	sortFiles(files)
	return files, err
}

// update brings the file up to date as if an hour had gone by since the files were
// written, so that their stats are believed.
func (f *folder) update(o Options) Report {
	f.Helper()
	o.Now = func() time.Time { return time.Now().Add(time.Hour) }
	report, err := Update(f.Context(), f.db, f.tree(), o)
	must(f.T, err)
	return report
}

func (f *folder) find(words ...string) Found {
	f.Helper()
	found, err := f.store.Find(f.Context(), hashesOfAll(words))
	must(f.T, err)
	return found
}

func hashesOfAll(list []string) []uint32 {
	hashes := make([]uint32, len(list))
	for i, w := range list {
		hashes[i] = hash(w)
	}
	return hashes
}

// whole returns an error if the file is inconsistent.
func whole(ctx context.Context, path string) (err error) {
	w, err := openWriter(ctx, path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	for _, s := range w.pieces {
		p, err := w.read(ctx, s)
		if err != nil {
			return err
		}
		held, defined, files := make([]int, len(p.files)), make([]int, len(p.files)), 0
		for _, m := range p.marks {
			held[markFile(m)]++
			if markDefines(m) {
				defined[markFile(m)]++
			}
		}
		for i, f := range p.files {
			if held[i] < f.held+2 || defined[i] != f.defined || i > 0 && f.path <= p.files[i-1].path {
				return errors.New("the counts of " + f.path + " are wrong")
			}
			if !s.dead.has(i) {
				files++
			}
		}
		if files != s.files {
			return errors.New("a piece counts other files than it has")
		}
	}
	return nil
}

// identifiersOf returns n different identifiers with the same prefix.
func identifiersOf(prefix string, n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("func " + prefix)
		for ; i > 0; i /= 20 {
			b.WriteByte("bcdfghjklmnpqrstvwxz"[i%20])
		}
		b.WriteString("k()\n")
	}
	return b.String()
}

func sortFiles(files []File) {
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
}
