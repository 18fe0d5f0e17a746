package exchange

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"agentflow/internal/filelock"
	"agentflow/internal/share"
)

// OwesPurge reports whether an exchange accepted a purge, and the purged objects were not
// removed here yet.
func (c *Clone) OwesPurge() bool { return c.debt().isOwed() }

// Text is the Markdown of an entry or a fact that another clone purged.
type Text struct {
	ID       string
	Markdown []byte
}

// Purged holds text that other clones purged, as found in old histories of this repository
// until DropPurged.
type Purged struct {
	Texts   []Text
	Missing int  // number of commits that should lead to such text and do not exist
	Cleaned bool // NoteCleaned was called after the exchange
}

// NoteCleaned notes that no copy of Purged.Texts is left outside of git.
func (c *Clone) NoteCleaned() error { return c.debt().noteCleaned() }

// Purged reads the text that other clones purged from the histories that lead to it. Of a clone
// that has ever purged, it includes all forgotten items, because a folder does not say which of
// them were purged.
func (c *Clone) Purged(ctx context.Context) (p Purged, err error) {
	commits, cleaned, err := c.debt().commits()
	if p.Cleaned = cleaned; err != nil || cleaned {
		return p, err
	}
	tip, err := c.Repo.Tip(ctx, acceptedRef)
	if err != nil || tip == "" {
		return p, err
	}
	gone, err := c.goneAt(ctx, tip)
	if err != nil || len(gone) == 0 {
		return p, err
	}
	left, err := addLines(c.debt().leftFile(), nil)
	if err == nil {
		p.Missing, err = c.Repo.Missing(ctx, slices.DeleteFunc(slices.Clone(commits), func(id string) bool { return slices.Contains(left, id) }))
	}
	if err == nil {
		p.Texts, err = c.reader().purgedTexts(ctx, gone, commits, tip)
	}
	return p, err
}

// goneAt returns the ids at a tip that were forgotten by other clones that have ever purged.
func (c *Clone) goneAt(ctx context.Context, tip string) (gone map[string]bool, err error) {
	st, err := c.remember(ctx)
	if err != nil {
		return nil, err
	}
	key, err := c.keyring().key(ctx)
	if err != nil {
		return nil, err
	}
	own := share.IDOf(key.Public().(ed25519.PublicKey))
	u, err := c.reader().unite(ctx, tip, &st, own)
	gone = map[string]bool{}
	for who, k := range u.accepted {
		if who == own || k.Purged == 0 {
			continue
		}
		texts, e := c.reader().texts(ctx, k.Tree, []share.File{{Name: share.ForgottenFile}})
		for _, id := range share.ReadForgotten(texts[share.ForgottenFile]) {
			gone[id] = true
		}
		err = errors.Join(err, e)
	}
	return gone, err
}

// DropPurged removes the objects of purged text from this repository, unless another ref of the
// user leads to them. left is the number of objects that could not be removed.
func (c *Clone) DropPurged(ctx context.Context) (left int, err error) {
	lock, err := filelock.Acquire(ctx, filepath.Join(c.State, lockFile), filelock.Self("sync", c.Now()), lockWait)
	if err != nil {
		return 0, fmt.Errorf("another sync is running: %w", err)
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	if !c.OwesPurge() {
		return 0, nil
	}
	commits, _, err := c.debt().commits()
	if err == nil && c.Repo.Private {
		err = c.Repo.Tidy(ctx, true)
	} else if err == nil && len(commits) > 0 {
		left, err = c.Repo.Drop(ctx, commits)
	}
	if err != nil {
		return left, fmt.Errorf("removing what was purged from %s: %w", c.Repo.Dir, err)
	}
	return left, c.debt().clear()
}
