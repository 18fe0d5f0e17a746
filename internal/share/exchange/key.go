package exchange

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"agentflow/internal/share"
)

// clone is the file that holds a clone's key. Only its user can read it.
type clone struct {
	Seed   []byte   `json:"seed"`             // of an Ed25519 key
	Public []byte   `json:"public,omitempty"` // the public key, which takes 0.7 ms to compute from the seed
	Former [][]byte `json:"former,omitempty"` // seeds of the clone's earlier keys: folders of those keys may hold its text
	spot            // where the file was when the key was made
}

// keyring finds and makes a clone's keys.
type keyring struct {
	state   string // folder of the clone's file
	holders string // see Clone.Holders
	now     func() time.Time
	given   ed25519.PrivateKey // see Clone.Key; nil: the clone's file has the key
}

func (c *Clone) keyring() keyring { return keyring{c.State, c.Holders, c.Now, c.Key} }

// forExchange returns the clone's key for an exchange. A dry run before the first exchange gets a
// key that is not stored.
func (r keyring) forExchange(ctx context.Context, dryRun bool) (ed25519.PrivateKey, error) {
	if _, err := os.Stat(r.file()); dryRun && r.given == nil && errors.Is(err, fs.ErrNotExist) {
		_, key, err := ed25519.GenerateKey(nil)
		return key, err
	}
	return r.key(ctx)
}

func (r keyring) file() string { return filepath.Join(r.state, "clone") }

// key returns the clone's key, and makes it at first use.
func (r keyring) key(ctx context.Context) (ed25519.PrivateKey, error) {
	if r.given != nil {
		return r.given, nil
	}
	path := r.file()
	k, err := readClone(path)
	switch {
	case err != nil:
		return nil, err
	case k == nil:
		return r.newKey(ctx, path, nil)
	}
	holds, err := r.holds(ctx, k, path)
	if err != nil || holds {
		return k.private(), err
	}
	return r.newKey(ctx, path, append(k.Former, k.Seed))
}

// readClone reads a clone's file. It returns nil for a missing or unreadable one.
func readClone(path string) (*clone, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var k clone
	if err != nil || json.Unmarshal(data, &k) != nil || len(k.Seed) != ed25519.SeedSize {
		return nil, err
	}
	return &k, nil
}

// id returns the clone's id.
func (k *clone) id() share.CloneID { return share.IDOf(k.private().Public().(ed25519.PublicKey)) }

// private returns the complete private key: the seed and the public key.
func (k *clone) private() ed25519.PrivateKey {
	if len(k.Public) != ed25519.PublicKeySize {
		return ed25519.NewKeyFromSeed(k.Seed)
	}
	return append(slices.Clone(k.Seed), k.Public...)
}

// newKey makes a key in a new file, so that the inode that it records stays the file's.
func (r keyring) newKey(ctx context.Context, path string, former [][]byte) (ed25519.PrivateKey, error) {
	public, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		return nil, err
	}
	temporary := path + ".new"
	f, err := os.OpenFile(temporary, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("making a key: %w", err)
	}
	k := clone{Seed: key.Seed(), Public: public, Former: former}
	k.spot, err = spotOf(temporary)
	if err == nil {
		k.Place = path
		err = json.NewEncoder(f).Encode(k)
	}
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(temporary, path)
	}
	if err == nil {
		_, err = r.holds(ctx, &k, path)
	}
	if err != nil {
		return nil, fmt.Errorf("making a key: %w", err)
	}
	return key, nil
}

// former returns the keys that the clone had before.
func (r keyring) former() (keys []ed25519.PrivateKey, err error) {
	if r.given != nil {
		return nil, nil
	}
	k, err := readClone(r.file())
	if err != nil || k == nil {
		return nil, err
	}
	for _, seed := range k.Former {
		if len(seed) == ed25519.SeedSize {
			keys = append(keys, ed25519.NewKeyFromSeed(seed))
		}
	}
	return keys, nil
}
