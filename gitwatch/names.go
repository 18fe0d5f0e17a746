package gitwatch

import (
	"bytes"
	"iter"
	"os"
	"path/filepath"
	"sync"
)

// folderNames are the names in a folder.
type folderNames struct {
	git     bool // there is a .git
	folders []string
	count   int    // of all others
	files   []byte // of those the files and links, each ended by NUL; nil when they were not kept
}

// each goes through the files.
func (n folderNames) each() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for name := range bytes.SplitSeq(bytes.TrimSuffix(n.files, []byte{0}), []byte{0}) {
			if len(name) > 0 && !yield(name) {
				return
			}
		}
	}
}

// names lists a folder, or remembers what it held. Where it holds as many
// files as are known to be there, their names are not kept.
func (v *visits) names(path string, d *openDir, present int) (folderNames, error) {
	st, err := d.stat("")
	if err != nil {
		return folderNames{}, err
	}
	known := v.known.folders[path]
	names := known.names
	if known.stat != st || names.files == nil && names.count != present {
		if names, err = listNames(d, present); err != nil {
			return names, err
		}
	}
	if v.trusts && st.dev == v.top.dev {
		v.learned.folder(path, st, names)
	}
	return names, nil
}

// nameBuffers spare a folder whose names are not kept a buffer for them.
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

// isRepository says whether .git makes a folder the top of a repository: it
// holds a HEAD, or is a file that points to one.
func isRepository(dir string) bool {
	dot := filepath.Join(dir, ".git")
	info, err := os.Lstat(dot)
	if err != nil {
		return false
	}
	_, err = os.Lstat(filepath.Join(dot, "HEAD"))
	return err == nil || !info.IsDir()
}
