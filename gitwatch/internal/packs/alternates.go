package packs

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"agentflow/internal/safefile"
)

// Bounds of alternates: how many levels deep they may refer to others, as in git, and the size of
// the file that names them, in bytes.
const (
	maxHops       = 5
	maxAlternates = 1 << 20
)

// withAlternates returns a folder of objects and those that it borrows from
// (gitrepository-layout(5), objects/info/alternates).
func withAlternates(objects string) ([]string, error) {
	all := []string{filepath.Clean(objects)}
	for hop, level := 0, all; hop < maxHops && len(level) > 0; hop++ {
		var next []string
		for _, folder := range level {
			named, err := alternates(folder)
			if err != nil {
				return nil, err
			}
			for _, path := range named {
				if !slices.Contains(all, path) {
					all, next = append(all, path), append(next, path)
				}
			}
		}
		level = next
	}
	return all, nil
}

// alternates returns the folders that one folder names, one per line.
func alternates(folder string) (list []string, err error) {
	file := filepath.Join(folder, "info", "alternates")
	text, err := safefile.Read(file, safefile.AnyLink, maxAlternates)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading alternates: %w", err)
	}
	for line := range strings.Lines(string(text)) {
		path := strings.TrimSuffix(line, "\n")
		if path == "" || strings.HasPrefix(path, "#") {
			continue
		}
		if strings.HasPrefix(path, `"`) {
			if path, err = strconv.Unquote(path); err != nil {
				return nil, fmt.Errorf("reading %s: %w", file, err)
			}
		}
		if !filepath.IsAbs(path) {
			path = filepath.Join(folder, path)
		}
		list = append(list, filepath.Clean(path))
	}
	return list, nil
}
