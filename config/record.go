package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"agentflow/internal/atomicfile"
)

// record is a JSON file of the user's state that holds values by name.
type record[T any] struct{ path string }

// read returns all values; none where there is no file.
func (r record[T]) read() (map[string]T, error) {
	all := map[string]T{}
	data, err := os.ReadFile(r.path)
	if errors.Is(err, fs.ErrNotExist) {
		return all, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading trust: %w", err)
	}
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, fmt.Errorf("reading trust in %s: %w", r.path, err)
	}
	return all, nil
}

// change replaces the file by what edit makes of it.
func (r record[T]) change(edit func(map[string]T)) error {
	all, err := r.read()
	if err != nil {
		return err
	}
	edit(all)
	data, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return fmt.Errorf("writing %s: %w", r.path, err)
	}
	if err := os.MkdirAll(filepath.Dir(r.path), 0o700); err != nil {
		return fmt.Errorf("writing %s: %w", r.path, err)
	}
	return atomicfile.Write(r.path, append(data, '\n'), 0o600)
}
