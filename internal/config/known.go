package config

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"agentflow/internal/atomicfile"
)

// Known lists the memories of this user, so that they can be found without
// searching the disk. It has a file for each, with the path of the memory's
// folder. It is safe for concurrent use.
type Known struct{ dir string }

// Known returns the user's list of memories. Without a state folder it stays empty.
func (d Dirs) Known() Known {
	if d.State == "" {
		return Known{}
	}
	return Known{filepath.Join(d.State, "memories")}
}

// Note adds a memory, given by its folder, unless it is already listed.
func (k Known) Note(root string) error {
	if k.dir == "" {
		return nil
	}
	file := k.file(root)
	if _, err := os.Lstat(file); err == nil {
		return nil
	}
	if err := os.MkdirAll(k.dir, 0o700); err != nil {
		return err
	}
	return atomicfile.Write(file, []byte(root), 0o600)
}

// Forget removes a memory from the list, and the list when it is then empty.
func (k Known) Forget(root string) error {
	if err := os.Remove(k.file(root)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	_ = os.Remove(k.dir) // fails unless the list is now empty
	return nil
}

// file returns the path of the file of a memory.
func (k Known) file(root string) string {
	sum := sha256.Sum256([]byte(root))
	return filepath.Join(k.dir, hex.EncodeToString(sum[:8]))
}

// List returns the folders of the memories that still exist, sorted.
func (k Known) List() (roots []string) {
	files, _ := os.ReadDir(k.dir) // without the folder there are no memories
	for _, f := range files {
		root, err := os.ReadFile(filepath.Join(k.dir, f.Name()))
		if err != nil || !filepath.IsAbs(string(root)) {
			continue
		}
		if info, err := os.Stat(string(root)); err == nil && info.IsDir() {
			roots = append(roots, string(root))
		}
	}
	slices.Sort(roots)
	return slices.Compact(roots)
}
