package scan

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"

	"agentflow/gitwatch/internal/git"
	"agentflow/gitwatch/internal/gitindex"
)

// visitor visits the folders of a work tree.
type visitor struct {
	scan  *scan
	mu    sync.Mutex
	found []unindexedPath // untracked files
	next  []string        // untracked folders still to visit
}

// lookers sets the least number of goroutines that examine folders. Git uses as many threads.
// Examining a folder waits for the disk if the page cache does not hold it: with two lookers, a
// cold work tree of 6,700 folders took 1.35 times as long as with git.
const lookers = 20

// visit compares all tracked files by stat and returns the untracked ones.
func (s *scan) visit(ctx context.Context) []unindexedPath {
	v := &visitor{scan: s}
	parts := partsOf(s.index)
	workers := max(lookers, runtime.GOMAXPROCS(0))
	each(ctx, workers, len(parts), func(i int) { v.part(ctx, parts[i]) })
	for len(v.next) > 0 {
		folders := v.next
		v.next = nil
		each(ctx, workers, len(folders), func(i int) { v.untracked(folders[i]) })
	}
	return v.found
}

// maxPart limits the entries of one folder compared at a time, so that a folder with many
// files is shared among the processors.
const maxPart = 2048

// part is one folder of the index, or some of its entries.
type part struct {
	*folderVisit
	entries gitindex.Span
}

// folderVisit is one folder while its parts are compared.
type folderVisit struct {
	*gitindex.Folder
	files atomic.Int64 // tracked files that exist
	left  atomic.Int64 // parts still to compare
}

// partsOf returns the pieces of work for an index.
func partsOf(x *gitindex.Index) []part {
	var parts []part
	for _, f := range x.Folders {
		if git.InOwnFolder(f.Path) {
			continue
		}
		visit := &folderVisit{Folder: f}
		before := len(parts)
		for _, s := range f.Spans {
			for from := s.From; from < s.To; from += maxPart {
				parts = append(parts, part{visit, gitindex.Span{From: from, To: min(from+maxPart, s.To)}})
			}
		}
		if len(parts) == before { // it holds only folders
			parts = append(parts, part{folderVisit: visit})
		}
		visit.left.Store(int64(len(parts) - before))
	}
	return parts
}

// part compares entries of a folder. The last part also looks for other names in it. Names of the
// index that are not files, such as AgentFlow's own, only cause the folder's names to be compared.
func (v *visitor) part(ctx context.Context, p part) {
	d, err := v.scan.tree.open(p.Path)
	if err != nil && !errors.Is(err, errNoFolder) {
		v.scan.addUnread(p.Path, err)
		return
	}
	if d != nil {
		defer d.close()
	}
	for i := p.entries.From; i < p.entries.To; i++ {
		e := &v.scan.index.Entries[i]
		if i > 0 && v.scan.index.Entries[i-1].Name == e.Name || git.InOwnFolder(e.Name) {
			continue // a side of a conflict
		}
		if d != nil && v.scan.knownClean(i) {
			p.files.Add(1)
			continue
		}
		v.entry(ctx, e, d, p.folderVisit)
	}
	if p.left.Add(-1) == 0 && d != nil {
		v.untrackedIn(p.Folder, d, int(p.files.Load()))
	}
}

// entry compares one entry. d is nil if its folder does not exist.
func (v *visitor) entry(ctx context.Context, e *gitindex.Entry, d *openDir, f *folderVisit) {
	var st Stat
	if d != nil {
		var err error
		if st, err = d.stat(e.Name[len(f.Path):]); err != nil {
			v.scan.addUnread(e.Name, err)
			return
		}
	}
	if st.there && st.kind != kindFolder {
		f.files.Add(1)
	}
	if e.Merged() {
		v.scan.compare(ctx, e, st)
	}
}

// untrackedIn looks for untracked names in a folder of the index. A folder that holds as many files
// as are tracked and present holds no others, so no name need be compared.
func (v *visitor) untrackedIn(f *gitindex.Folder, d *openDir, present int) {
	names, err := v.names(f.Path, d, present)
	if err != nil {
		v.scan.addUnread(f.Path, err)
		return
	}
	for _, name := range names.folders {
		switch {
		case v.isGitlink(f, name):
			v.scan.addHidden(f.Path + name + "/")
		case f.Sub(name) == nil:
			v.addFolder(f.Path + name)
		}
	}
	for name := range names.each() {
		if v.scan.index.Find(f.Path+string(name), f) == nil {
			v.addFile(f.Path, string(name), d)
		}
	}
}

