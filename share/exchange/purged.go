package exchange

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agentflow/internal/atomicfile"
	"agentflow/internal/filelock"
)

// PurgedName is the file, in State, that lists the commits that lead to text that was purged,
// here or by another clone, until DropPurged. It is written before the exchange counts.
const PurgedName = "share-purged"

func (c *Clone) purgedFile() string { return filepath.Join(c.State, PurgedName) }

// OwesPurge says whether an exchange accepted a purge, and what it left here was not dropped
// yet.
func (c *Clone) OwesPurge() bool {
	_, err := os.Lstat(c.purgedFile())
	return err == nil
}

// leftFile lists commits of exchanges that were killed, failed or only looked: no ref leads to
// them any more, and a purge has to remove them too.
func (c *Clone) leftFile() string { return filepath.Join(c.State, "share-left") }

// maxLeft bounds that list: git collects older ones.
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

// addLines is what a list of commits holds, and more; each once.
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

// DropPurged removes the objects of purged text from this repository, as far as nothing of the
// user's leads to them. left counts those that stay.
func (c *Clone) DropPurged(ctx context.Context) (left int, err error) {
	lock, err := filelock.Acquire(ctx, filepath.Join(c.State, lockFile), filelock.Self("sync", c.Now()), lockWait)
	if err != nil {
		return 0, fmt.Errorf("another sync goes on: %w", err)
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	list, err := os.ReadFile(c.purgedFile())
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err == nil && c.Repo.Private {
		err = c.Repo.Tidy(ctx, true)
	} else if commits := strings.Fields(string(list)); err == nil && len(commits) > 0 {
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
