package config

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"agentflow/internal/atomicfile"
)

// Trust remembers which repository config files the user trusts, by the hash
// of their contents: a changed file is a stranger again.
type Trust struct{ path string }

// Trust opens the user's trust file.
func (d Dirs) Trust() Trust { return Trust{filepath.Join(d.State, "trust.json")} }

// Path is where the trust file stands.
func (t Trust) Path() string { return t.path }

// Sum is the hash of the contents of file that the user trusts; empty when
// there is none. Compare it with the very bytes that are used.
func (t Trust) Sum(file string) (string, error) {
	all, err := t.read()
	return all[file], err
}

// Grant trusts file as long as its contents are data.
func (t Trust) Grant(file string, data []byte) error {
	return t.change(func(all map[string]string) { all[file] = sum(data) })
}

// Revoke takes trust in file back.
func (t Trust) Revoke(file string) error {
	return t.change(func(all map[string]string) { delete(all, file) })
}

func (t Trust) change(edit func(map[string]string)) error {
	all, err := t.read()
	if err != nil {
		return err
	}
	edit(all)
	data, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return fmt.Errorf("writing %s: %w", t.path, err)
	}
	if err := os.MkdirAll(filepath.Dir(t.path), 0o700); err != nil {
		return fmt.Errorf("writing %s: %w", t.path, err)
	}
	return atomicfile.Write(t.path, append(data, '\n'), 0o600)
}

func (t Trust) read() (map[string]string, error) {
	all := map[string]string{}
	data, err := os.ReadFile(t.path)
	if errors.Is(err, fs.ErrNotExist) {
		return all, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading trust: %w", err)
	}
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, fmt.Errorf("reading trust in %s: %w", t.path, err)
	}
	return all, nil
}

func sum(data []byte) string {
	h := sha256.Sum256(data)
	return hex.EncodeToString(h[:])
}
