// Package docs generates the documents docs/settings.md and docs/json.md from
// the code that they describe. Its test compares them with the files; `make
// docs` writes the files.
package docs

import (
	"os"
	"path/filepath"
)

// All returns the README and all files in docs and docs/notes, by their paths below root.
func All(root string) (map[string]string, error) {
	paths := []string{filepath.Join(root, "README.md")}
	for _, folder := range []string{"docs", "docs/notes"} {
		names, err := filepath.Glob(filepath.Join(root, folder, "*.md"))
		if err != nil {
			return nil, err
		}
		paths = append(paths, names...)
	}
	all := map[string]string{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return nil, err
		}
		all[filepath.ToSlash(name)] = string(text)
	}
	return all, nil
}
