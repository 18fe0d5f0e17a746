package scan

import (
	"context"
	"slices"

	"agentflow/gitwatch/internal/git"
	"agentflow/gitwatch/internal/gitindex"
)

// File is a tracked file in the work tree. Times are in nanoseconds since 1970. Ctime and Inode are
// 0 if the system has none.
type File struct {
	Path               string
	Size, Mtime, Ctime int64
	Inode              uint64
}

// Files returns the tracked regular files that are in the work tree, sorted by path. It leaves out
// submodules, links, everything behind a link, and files that cannot be examined.
func (w *WorkTree) Files(ctx context.Context) ([]File, error) {
	x, _, whole, err := gitindex.Read(ctx, w.Place, w.lastLook().index)
	if err != nil {
		return nil, err
	}
	tree := &workDir{root: w.Top, dirs: newRealDirs(w.Top)}
	if err := tree.begin(); err != nil {
		return nil, err
	}
	defer tree.end()
	files := make([]File, len(x.Entries))
	for _, f := range x.Folders {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		tree.look(x, f, files)
	}
	return slices.DeleteFunc(files, func(f File) bool { return f.Path == "" }), <-whole
}

// look fills in the files of one folder, at the indexes of their entries.
func (w *workDir) look(x *gitindex.Index, f *gitindex.Folder, files []File) {
	if git.InOwnFolder(f.Path) || len(f.Spans) == 0 {
		return
	}
	d, err := w.open(f.Path)
	if err != nil {
		return
	}
	defer d.close()
	for _, span := range f.Spans {
		for i := span.From; i < span.To; i++ {
			name := x.Entries[i].Name
			if git.InOwnFolder(name) || i > 0 && x.Entries[i-1].Name == name { // a side of a conflict
				continue
			}
			if st, err := d.stat(name[len(f.Path):]); err == nil && st.kind == kindFile {
				files[i] = File{name, st.size, st.mtime.Nanos(), st.ctime.Nanos(), st.ino}
			}
		}
	}
}
