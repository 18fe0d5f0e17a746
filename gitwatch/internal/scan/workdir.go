package scan

import (
	"errors"
	"os"
	"path/filepath"
)

// errNoFolder says that no folder stands at a path: nothing, something else,
// or one that a link leads to.
var errNoFolder = errors.New("it is no folder")

// workDir opens the folders of a work tree.
type workDir struct {
	root string
	dirs *realDirs
	workHandle
}

// openDir is one folder that is being looked at. It is held open where the system can
// look at names relative to it, so that it need not follow the path for each.
type openDir struct {
	path string // on disk
	dirHandle
}

// dirName is one name in a folder; it is valid until the listing goes on.
type dirName struct {
	name []byte
	kind fileKind
}

// openByPath is open where the system has nothing faster.
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

// statByPath is stat where the folder is not held open.
func (d *openDir) statByPath(name string) (Stat, error) {
	return statPath(filepath.Join(d.path, name))
}

// listByPath is list where the folder is not held open.
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
