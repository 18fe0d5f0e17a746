package sources

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agentflow/internal/repofile"
)

// walker lists one source.
type walker struct {
	*Files
	now    time.Time
	source *Source
	others []Source
}

// walk lists the folder at rel, "" or "docs/", and those below it.
func (w *walker) walk(ctx context.Context, dir, rel string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	folders, err := w.folder(dir, rel)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		name := w.head(rel) + rel
		w.Skipped = append(w.Skipped, fmt.Sprintf("%s: %v", name, err))
		w.unread = append(w.unread, name)
	}
	for _, f := range folders {
		if err := w.walk(ctx, filepath.Join(dir, f), rel+f+"/"); err != nil {
			return err
		}
	}
	return nil
}

// folder lists the files of one folder and returns the folders in it.
func (w *walker) folder(dir, rel string) (folders []string, err error) {
	d, err := repofile.OpenFolder(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	entries, err := d.ReadDir(-1)
	if err != nil {
		return nil, err
	}
	// Sorting these is cheaper than sorting files, which are then in order.
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	files := make([]File, 0, len(entries))
	head := w.head(rel)
	depth := strings.Count(head+rel, "/")
	for _, e := range entries {
		name := head + rel + e.Name()
		at := name[len(head):]
		switch {
		case e.IsDir():
			if w.source.enters(at) {
				folders = append(folders, e.Name())
			}
		case !w.source.takes(at):
		case e.Type().IsRegular():
			f := File{Name: name, Dir: dir, depth: depth, Included: w.source.Included, Author: w.source.Author}
			if w.source.Untrusted == nil || !w.source.Untrusted(at) || w.admits(&f) {
				files = append(files, f)
			}
		case !w.source.Included: // nobody has to hear of a link in the repository
			w.Skipped = append(w.Skipped, name+": not a regular file")
		}
	}
	statHalves(d, files, w.now)
	w.keep(files)
	return folders, nil
}

// head is what stands before the paths of the folder at rel: the prefix. A
// repository may have a folder called as another source's prefix: its files
// begin with "./".
func (w *walker) head(rel string) string {
	taken := func(s Source) bool { return s.Prefix != "" && strings.HasPrefix(rel, s.Prefix) }
	if w.source.Prefix == "" && slices.ContainsFunc(w.others, taken) {
		return "./"
	}
	return w.source.Prefix
}

// untrustedMark stands before the names of files that the repository brought
// and nobody accepted: one that is accepted is another file to the index. No
// relative path begins so.
const untrustedMark = "//"

// Bounds of what is indexed of such files: one, in bytes, and how many in all.
// Whoever writes a repository decides how large they are.
const (
	maxUntrusted      = 1 << 20
	maxUntrustedFiles = 200
)

// admits counts f, which came with the repository; false says that it is not to be
// read.
func (w *walker) admits(f *File) bool {
	f.Name, f.Included = untrustedMark+f.Name, true
	if w.untrusted++; w.untrusted > maxUntrustedFiles {
		if w.untrusted == maxUntrustedFiles+1 {
			w.Skipped = append(w.Skipped, fmt.Sprintf("%s: only %d files that came with the repository are searched", w.source.Prefix, maxUntrustedFiles))
		}
		return false
	}
	return true
}

// CutUntrusted is the path of a file, and whether the repository brought it.
func CutUntrusted(path string) (string, bool) { return strings.CutPrefix(path, untrustedMark) }
