// Package bytesearch finds a text in every file below folders, like an attacker
// with the disk: in the bytes of files, in members of ZIP archives, and in git
// objects, loose or packed, reachable or not.
package bytesearch

import (
	"archive/zip"
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Find lists the files, members and objects below folders that contain a text,
// ignoring case.
func Find(text string, dirs ...string) (found []string, err error) {
	mark := []byte(strings.ToLower(text))
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return nil // the file was removed meanwhile
			case d.IsDir() && filepath.Base(path) == "pack" && filepath.Base(filepath.Dir(path)) == "objects":
				list, err := packed(filepath.Dir(filepath.Dir(path)), mark)
				found = append(found, list...)
				return err
			case !d.Type().IsRegular():
				return nil
			}
			data, err := os.ReadFile(path)
			if err != nil {
				return nil
			}
			for _, form := range forms(data) {
				if bytes.Contains(bytes.ToLower(form), mark) {
					found = append(found, path)
					break
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// forms returns a file's bytes, and its decompressed contents if it is
// compressed.
func forms(data []byte) [][]byte {
	list := [][]byte{data}
	if r, err := zlib.NewReader(bytes.NewReader(data)); err == nil {
		if whole, err := io.ReadAll(r); err == nil {
			list = append(list, whole)
		}
	}
	if z, err := zip.NewReader(bytes.NewReader(data), int64(len(data))); err == nil {
		for _, member := range z.File {
			if r, err := member.Open(); err == nil {
				whole, _ := io.ReadAll(r)
				list = append(list, whole)
			}
		}
	}
	return list
}

// packed lists the packed objects of a git directory that contain a text.
func packed(dir string, mark []byte) (found []string, err error) {
	packs, _ := filepath.Glob(filepath.Join(dir, "objects", "pack", "*.idx"))
	for _, index := range packs {
		out, err := exec.Command("git", "-C", dir, "verify-pack", "-v", index).Output()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", index, err)
		}
		for line := range strings.Lines(string(out)) {
			words := strings.Fields(line)
			if len(words) < 5 || len(words[0]) < 40 {
				continue
			}
			object, err := exec.Command("git", "-C", dir, "cat-file", words[1], words[0]).Output()
			if err == nil && bytes.Contains(bytes.ToLower(object), mark) {
				found = append(found, index+" "+words[0])
			}
		}
	}
	return found, nil
}
