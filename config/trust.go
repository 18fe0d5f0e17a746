package config

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
)

// Trust remembers which repository config files the user trusts, by the hash
// of their contents: a changed file is a stranger again.
type Trust struct{ record[string] }

// Trust opens the user's trust file.
func (d Dirs) Trust() Trust { return Trust{record[string]{filepath.Join(d.State, "trust.json")}} }

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

func sum(data []byte) string {
	h := sha256.Sum256(data)
	return hex.EncodeToString(h[:])
}
