package scan

import (
	"errors"
	"os"
	"path/filepath"
)

// errNoFolder means that there is no folder at a path: nothing, something else, or a folder behind
// a link.
var errNoFolder = errors.New("it is no folder")

// workDir opens the folders of a work tree.
type workDir struct {
	root string
	dirs *realDirs
	workHandle
}

// openDir is one folder that is being examined. It is held open if the system can examine names
// relative to it, so that the path need not be resolved for each.
type openDir struct {
	path string // on disk
	dirHandle
}

// dirName is one name in a folder. It is valid until the listing continues.
type dirName struct {
	name []byte
	kind fileKind
}

// openByPath is open for systems without anything faster.
func (w *workDir) openByPath(folder string) (*openDir, error) {
	d := &openDir{path: filepath.Join(w.root, filepath.FromSlash(folder)), dirHandle: noHandle}
	if folder == "" {
		return d, nil
	}
	real, err := w.dirs.isReal(folder[:len(folder)-1])
	if err == nil && !real {
		err = errNoFolder
	}
	return d, err
}

// statByPath is stat for a folder that is not held open.
func (d *openDir) statByPath(name string) (Stat, error) {
	return statPath(filepath.Join(d.path, name))
}

// listByPath is list for a folder that is not held open.
func (d *openDir) listByPath(each func(dirName)) error {
	f, err := os.Open(d.path)
	if err != nil {
		return err
	}
	defer f.Close()
	names, err := f.ReadDir(-1)
	for _, n := range names {
		each(dirName{[]byte(n.Name()), kindOf(n.Type())})
	}
	return err
}
