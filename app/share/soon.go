package share

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/indexes"
	"agentflow/app/purge"
	"agentflow/app/sharing"
	"agentflow/internal/atomicfile"
	"agentflow/internal/detached"
	"agentflow/internal/filelock"
	"agentflow/internal/plural"
	"agentflow/internal/share/exchange"
	"agentflow/memory/quote"
)

// settleTime delays an automatic sync for further changes. rest limits how long an
// automatic sync leaves the remote unread while this clone has nothing new to share.
const (
	settleTime = 2 * time.Second
	rest       = 5 * time.Minute
)

// SyncSoon begins a sync in the background if the user has enabled that.
func SyncSoon(s *app.Repo) {
	if !s.Settings.Share.Auto {
		return
	}
	if !isShared(s.Place) && !isShared(s.Dirs.Global()) {
		return
	}
	program, err := os.Executable()
	if err == nil {
		err = detached.Start([]string{program, "sync", "--auto"}, s.Dir, s.Environ, nil)
	}
	if err != nil {
		s.Degraded("sync", []string{err.Error()})
	}
}

// FinishWrite updates the index after a command wrote to memory, and shares the change. ids are
// the ids of the changed items.
func FinishWrite(ctx context.Context, s *app.Repo, command string, ids ...string) {
	indexes.Reindex(ctx, s, command)
	if s.Policy.Team {
		s.Team.Note(ChangeOf(s, command, ids))
		return
	}
	SyncSoon(s)
}

// Retract lets the next sync remove what was forgotten, and begins one in the background
// if the user has enabled that. Purged text leaves the ref's history too.
func Retract(ctx context.Context, s *app.Repo, purged bool, ids []string) error {
	c, err := sharing.Read(s)
	if err != nil || c == nil && !s.Policy.Team {
		return err
	}
	if purged {
		if err := owePurge(s, ids); err != nil {
			return err
		}
	}
	if s.Policy.Team {
		s.Team.Note(ChangeOf(s, forgetCommand(purged), ids))
		return nil
	}
	if purged {
		s.Say("it was shared perhaps: the next 'agentflow sync' takes it out of the remote's ref, with its history")
	}
	SyncSoon(s)
	return nil
}

func forgetCommand(purged bool) string {
	if purged {
		return "forget --purge"
	}
	return "forget"
}

// purgeFile lists what the next sync must remove from the ref and its history, one item a line.
func purgeFile(s *app.Repo) string { return filepath.Join(s.State(), "share-purge") }

// owePurge adds to that list.
func owePurge(s *app.Repo, ids []string) error {
	before, err := os.ReadFile(purgeFile(s))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return atomicfile.Write(purgeFile(s), append(before, strings.Join(ids, "\n")+"\n"...), 0o600)
}

// Purging runs an exchange that includes the pending purges of Retract.
func Purging(ctx context.Context, s *app.Repo, c *sharing.Target, o exchange.Options) (exchange.Report, error) {
	clone, err := clone(ctx, s, c)
	if err != nil {
		return exchange.Report{}, err
	}
	owed, err := os.ReadFile(purgeFile(s))
	due := err == nil && !o.DryRun
	if due {
		o.Purge, o.Purged = true, strings.FieldsFunc(string(owed), func(r rune) bool { return r == '\n' })
	}
	r, err := clone.Exchange(ctx, o)
	if err == nil && o.Purge && r.Pushed {
		s.Say("the ref begins again, without its history; out of reach are clones until they sync, objects that the remote's git has not collected, forks, backups and copies")
	}
	for _, name := range r.Kept {
		s.Warn("%s was purged on another machine and stays here: it has changed here since", quote.Path("memory/"+name))
		s.Hint("'agentflow forget --purge %s' removes it here too", quote.Path("memory/"+name))
	}
	if now, e := os.ReadFile(purgeFile(s)); err == nil && due && e == nil && bytes.Equal(now, owed) { // else the next sync takes the rest
		err = os.Remove(purgeFile(s))
	}
	if err == nil && !o.DryRun {
		err = dropPurged(ctx, s, clone)
	}
	return r, err
}

