package app

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"agentflow/config"
	"agentflow/internal/plural"
	"agentflow/writeback"
)

// traces lists all places outside memory where AgentFlow may keep a text of memory: every file of its folders, so that
// a new kind of file is searched without being listed here. The exceptions are cleaned in another way, or belong to the
// user.
func traces(s *openMemory) (t writeback.Traces) {
	var states, except []string
	for _, p := range []config.Place{s.Place, s.dirs.Global()} {
		if p.Root == "" {
			continue
		}
		t.Folders = append(t.Folders, p.Root, p.State(), s.dirs.Fallback(p))
		states = append(states, p.State(), s.dirs.Fallback(p))
		except = append(except, p.Memory(), // writeback cleans it
			filepath.Join(p.Root, mirrorName), filepath.Join(p.State(), ownRepositoryName), // a sync cleans them
			p.Index(), p.Index()+"-wal", p.Index()+"-shm", // purgeIndex cleans them
			p.ConfigFile(), filepath.Join(p.State(), filepath.Base(p.ConfigFile()))) // the user's
	}
	t.Folders = append(append(t.Folders, workTreeStates(s)...), s.dirs.State)
	except = append(except, filepath.Join(s.dirs.State, "worktrees"), filepath.Join(s.dirs.State, "connect")) // the user's
	others := filepath.Join(s.dirs.State, "repositories")
	t.Except = func(path string) bool {
		return slices.Contains(except, path) || writeback.KeepsByLog(path, states...) || filepath.Dir(path) == others && !slices.Contains(states, path)
	}
	return t
}

// workTreeStates lists the folders of AgentFlow in the git directories of work trees.
func workTreeStates(s *openMemory) (folders []string) {
	if s.CommonDir == "" {
		return nil
	}
	linked, _ := filepath.Glob(filepath.Join(s.CommonDir, "worktrees", "*", "agentflow")) // only odd names make a bad pattern
	return append(linked, filepath.Join(s.GitDir, "agentflow"))
}

// purgeWait is how long to wait for another purge.
const purgeWait = 30 * time.Second

// purgeIDs removes the text of ids from all data of AgentFlow. If it is interrupted, the next command continues it.
func purgeIDs(ctx context.Context, s *openMemory, ids []string, traces writeback.Traces) (done purged, err error) {
	lock, err := lockPurge(ctx, s, purgeWait)
	if err != nil {
		return done, fmt.Errorf("another purge continues: %w", err)
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	return purgeLocked(ctx, s, ids, traces)
}

func purgeLocked(ctx context.Context, s *openMemory, ids []string, traces writeback.Traces) (done purged, err error) {
	if err := beginPurge(s, ids); err != nil {
		return done, err
	}
	report, err := purgeStore(ctx, s, ids, traces)
	if err != nil {
		if errors.Is(err, writeback.ErrNotFound) {
			err = errors.Join(err, endPurge(s))
		}
		return done, fmt.Errorf("forgetting %s: %w", plural.Count(len(ids), "memory"), err)
	}
	if err := errors.Join(purgeConversations(s, ids), purgeLinks(s)); err != nil {
		return done, err
	}
	if err := purgeIndex(ctx, s, ids...); err != nil {
		return done, err
	}
	done.cleaned, done.left = report.Cleaned, left(s, report)
	return done, endPurge(s)
}

// purgeStore purges memory and AgentFlow's other files. It locks the proposals, so that no process writes back
// proposals that it read before the purge.
func purgeStore(ctx context.Context, s *openMemory, ids []string, traces writeback.Traces) (report writeback.PurgeReport, err error) {
	lock, err := lockProposals(ctx, s)
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	return s.store.Purge(ctx, ids, traces)
}

// quoting lists the files outside memory that quote the user's own targets.
func quoting(ctx context.Context, s *openMemory, targets []ForgetTarget) (files []string, err error) {
	traces := traces(s)
	for _, global := range []bool{false, true} {
		var ids []string
		for _, t := range targets {
			if t.global == global && t.Author == "" {
				ids = append(ids, t.ID)
			}
		}
		home := s
		if global && len(ids) > 0 && !s.isGlobal() {
			if home, err = openExistingGlobal(ctx, s.operation); err != nil {
				return nil, err
			}
		}
		list, err := home.store.Quoting(ctx, ids, traces)
		if err != nil {
			return nil, err
		}
		files = append(files, list...)
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}

func purgeIndex(ctx context.Context, s *openMemory, ids ...string) error {
	notices, err := s.withIndex(ctx, func(db *openIndex) error {
		if _, err := db.Sync(ctx, s.sources(ctx)...); err != nil { // all of it: a stale part may hold the text
			return fmt.Errorf("bringing it up to date: %w", err)
		}
		return db.Purge(ctx, ids...)
	})
	s.degraded("forget", notices)
	if err != nil {
		return fmt.Errorf("purging the index, which may still hold the text: %w", err)
	}
	return usesFile(s).Forget(ctx, ids...)
}
