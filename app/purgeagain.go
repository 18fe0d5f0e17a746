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

func (s *openMemory) purgingFile() string { return filepath.Join(s.State(), purgingName) }

// maxPurging bounds that list, in bytes.
const maxPurging = 1 << 20

// purgingIDs returns the ids of purges that have not ended.
func (s *openMemory) purgingIDs() (ids []string, err error) {
	data, err := repofile.Read(s.purgingFile(), repofile.NoLink, maxPurging)
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
func (s *openMemory) beginPurge(ids []string) error {
	before, err := s.purgingIDs()
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
		err = atomicfile.Write(s.purgingFile(), data, 0o600)
	}
	if err != nil {
		return fmt.Errorf("noting what is purged: %w", err)
	}
	return nil
}

func (s *openMemory) endPurge() error {
	if err := os.Remove(s.purgingFile()); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// lockPurge keeps other processes from continuing a purge of this process.
func (s *openMemory) lockPurge(ctx context.Context, wait time.Duration) (*filelock.Lock, error) {
	return filelock.Acquire(ctx, filepath.Join(s.State(), "purge.lock"), filelock.Self("forget --purge", time.Now()), wait)
}

// finishPurges continues the unfinished purges of this memory and of the user's own.
func (s *openMemory) finishPurges(ctx context.Context) {
	homes := []*openMemory{s}
	if own := s.dirs.Global(); own.Root != "" && !s.isGlobal() && isThere(filepath.Join(own.State(), purgingName)) {
		if home, err := s.openExistingGlobal(ctx); err == nil {
			homes = append(homes, home)
		}
	}
	for _, home := range homes {
		if isThere(home.purgingFile()) {
			home.finishPurge(ctx, s.traces())
		}
	}
	if isThere(filepath.Join(s.State(), exchange.PurgedName)) && s.team == nil {
		s.finishDrop(ctx)
	}
}

// finishDrop continues a sync that accepted a purge and did not finish it.
func (s *openMemory) finishDrop(ctx context.Context) {
	c, err := s.sharing()
	if err != nil || c == nil {
		c = &sharing{}
	}
	clone, err := s.clone(ctx, c)
	if err == nil {
		err = s.dropPurged(ctx, clone)
	}
	if err != nil {
		s.degraded("sync", []string{fmt.Sprintf("a purge by another clone has not ended here: %v; the next command tries again", err)})
	}
}

func isThere(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func (s *openMemory) finishPurge(ctx context.Context, traces writeback.Traces) {
	lock, busy := s.lockPurge(ctx, 0)
	if busy != nil {
		return // another process is running the purge
	}
	defer lock.Release()
	ids, err := s.purgingIDs()
	if err == nil && len(ids) == 0 {
		return // another process has finished the purge
	}
	if err == nil {
		_, err = s.purgeLocked(ctx, ids, traces)
	}
	if err != nil {
		s.degraded("forget", []string{fmt.Sprintf("a purge that an earlier command began has not ended: %v; the next command tries again", err)})
		return
	}
	s.say("finished a purge of %s, which an earlier command began", plural.Count(len(ids), "memory"))
}
