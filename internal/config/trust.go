package config

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"agentflow/internal/atomicfile"
)

// record is a JSON file of the user's state that holds values by name.
type record[T any] struct{ path string }

// read returns all values, or none if there is no file.
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

// change replaces the contents of the file by the result of edit. It removes
// the file if there are no values.
func (r record[T]) change(edit func(map[string]T)) error {
	all, err := r.read()
	if err != nil {
		return err
	}
	if edit(all); len(all) == 0 {
		if err := os.Remove(r.path); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	data, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return fmt.Errorf("writing %s: %w", r.path, err)
	}
	if err := os.MkdirAll(filepath.Dir(r.path), 0o700); err != nil {
		return fmt.Errorf("writing %s: %w", r.path, err)
	}
	return atomicfile.Write(r.path, append(data, '\n'), 0o600)
}

// Trust records which repository config files the user trusts, by the hash of
// their contents: a changed file is not trusted.
type Trust struct{ record[string] }

// Trust opens the user's trust file.
func (d Dirs) Trust() Trust { return Trust{record[string]{filepath.Join(d.State, "trust.json")}} }

// Path returns the path of the trust file.
func (t Trust) Path() string { return t.path }

// Sum returns the hash of the trusted contents of file, or "" if the user does
// not trust it. The caller must compare it with the hash of exactly the bytes
// that it uses.
func (t Trust) Sum(file string) (string, error) {
	all, err := t.read()
	return all[file], err
}

// Grant trusts file while its contents are data.
func (t Trust) Grant(file string, data []byte) error {
	return t.change(func(all map[string]string) { all[file] = sum(data) })
}

// Revoke revokes the trust in file.
func (t Trust) Revoke(file string) error {
	return t.change(func(all map[string]string) { delete(all, file) })
}

func sum(data []byte) string {
	h := sha256.Sum256(data)
	return hex.EncodeToString(h[:])
}

// MemoryTrust records which memory files that came with a repository the user
// accepts. For settings see Trust.
type MemoryTrust struct{ record[Accepted] }

// MemoryTrust opens the user's record.
func (d Dirs) MemoryTrust() MemoryTrust {
	return MemoryTrust{record[Accepted]{filepath.Join(d.State, "memory-trust.json")}}
}

// Accepted holds the accepted contents of one memory folder.
type Accepted struct {
	// Files holds the ids of the accepted contents, by path. Contents that git
	// changes have another id.
	Files map[string][]string `json:"files,omitempty"`
	// Seen holds the size and time of the files that were changed here since.
	Seen map[string]string `json:"seen,omitempty"`
	// Reported is the Fingerprint of the files that were last reported to the
	// user.
	Reported string `json:"told,omitempty"`
}

// maxAccepted limits the remembered contents of one file.
const maxAccepted = 8

// Accepts reports whether the contents that git tracks at a path are accepted.
func (a Accepted) Accepts(path, id string) bool { return slices.Contains(a.Files[path], id) }

// Accept accepts contents.
func (a *Accepted) Accept(path, id string) {
	if a.Files == nil {
		a.Files = map[string][]string{}
	}
	if ids := a.Files[path]; !slices.Contains(ids, id) {
		a.Files[path] = append(ids[max(0, len(ids)-maxAccepted+1):], id)
	}
}

// Of returns the accepted contents of a memory folder.
func (t MemoryTrust) Of(memory string) (Accepted, error) {
	all, err := t.read()
	return all[memory], err
}

// Set stores the accepted contents; the zero Accepted removes the record.
func (t MemoryTrust) Set(memory string, a Accepted) error {
	return t.change(func(all map[string]Accepted) {
		all[memory] = a
		maps.DeleteFunc(all, func(_ string, a Accepted) bool { return len(a.Files) == 0 && a.Reported == "" })
	})
}

// Fingerprint returns a hash of a set of files, so that the same set is not
// reported again.
func Fingerprint(files []string) string {
	h := sha256.New()
	for _, f := range files {
		h.Write(append([]byte(f), 0))
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
