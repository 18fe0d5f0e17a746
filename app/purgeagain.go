package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"agentflow/internal/atomicfile"
	"agentflow/internal/filelock"
	"agentflow/internal/plural"
	"agentflow/internal/repofile"
	"agentflow/share/exchange"
	"agentflow/writeback"
)

// purgingName is the file that lists the ids of purges that have not ended.
const purgingName = "purging.json"

func purgingFile(s *openMemory) string { return filepath.Join(s.State(), purgingName) }

// maxPurging bounds that list, in bytes.
const maxPurging = 1 << 20

// purgingIDs returns the ids of purges that have not ended.
func purgingIDs(s *openMemory) (ids []string, err error) {
	data, err := repofile.Read(purgingFile(s), repofile.NoLink, maxPurging)
	if repofile.IsAbsent(err) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &ids)
	}
	return ids, err
}

// beginPurge records the ids of a purge until endPurge, so that the next command continues the purge if this process is
// killed.
func beginPurge(s *openMemory, ids []string) error {
	before, err := purgingIDs(s)
	if err != nil {
		before = nil // a damaged list counts as empty
	}
	ids = slices.Concat(before, ids)
	slices.Sort(ids)
	data, err := json.Marshal(slices.Compact(ids))
	if err == nil {
		err = os.MkdirAll(s.State(), 0o700)
	}
	if err == nil {
		err = atomicfile.Write(purgingFile(s), data, 0o600)
	}
	if err != nil {
		return fmt.Errorf("noting what is purged: %w", err)
	}
	return nil
}

func endPurge(s *openMemory) error {
	if err := os.Remove(purgingFile(s)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// lockPurge keeps other processes from continuing a purge of this process.
func lockPurge(ctx context.Context, s *openMemory, wait time.Duration) (*filelock.Lock, error) {
	return filelock.Acquire(ctx, filepath.Join(s.State(), "purge.lock"), filelock.Self("forget --purge", time.Now()), wait)
}

// finishPurges continues the unfinished purges of this memory and of the user's own.
func finishPurges(ctx context.Context, s *openMemory) {
	homes := []*openMemory{s}
	if own := s.dirs.Global(); own.Root != "" && !s.isGlobal() && isThere(filepath.Join(own.State(), purgingName)) {
		if home, err := openExistingGlobal(ctx, s.operation); err == nil {
			homes = append(homes, home)
		}
	}
	for _, home := range homes {
		if isThere(purgingFile(home)) {
			finishPurge(ctx, home, traces(s))
		}
	}
	if isThere(filepath.Join(s.State(), exchange.PurgedName)) && s.team == nil {
		finishDrop(ctx, s)
	}
}

// finishDrop continues a sync that accepted a purge and did not finish it.
func finishDrop(ctx context.Context, s *openMemory) {
	c, err := readSharing(s)
	if err != nil || c == nil {
		c = &sharing{}
	}
	clone, err := clone(ctx, s, c)
	if err == nil {
		err = dropPurged(ctx, s, clone)
	}
	if err != nil {
		s.degraded("sync", []string{fmt.Sprintf("a purge by another clone has not ended here: %v; the next command tries again", err)})
	}
}

func isThere(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func finishPurge(ctx context.Context, s *openMemory, traces writeback.Traces) {
	lock, busy := lockPurge(ctx, s, 0)
	if busy != nil {
		return // another process is running the purge
	}
	defer lock.Release()
	ids, err := purgingIDs(s)
	if err == nil && len(ids) == 0 {
		return // another process has finished the purge
	}
	if err == nil {
		_, err = purgeLocked(ctx, s, ids, traces)
	}
	if err != nil {
		s.degraded("forget", []string{fmt.Sprintf("a purge that an earlier command began has not ended: %v; the next command tries again", err)})
		return
	}
	s.say("finished a purge of %s, which an earlier command began", plural.Count(len(ids), "memory"))
}
