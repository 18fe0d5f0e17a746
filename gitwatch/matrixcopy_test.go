package gitwatch

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// copyTree copies a folder with its times and modes. Objects, which git never
// changes, are linked; files that name the folder are made to name the copy.
func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		info, err := e.Info()
		switch {
		case err != nil:
			return err
		case e.IsDir():
			return os.MkdirAll(target, 0o755)
		case info.Mode()&os.ModeSymlink != 0:
			link, err := os.Readlink(path)
			if err != nil {
				return err
			}
			return os.Symlink(link, target)
		case strings.Contains(rel, "objects"+string(filepath.Separator)) && e.Name() != "alternates":
			return os.Link(path, target)
		}
		return copyFile(path, target, info, func(text []byte) []byte {
			switch e.Name() {
			case ".git", "gitdir", "alternates", "config":
				return bytes.ReplaceAll(text, []byte(from), []byte(to))
			}
			return text
		})
	})
}

// copyFile copies a file with its times and mode, and edits the text of the copy.
func copyFile(from, to string, info fs.FileInfo, edits ...func([]byte) []byte) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	for _, edit := range edits {
		text = edit(text)
	}
	if err := os.WriteFile(to, text, info.Mode().Perm()); err != nil {
		return err
	}
	return os.Chtimes(to, info.ModTime(), info.ModTime())
}