// dropPurged removes purged text in this clone that an exchange brought or made: in the
// folders of runs and sessions, in the index, and among the objects of git. If it is
// interrupted, the next sync, or the next command that writes, continues it.
func dropPurged(ctx context.Context, s *app.Repo, clone *exchange.Clone) error {
	if !clone.OwesPurge() {
		return nil
	}
	if err := cleanPurged(ctx, s, clone); err != nil {
		return err
	}
	if err := purge.PurgeIndex(ctx, s); err != nil {
		return err
	}
	left, err := clone.DropPurged(ctx)
	if left > 0 {
		s.Warn("%s of purged text stay in packs of %s", plural.Count(left, "object"), clone.Repo.Dir)
		s.Hint("'git gc --prune=now' there removes them, and every other object that no ref leads to; it leaves packs with a .keep file until you delete that file, and packs with a .promisor file, of a partial clone: for those clone again")
	}
	return err
}

// cleanPurged removes what others purged from the files that AgentFlow keeps here. The text is
// only known while the repository has it, so this runs before the objects are deleted.
func cleanPurged(ctx context.Context, s *app.Repo, clone *exchange.Clone) error {
	p, err := clone.Purged(ctx)
	if err != nil || p.Cleaned {
		return err
	}
	if p.Missing > 0 {
		s.Warn("some texts that others purged are not known here any more: folders of runs and sessions may still hold them")
		s.Hint("'agentflow clean' removes old runs; 'grep -r' in %s finds the rest", s.State())
	}
	if len(p.Texts) == 0 {
		return clone.NoteCleaned()
	}
	report, err := s.Store.CleanTraces(ctx, func(yield func(string, []byte) bool) {
		for _, t := range p.Texts {
			if !yield(t.ID, t.Markdown) {
				return
			}
		}
	}, purge.Traces(s))
	if err != nil {
		return err
	}
	warnLeft(s, slices.Concat(purge.LeftInMemory(s, report), purge.LeftInSessions(s, report)))
	return clone.NoteCleaned()
}

// warnLeft warns of places that may still have a text that others purged.
func warnLeft(s *app.Repo, list []api.Unreached) {
	for _, left := range list {
		s.Warn("others purged a text that may still be in %s: %s", left.Place, left.Why)
		s.Hint("%s", left.Remedy)
	}
}

// syncQuietly syncs in the background. It records an error once, until a sync
// succeeds again.
func syncQuietly(ctx context.Context, s *app.Repo, c *sharing.Target) error {
	select {
	case <-time.After(settleTime):
	case <-ctx.Done():
		return ctx.Err()
	}
	_, err := Purging(ctx, s, c, exchange.Options{Rest: rest})
	if err == nil {
		err = applyDeletions(ctx, s, c)
	}
	var held *filelock.HeldError
	if errors.As(err, &held) {
		return nil // the other sync shares the changes too
	}
	return sayOnce(s, err)
}

// sayOnce records an error of a sync, unless it is the same as the last one.
func sayOnce(s *app.Repo, err error) error {
	path := filepath.Join(s.State(), "share-error")
	if err == nil {
		if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	if last, e := os.ReadFile(path); e == nil && string(last) == err.Error() {
		return nil
	}
	s.Degraded("sync", []string{err.Error()})
	return atomicfile.Write(path, []byte(err.Error()), 0o600)
}

// SyncPasses syncs again and again, in a daemon.
func SyncPasses(ctx context.Context, s *app.Repo) {
	if !s.Settings.Share.Auto {
		return
	}
	tick := time.NewTicker(rest)
	defer tick.Stop()
	for {
		for _, home := range s.AndGlobal(ctx) {
			if c, err := sharing.Read(home); err == nil && c != nil {
				if err := syncQuietly(ctx, home, c); err != nil && ctx.Err() == nil {
					s.Warn("syncing shared memory: %v", err)
				}
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}
