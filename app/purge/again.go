package purge

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

	"agentflow/app"
	"agentflow/internal/atomicfile"
	"agentflow/internal/filelock"
	"agentflow/internal/plural"
	"agentflow/internal/safefile"
	"agentflow/writeback"
)

// PurgingName names the file with the ids of purges that have not ended.
const PurgingName = "purging.json"

// PurgingFile returns the path of the file PurgingName.
func PurgingFile(s *app.Repo) string { return filepath.Join(s.State(), PurgingName) }

// maxPurging bounds that list, in bytes.
const maxPurging = 1 << 20

// purgingIDs returns the ids of purges that have not ended.
func purgingIDs(s *app.Repo) (ids []string, err error) {
	data, err := safefile.Read(PurgingFile(s), safefile.NoLink, maxPurging)
	if safefile.IsAbsent(err) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &ids)
	}
	return ids, err
}

// beginPurge records the ids of a purge until endPurge, so that the next command continues the purge if this process is
// killed.
func beginPurge(s *app.Repo, ids []string) error {
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
		err = atomicfile.Write(PurgingFile(s), data, 0o600)
	}
	if err != nil {
		return fmt.Errorf("noting the purged text: %w", err)
	}
	return nil
}

func endPurge(s *app.Repo) error {
	if err := os.Remove(PurgingFile(s)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// lockPurge keeps other processes from continuing a purge of this process.
func lockPurge(ctx context.Context, s *app.Repo, wait time.Duration) (*filelock.Lock, error) {
	return filelock.Acquire(ctx, filepath.Join(s.State(), "purge.lock"), filelock.Self("forget --purge", time.Now()), wait)
}

// IsThere reports whether a path exists. It follows no link.
func IsThere(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// FinishPurge continues the purges that have not ended, unless another process does.
func FinishPurge(ctx context.Context, s *app.Repo, traces writeback.Traces) {
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
		s.Degraded("forget", []string{fmt.Sprintf("a purge that an earlier command began has not ended: %v; the next command tries again", err)})
		return
	}
	s.Say("finished a purge of %s, which an earlier command began", plural.Count(len(ids), "memory"))
}
