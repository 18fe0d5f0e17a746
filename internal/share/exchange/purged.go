package exchange

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agentflow/internal/atomicfile"
	"agentflow/internal/filelock"
	"agentflow/internal/share"
	"agentflow/memory/markdown"
)

// PurgedName is the file in State that lists the commits that lead to text that this clone or
// another one purged. DropPurged removes it. It is written before the exchange takes effect.
const PurgedName = "share-purged"

func (c *Clone) purgedFile() string { return filepath.Join(c.State, PurgedName) }

// OwesPurge reports whether an exchange accepted a purge, and the purged objects were not
// removed here yet.
func (c *Clone) OwesPurge() bool {
	_, err := os.Lstat(c.purgedFile())
	return err == nil
}

// leftFile lists commits of exchanges that were killed, failed or were dry runs. No ref leads
// to them any more, and a purge has to remove them too.
func (c *Clone) leftFile() string { return filepath.Join(c.State, "share-left") }

// maxLeft limits that list: git collects older commits.
const maxLeft = 1000

func (c *Clone) noteLeft(commits ...string) error {
	list, err := addLines(c.leftFile(), commits)
	if err == nil {
		err = writeLines(c.leftFile(), list[max(0, len(list)-maxLeft):])
	}
	return err
}

// owePurge notes that commits lead to text that was purged.
func (c *Clone) owePurge(commits ...string) error {
	left, err := addLines(c.leftFile(), nil)
	if err != nil {
		return err
	}
	list, err := addLines(c.purgedFile(), append(left, commits...))
	if err == nil {
		err = writeLines(c.purgedFile(), list)
	}
	if err != nil {
		return fmt.Errorf("noting what was purged: %w", err)
	}
	return nil
}

// addLines returns the commits of a list and more ones, without repetitions.
func addLines(path string, more []string) (list []string, err error) {
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, id := range append(strings.Fields(string(data)), more...) {
		if id != "" && !slices.Contains(list, id) {
			list = append(list, id)
		}
	}
	return list, nil
}

func writeLines(path string, list []string) error {
	return atomicfile.Write(path, []byte(strings.Join(list, "\n")), 0o600)
}

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

// cleanedMark follows the commits of purgedFile for which NoteCleaned was called.
const cleanedMark = "cleaned"

// purgedCommits returns the commits of purgedFile. cleaned says that none was added after
// NoteCleaned.
func (c *Clone) purgedCommits() (commits []string, cleaned bool, err error) {
	list, err := addLines(c.purgedFile(), nil)
	cleaned = len(list) > 0 && list[len(list)-1] == cleanedMark
	return slices.DeleteFunc(list, func(id string) bool { return id == cleanedMark }), cleaned, err
}

// NoteCleaned notes that no copy of Purged.Texts is left outside of git.
func (c *Clone) NoteCleaned() error {
	commits, _, err := c.purgedCommits()
	if err == nil {
		err = writeLines(c.purgedFile(), append(commits, cleanedMark))
	}
	return err
}

// Purged reads the text that other clones purged from the histories that lead to it. Of a clone
// that has ever purged, it includes all forgotten items, because a folder does not say which of
// them were purged.
func (c *Clone) Purged(ctx context.Context) (p Purged, err error) {
	commits, cleaned, err := c.purgedCommits()
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
	left, err := addLines(c.leftFile(), nil)
	if err == nil {
		p.Missing, err = c.Repo.Missing(ctx, slices.DeleteFunc(slices.Clone(commits), func(id string) bool { return slices.Contains(left, id) }))
	}
	if err == nil {
		p.Texts, err = c.textsOf(ctx, gone, commits, tip)
	}
	return p, err
}

// goneAt returns the ids at a tip that were forgotten by other clones that have ever purged.
func (c *Clone) goneAt(ctx context.Context, tip string) (gone map[string]bool, err error) {
	st, err := c.remember(ctx)
	if err != nil {
		return nil, err
	}
	key, err := c.key(ctx)
	if err != nil {
		return nil, err
	}
	own := share.IDOf(key.Public().(ed25519.PublicKey))
	u, err := c.unite(ctx, tip, &st, own)
	gone = map[string]bool{}
	for who, k := range u.accepted {
		if who == own || k.Purged == 0 {
			continue
		}
		texts, e := c.texts(ctx, k.Tree, []share.File{{Name: share.ForgottenFile}})
		for _, id := range share.ReadForgotten(texts[share.ForgottenFile]) {
			gone[id] = true
		}
		err = errors.Join(err, e)
	}
	return gone, err
}

// textsOf returns the entries and facts with some ids in the histories of commits, without
// repetitions. It leaves out files that the tip holds unchanged.
func (c *Clone) textsOf(ctx context.Context, ids map[string]bool, commits []string, tip string) (texts []Text, err error) {
	seen := map[string]bool{}
	err = c.Repo.Lost(ctx, commits, tip, func(data []byte) {
		doc := markdown.Parse(data)
		for _, id := range doc.IDs() {
			if !ids[id] {
				continue
			}
			if _, text, ok := doc.Remove(id); ok && !seen[id+string(text)] {
				seen[id+string(text)] = true
				texts = append(texts, Text{id, text})
			}
		}
	})
	return texts, err
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
	commits, _, err := c.purgedCommits()
	if err == nil && c.Repo.Private {
		err = c.Repo.Tidy(ctx, true)
	} else if err == nil && len(commits) > 0 {
		left, err = c.Repo.Drop(ctx, commits)
	}
	if err != nil {
		return left, fmt.Errorf("removing what was purged from %s: %w", c.Repo.Dir, err)
	}
	if err := os.Remove(c.leftFile()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return left, err
	}
	return left, os.Remove(c.purgedFile())
}
