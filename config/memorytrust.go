package config

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"path/filepath"
	"slices"
)

// MemoryTrust remembers which memory files that a repository brought the user
// accepts. It says nothing of settings: see Trust.
type MemoryTrust struct{ record[Accepted] }

// MemoryTrust opens the user's record of it.
func (d Dirs) MemoryTrust() MemoryTrust {
	return MemoryTrust{record[Accepted]{filepath.Join(d.State, "memory-trust.json")}}
}

// Accepted is what is remembered of one memory folder.
type Accepted struct {
	// Files are the ids of the contents that the user accepts, by path. What
	// git brings instead has another id.
	Files map[string][]string `json:"files,omitempty"`
	// Seen are the size and time of those that were changed here since.
	Seen map[string]string `json:"seen,omitempty"`
	// Told stands for the files that the user was told of last.
	Told string `json:"told,omitempty"`
}

// maxAccepted is how many contents of one file are remembered.
const maxAccepted = 8

// Accepts says whether the contents that git tracks at a path are accepted.
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

// Of is what is remembered of a memory folder.
func (t MemoryTrust) Of(memory string) (Accepted, error) {
	all, err := t.read()
	return all[memory], err
}

// Set remembers it; the zero Accepted forgets it.
func (t MemoryTrust) Set(memory string, a Accepted) error {
	return t.change(func(all map[string]Accepted) {
		all[memory] = a
		maps.DeleteFunc(all, func(_ string, a Accepted) bool { return len(a.Files) == 0 && a.Told == "" })
	})
}

// ToldOf stands for a set of files: what the user was told of is not told
// again.
func ToldOf(files []string) string {
	h := sha256.New()
	for _, f := range files {
		h.Write(append([]byte(f), 0))
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
