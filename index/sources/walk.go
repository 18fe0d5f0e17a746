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

	"agentflow/internal/safefile"
)

// walker lists one source.
type walker struct {
	*Files
	now    time.Time
	source *Source
	others []Source
}

// walk lists the folder at rel, "" or "docs/", and the folders below it.
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

// folder lists the files of one folder and returns the names of the folders in
// it.
func (w *walker) folder(dir, rel string) (folders []string, err error) {
	d, err := safefile.OpenFolder(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	entries, err := d.ReadDir(-1)
	if err != nil {
		return nil, err
	}
	// Sorting the entries is cheaper than sorting files, which are then in
	// order.
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
		case !w.source.Included: // links in the repository are not reported
			w.Skipped = append(w.Skipped, name+": not a regular file")
		}
	}
	statHalves(d, files, w.now)
	w.keep(files)
	return folders, nil
}

// head returns the prefix of the paths in the folder at rel. If a folder of the
// repository has the same name as another source's prefix, its files get the
// prefix "./".
func (w *walker) head(rel string) string {
	taken := func(s Source) bool { return s.Prefix != "" && strings.HasPrefix(rel, s.Prefix) }
	if w.source.Prefix == "" && slices.ContainsFunc(w.others, taken) {
		return "./"
	}
	return w.source.Prefix
}

// untrustedMark begins the names of files that came with the
// repository and were not accepted: for the index, an accepted file is another
// file. No relative path begins with it.
const untrustedMark = "//"

// Limits for such files: the size of one in bytes, and the number of all. The
// author of a repository decides how large they are.
const (
	maxUntrusted      = 1 << 20
	maxUntrustedFiles = 200
)

// admits marks and counts f, which came with the repository, and reports
// whether it is to be read.
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

// CutUntrusted returns the path of a file, and whether it came with the
// repository.
func CutUntrusted(path string) (string, bool) { return strings.CutPrefix(path, untrustedMark) }