func (v *visitor) isGitlink(f *gitindex.Folder, name string) bool {
	e := v.scan.index.Find(f.Path+name, f)
	return e != nil && e.Mode() == git.ModeGitlink
}

// untracked visits a folder without tracked files. It does not enter a nested repository.
func (v *visitor) untracked(path string) {
	d, err := v.scan.tree.open(path)
	if errors.Is(err, errNoFolder) {
		return // it was removed after it was listed
	}
	if err != nil {
		v.scan.addUnread(path, err)
		return
	}
	defer d.close()
	names, err := v.names(path, d, 0)
	if err != nil {
		v.scan.addUnread(path, err)
		return
	}
	if names.git && isRepository(d.path) {
		v.scan.addHidden(path)
		return
	}
	for _, name := range names.folders {
		v.addFolder(path + name)
	}
	for name := range names.each() {
		v.addFile(path, string(name), d)
	}
}

// addFolder adds an untracked folder to those to visit, unless it is ignored.
func (v *visitor) addFolder(path string) {
	if git.InOwnFolder(path) {
		return
	}
	if v.ignored(path, true) {
		v.scan.addHidden(path + "/")
		return
	}
	v.mu.Lock()
	v.next = append(v.next, path+"/")
	v.mu.Unlock()
}

// addFile adds an untracked file, unless it is ignored.
func (v *visitor) addFile(folder, name string, d *openDir) {
	path := folder + name
	if git.InOwnFolder(path) {
		return
	}
	if v.ignored(path, false) {
		v.scan.addHidden(path)
		return
	}
	st, err := d.stat(name)
	if err != nil {
		v.scan.addUnread(path, err)
	}
	if !st.there || st.kind == kindFolder {
		return // it was removed, or changed, after the folder was listed
	}
	v.mu.Lock()
	v.found = append(v.found, unindexedPath{path: path, stat: st, untracked: true})
	v.mu.Unlock()
}

// ignored reports whether the rules ignore a path. Rules that cannot be read ignore nothing.
func (v *visitor) ignored(path string, isDir bool) bool {
	ignored, err := v.scan.ignores.Ignored(path, isDir)
	if err != nil {
		v.scan.addUnread(path, err)
	}
	return ignored
}

// folderNames holds the names in a folder.
type folderNames struct {
	git     bool // there is a .git
	folders []string
	count   int    // number of all others
	files   []byte // the files and links among those, each ended by NUL; nil if they were not kept
}

func (n folderNames) each() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for name := range bytes.SplitSeq(bytes.TrimSuffix(n.files, []byte{0}), []byte{0}) {
			if len(name) > 0 && !yield(name) {
				return
			}
		}
	}
}

// names lists a folder, or returns its remembered names. It does not keep the names of files if
// there are as many as are known to be present.
func (v *visitor) names(path string, d *openDir, present int) (folderNames, error) {
	st, err := d.stat("")
	if err != nil {
		return folderNames{}, err
	}
	known := v.scan.remembered.folders[path]
	names := known.names
	if known.stat != st || names.files == nil && names.count != present {
		if names, err = listNames(d, present); err != nil {
			return names, err
		}
	}
	if v.scan.trusts && st.dev == v.scan.top.dev {
		v.scan.newlySeen.add(st, func(r *remembered) { r.folders[path] = rememberedFolder{st, names} })
	}
	return names, nil
}

// nameBuffers provides buffers for folders with names that are not kept.
var nameBuffers = sync.Pool{New: func() any { return new([]byte) }}

func listNames(d *openDir, present int) (folderNames, error) {
	var names folderNames
	buffer := nameBuffers.Get().(*[]byte)
	files := (*buffer)[:0]
	err := d.list(func(n dirName) {
		switch {
		case string(n.name) == ".git":
			names.git = true
		case n.kind == kindFolder:
			names.folders = append(names.folders, string(n.name))
		default:
			names.count++
			if n.kind != kindOther {
				files = append(append(files, n.name...), 0)
			}
		}
	})
	if names.count != present {
		names.files = append([]byte{}, files...)
	}
	*buffer = files
	nameBuffers.Put(buffer)
	return names, err
}

// isRepository reports whether .git makes a folder the top of a repository: it holds a HEAD, or is
// a file that points to a repository.
func isRepository(dir string) bool {
	dot := filepath.Join(dir, ".git")
	info, err := os.Lstat(dot)
	if err != nil {
		return false
	}
	_, err = os.Lstat(filepath.Join(dot, "HEAD"))
	return err == nil || !info.IsDir()
}
