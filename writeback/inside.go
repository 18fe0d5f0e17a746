package writeback

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// inside refuses a path that, with every symlink followed, leaves the folder
// that holds .agentflow: a repository that somebody else wrote must not make
// us write elsewhere. What does not exist yet is judged by its nearest
// existing parent; a symlink that points to nothing is refused.
func (s *Store) inside(path string) error {
	root, err := filepath.EvalSymlinks(filepath.Dir(filepath.Dir(s.Memory)))
	if err != nil {
		return err
	}
	real, err := s.real(path)
	if err != nil {
		return err
	}
	rel, err := filepath.Rel(root, real)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return fmt.Errorf("%s leads outside %s", path, root)
	}
	return nil
}

func (s *Store) real(path string) (string, error) {
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
