package exchange

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"agentflow/internal/filelock"
	"agentflow/internal/share"
	"agentflow/memory/markdown"
)

// Hide updates the mirror if it contains items that are hidden, or lacks items that are no
// longer hidden. change updates and returns the hidden ids; no exchange runs at the same time.
// Hide does not contact the remote.
func (c *Clone) Hide(ctx context.Context, change func() (hidden []string, err error)) (err error) {
	lock, err := filelock.Acquire(ctx, filepath.Join(c.State, lockFile), filelock.Self("forget", c.Now()), lockWait)
	if err != nil {
		return fmt.Errorf("another sync is running: %w", err)
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	if c.Hidden, err = change(); err != nil {
		return err
	}
	key, err := c.key(ctx)
	if err != nil {
		return err
	}
	st, err := c.remember(ctx)
	if err != nil {
		return err
	}
	failed, err := c.reflect(ctx, st.Accepted, share.IDOf(key.Public().(ed25519.PublicKey)))
	if err = errors.Join(append(slices.Collect(maps.Values(failed)), err)...); err != nil {
		return fmt.Errorf("mirroring shared memory: %w", err)
	}
	return nil
}

// shown returns another clone's file without the hidden items. A fact into which a hidden one
// was merged is hidden too, because it says the same.
func (c *Clone) shown(text []byte) []byte {
	if !slices.ContainsFunc(c.Hidden, func(id string) bool { return strings.Contains(string(text), id) }) {
		return text
	}
	doc := markdown.Parse(text)
	gone := map[string]bool{}
	for _, id := range c.Hidden {
		gone[id] = true
	}
	for _, b := range doc.Blocks {
		for _, f := range b.Facts {
			if slices.ContainsFunc(f.IDs(), func(id string) bool { return gone[id] }) {
				gone[f.ID] = true
			}
		}
	}
	rest, _ := doc.RemoveAll(func(id string) bool { return gone[id] })
	return rest
}

// hiddenDigest returns a digest that changes with Hidden, or "" if nothing is hidden.
func (c *Clone) hiddenDigest() string {
	if len(c.Hidden) == 0 {
		return ""
	}
	return fmt.Sprintf("%x", sha256.Sum256(share.Forgotten(c.Hidden, nil)))
}

// hidesAnew reports whether the mirror was made with other hidden ids.
func (c *Clone) hidesAnew() bool {
	list, err := ReadAuthors(c.Mirror)
	return err != nil || slices.ContainsFunc(list, func(s Shared) bool { return s.Hidden != c.hiddenDigest() })
}
