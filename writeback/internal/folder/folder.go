package folder

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"agentflow/memory"
	"agentflow/writeback/internal/options"
)

// Folder is the folder of Markdown files. No method follows a link, or writes outside of the work
// tree.
type Folder struct{ *options.Place }

// Prepare creates missing folders with mode 0700 and .agentflow/.gitignore with mode 0600. It
// changes no existing file, except an empty .gitignore. A person who wants memory in git writes
// something into it, if only a comment. Prepare refuses a memory folder that a symlink leads out of
// the work tree.
func (d Folder) Prepare() error {
	root := filepath.Dir(d.Memory)
	err := d.makeFolder(root)
	if err == nil {
		err = d.ignore(filepath.Join(root, ".gitignore"))
	}
	if err == nil {
		err = d.makeFolder(d.Memory)
	}
	if err != nil {
		return fmt.Errorf("preparing memory: %w", err)
	}
	return nil
}

func (d Folder) makeFolder(path string) error {
	if err := d.Inside(path); err != nil {
		return err
	}
	return d.Sys.MkdirAll(path, 0o700)
}

// Init runs Prepare, and creates a MEMORY.md for durable facts if there is none.
func (d Folder) Init() error {
	if err := d.Prepare(); err != nil {
		return err
	}
	if err := d.create(filepath.Join(d.Memory, memory.LastingFile), "# "+memory.FileTitle(memory.LastingFile)+"\n"); err != nil {
		return fmt.Errorf("preparing memory: %w", err)
	}
	return nil
}

const ignoring = "*\n"

// ignore creates the .gitignore, or fills an empty one.
func (d Folder) ignore(path string) error {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > 0 {
		return d.create(path, ignoring)
	}
	f, err := d.Sys.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = io.WriteString(f, ignoring)
	return errors.Join(err, f.Close())
}

func (d Folder) create(path, text string) error {
	if _, err := os.Lstat(path); err == nil {
		return nil
	}
	f, err := d.Sys.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = io.WriteString(f, text)
	return errors.Join(err, f.Close())
}

// Inside refuses a path that, with every symlink followed, leaves the folder that holds .agentflow.
// A repository from somewhere else must not make us write outside. A path that does not exist yet
// is judged by its nearest existing parent. A symlink that points to nothing is refused.
func (d Folder) Inside(path string) error {
	root, err := filepath.EvalSymlinks(filepath.Dir(filepath.Dir(d.Memory)))
	if err != nil {
		return err
	}
	real, err := resolved(path)
	if err != nil {
		return err
	}
	rel, err := filepath.Rel(root, real)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return fmt.Errorf("%s leads outside %s", path, root)
	}
	return nil
}

func resolved(path string) (string, error) {
	var missing []string
	for at := path; ; at = filepath.Dir(at) {
		real, err := filepath.EvalSymlinks(at)
		if err == nil {
			return filepath.Join(append([]string{real}, missing...)...), nil
		}
		if !errors.Is(err, fs.ErrNotExist) || filepath.Dir(at) == at {
			return "", err
		}
		if isLink(at) {
			return "", fmt.Errorf("%s is a symlink that points to nothing", at)
		}
		missing = append([]string{filepath.Base(at)}, missing...)
	}
}

func isLink(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}
