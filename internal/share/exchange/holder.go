package exchange

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"agentflow/internal/atomicfile"
	"agentflow/internal/filelock"
	"agentflow/internal/share"
)

// A key has one holder: the file of one clone. If the file is moved, its machine is renamed, or
// a backup is restored in its place, the file still holds the key. A copy does not, so that
// only one clone writes a folder. Holders are recorded outside of the repositories, so that
// they are not copied with them.

// spot is where the file of a clone is.
type spot struct {
	Host  string `json:"host"`
	Place string `json:"place"` // the path
	Inode uint64 `json:"inode"` // 0 if files have none
}

func spotOf(path string) (s spot, err error) {
	info, err := os.Lstat(path)
	if err != nil {
		return s, err
	}
	s.Host, err = os.Hostname()
	s.Place, s.Inode = path, inodeOf(info)
	return s, err
}

// is reports whether now is the place of the same file. It compares only the place that the
// file itself records, and is false for a copy.
func (s spot) is(now spot) bool {
	return s.Host == now.Host && s.Inode == now.Inode && (s.Inode != 0 || s.Place == now.Place)
}

// became reports whether the file at now is the one that was at s. It returns false if a file
// at s still has the key.
func (s spot) became(now spot, id share.CloneID) bool {
	sameInode := s.Inode != 0 && s.Inode == now.Inode
	switch {
	case s.Place == now.Place: // a renamed machine or a restored backup; both at once mean a copy on another machine
		return sameInode || s.Host == now.Host
	case isSameFile(s.Place, now.Place):
		return true
	case s.has(id):
		return false
	}
	return sameInode || s.Host == now.Host // it was moved
}

func isSameFile(a, b string) bool {
	first, err1 := os.Stat(a)
	second, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(first, second)
}

// has reports whether the file at s has the key of id.
func (s spot) has(id share.CloneID) bool {
	k, err := readClone(s.Place)
	return err == nil && k != nil && k.id() == id
}

// holderWait limits the wait for another clone that looks up the holder of a key.
const holderWait = 5 * time.Second

// holds reports whether the clone's file holds its key, and records that it does.
func (r keyring) holds(ctx context.Context, k *clone, path string) (bool, error) {
	now, err := spotOf(path)
	if err != nil || r.holders == "" {
		return err == nil && k.is(now), err
	}
	if err := os.MkdirAll(r.holders, 0o700); err != nil {
		return k.is(now), nil // the home folder is not writable
	}
	lock, err := filelock.Acquire(ctx, filepath.Join(r.holders, "lock"), filelock.Self("sync", r.now()), holderWait)
	if err != nil {
		return false, fmt.Errorf("looking which clone has the key: %w", err)
	}
	defer lock.Release()
	noted := filepath.Join(r.holders, string(k.id()))
	was, err := readSpot(noted)
	switch {
	case err != nil:
		return false, err
	case was == nil && !k.is(now), was != nil && !was.became(now, k.id()):
		return false, nil
	case was != nil && *was == now:
		return true, nil
	}
	data, err := json.Marshal(now)
	if err == nil {
		err = atomicfile.Write(noted, data, 0o600)
	}
	return true, err
}

// readSpot reads a record. It returns nil for a missing or unreadable one.
func readSpot(path string) (*spot, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var s spot
	if err != nil || json.Unmarshal(data, &s) != nil {
		return nil, err
	}
	return &s, nil
}
