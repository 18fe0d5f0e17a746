package exchange

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"agentflow/internal/filelock"
	"agentflow/internal/share"
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
	key, err := c.keyring().key(ctx)
	if err != nil {
		return err
	}
	st, err := c.remember(ctx)
	if err != nil {
		return err
	}
	failed, err := c.mirror().reflect(ctx, st.Accepted, share.IDOf(key.Public().(ed25519.PublicKey)))
	if err = errors.Join(append(slices.Collect(maps.Values(failed)), err)...); err != nil {
		return fmt.Errorf("mirroring shared memory: %w", err)
	}
	return nil
}
