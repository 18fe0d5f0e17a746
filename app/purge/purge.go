// Package purge removes items from memory (Forget), and removes a text for good from everything that AgentFlow keeps
// (PurgeIDs). Package app/forget finds and plans the items.
//
// Forget changes a memory in one step. It refuses with ErrPlanChanged if an item was edited since the plan. Restore
// of package app/forget brings back forgotten items.
//
// A purge cannot be reversed. It removes the text from the Markdown, the log, all files in AgentFlow's folders of
// the repository and the user (runs, sessions, conversations, proposals), the index, and the counts of uses. Files
// of a kind that this package does not know are searched too (Traces). The ids are written to purging.json first, so
// that the next command continues a purge that was interrupted. One process purges at a time.
//
// Not guaranteed: lines of a text that are too short to search for, other text that says the same, open sessions,
// the agents' own files, git's history, remotes and other clones. The result lists these places with a remedy.
package purge

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"agentflow/app"
	"agentflow/app/indexes"
	"agentflow/app/lookup"
	"agentflow/app/sharing"
	"agentflow/internal/config"
	"agentflow/internal/indexpool"
	"agentflow/internal/plural"
	"agentflow/writeback"
)

// Traces lists all places outside memory where AgentFlow may keep a text of memory: every file of its folders, so that
// a new kind of file is searched without being listed here. The exceptions are cleaned in another way, or belong to the
// user.
func Traces(s *app.Repo) (t writeback.Traces) {
	var states, except []string
	for _, p := range []config.Place{s.Place, s.Dirs.Global()} {
		if p.Root == "" {
			continue
		}
		t.Folders = append(t.Folders, p.Root, p.State(), s.Dirs.Fallback(p))
		states = append(states, p.State(), s.Dirs.Fallback(p))
		except = append(except, p.Memory(), // writeback cleans it
			filepath.Join(p.Root, sharing.MirrorName), filepath.Join(p.State(), OwnRepositoryName), // a sync cleans them
			p.Index(), p.Index()+"-wal", p.Index()+"-shm", // PurgeIndex cleans them
			p.ConfigFile(), filepath.Join(p.State(), filepath.Base(p.ConfigFile()))) // the user's
	}
	t.Folders = append(append(t.Folders, workTreeStates(s)...), s.Dirs.State)
	except = append(except, filepath.Join(s.Dirs.State, "worktrees"), filepath.Join(s.Dirs.State, "connect")) // the user's
	others := filepath.Join(s.Dirs.State, "repositories")
	t.Except = func(path string) bool {
		return slices.Contains(except, path) || writeback.KeepsByLog(path, states...) || filepath.Dir(path) == others && !slices.Contains(states, path)
	}
	return t
}

// workTreeStates lists the folders of AgentFlow in the git directories of work trees.
func workTreeStates(s *app.Repo) (folders []string) {
	if s.CommonDir == "" {
		return nil
	}
	linked, _ := filepath.Glob(filepath.Join(s.CommonDir, "worktrees", "*", "agentflow")) // only odd names make a bad pattern
	return append(linked, filepath.Join(s.GitDir, "agentflow"))
}

// purgeWait limits the wait for another purge.
const purgeWait = 30 * time.Second

// PurgeIDs removes the text of ids from all data of AgentFlow. If it is interrupted, the next command continues it.
func PurgeIDs(ctx context.Context, s *app.Repo, ids []string, traces writeback.Traces) (done purged, err error) {
	lock, err := lockPurge(ctx, s, purgeWait)
	if err != nil {
		return done, fmt.Errorf("another purge continues: %w", err)
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	return purgeLocked(ctx, s, ids, traces)
}

func purgeLocked(ctx context.Context, s *app.Repo, ids []string, traces writeback.Traces) (done purged, err error) {
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
	if err := errors.Join(purgeConversations(s, ids), lookup.PurgeLinks(s)); err != nil {
		return done, err
	}
	if err := PurgeIndex(ctx, s, ids...); err != nil {
		return done, err
	}
	done.Cleaned, done.Left = report.Cleaned, unreachedPlaces(s, report)
	return done, endPurge(s)
}

// purgeStore purges memory and AgentFlow's other files. It locks the proposals, so that no process writes back
// proposals that it read before the purge.
func purgeStore(ctx context.Context, s *app.Repo, ids []string, traces writeback.Traces) (report writeback.PurgeReport, err error) {
	lock, err := LockProposals(ctx, s)
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	return s.Store.Purge(ctx, ids, traces)
}

// Quoting lists the files outside memory that quote the user's own targets.
func Quoting(ctx context.Context, s *app.Repo, targets []ForgetTarget) (files []string, err error) {
	traces := Traces(s)
	for _, global := range []bool{false, true} {
		var ids []string
		for _, t := range targets {
			if t.Global == global && t.Author == "" {
				ids = append(ids, t.ID)
			}
		}
		home := s
		if global && len(ids) > 0 && !s.IsGlobal() {
			if home, err = app.OpenExistingGlobal(ctx, s.Operation); err != nil {
				return nil, err
			}
		}
		list, err := home.Store.Quoting(ctx, ids, traces)
		if err != nil {
			return nil, err
		}
		files = append(files, list...)
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}

// PurgeIndex removes the texts of ids from the index, and the counts of their uses.
func PurgeIndex(ctx context.Context, s *app.Repo, ids ...string) error {
	notices, err := indexes.With(ctx, s, func(db *indexpool.Index) error {
		if _, err := db.Sync(ctx, indexes.Sources(ctx, s)...); err != nil { // all of it: a stale part may hold the text
			return fmt.Errorf("bringing it up to date: %w", err)
		}
		return db.Purge(ctx, ids...)
	})
	s.Degraded("forget", notices)
	if err != nil {
		return fmt.Errorf("purging the index, which may still hold the text: %w", err)
	}
	return lookup.UsesFile(s).Forget(ctx, ids...)
}
