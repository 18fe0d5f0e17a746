package exchange

import (
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// clone is the file that holds a clone's key: readable by its user alone.
type clone struct {
	Seed   []byte `json:"seed"`             // of an Ed25519 key
	Public []byte `json:"public,omitempty"` // the public key, which takes 0.7 ms to compute from the seed
	// Where the file stands: a copy of it stands elsewhere, and the copied clone takes a
	// key of its own.
	Host  string `json:"host"`
	Place string `json:"place"` // the path
	Inode uint64 `json:"inode"` // 0 where files have none
}

// key is the clone's, made at first use.
func (c *Clone) key() (ed25519.PrivateKey, error) {
	if c.Key != nil {
		return c.Key, nil
	}
	path := filepath.Join(c.State, "clone")
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var k clone
	if err == nil && json.Unmarshal(data, &k) == nil && len(k.Seed) == ed25519.SeedSize && k.stands(path) {
		return k.private(), nil
	}
	return c.newKey(path)
}

// private is the whole key, which is the seed and the public key.
func (k *clone) private() ed25519.PrivateKey {
	if len(k.Public) != ed25519.PublicKeySize {
		return ed25519.NewKeyFromSeed(k.Seed)
	}
	return append(slices.Clone(k.Seed), k.Public...)
}

// stands says whether a key is where it was made.
func (k *clone) stands(path string) bool {
	now, err := placeOf(path)
	return err == nil && k.Host == now.Host && k.Inode == now.Inode && (k.Inode != 0 || k.Place == now.Place)
}

func placeOf(path string) (k clone, err error) {
	info, err := os.Lstat(path)
	if err != nil {
		return k, err
	}
	k.Host, err = os.Hostname()
	k.Place, k.Inode = path, inodeOf(info)
	return k, err
}

// newKey makes a key in a file of its own: the inode that it notes is the file's for good.
func (c *Clone) newKey(path string) (ed25519.PrivateKey, error) {
	public, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		return nil, err
	}
	temporary := path + ".new"
	f, err := os.OpenFile(temporary, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("making a key: %w", err)
	}
	k, err := placeOf(temporary)
	if err == nil {
		k.Seed, k.Public, k.Place = key.Seed(), public, path
		err = json.NewEncoder(f).Encode(k)
	}
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(temporary, path)
	}
	if err != nil {
		return nil, fmt.Errorf("making a key: %w", err)
	}
	return key, nil
}
