//go:build !linux

package scan

import (
	"path/filepath"

	"agentflow/gitwatch/internal/git"
)

type (
	workHandle struct{}
	dirHandle  struct{}
)

var noHandle dirHandle

func (w *workDir) begin() error { return nil }
func (w *workDir) end()         {}

// read returns the contents of a file, which may have grown to git.MaxRead bytes.
func (w *workDir) read(path string, _ int64) ([]byte, error) {
	return git.ReadFile(filepath.Join(w.root, filepath.FromSlash(path)), git.ModeFile, git.MaxRead)
}

// open opens a folder of the work tree, "" or ending in '/', without following links on the way.
// The error is errNoFolder if there is no folder.
func (w *workDir) open(folder string) (*openDir, error) { return w.openByPath(folder) }

func (d *openDir) close() {}

// stat examines a name in the folder, or with "" the folder itself, without following a link.
func (d *openDir) stat(name string) (Stat, error) { return d.statByPath(name) }

// list calls each for every name in the folder, in no order.
func (d *openDir) list(each func(dirName)) error { return d.listByPath(each) }
