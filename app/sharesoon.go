package app

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

	"agentflow/api"
	"agentflow/internal/atomicfile"
	"agentflow/internal/detached"
	"agentflow/internal/filelock"
	"agentflow/internal/plural"
	"agentflow/memory/quote"
	"agentflow/share/exchange"
)

// settleTime is how long an automatic sync waits for further changes. rest is how long an
// automatic sync leaves the remote unread while this clone has nothing new to share.
const (
	settleTime = 2 * time.Second
	rest       = 5 * time.Minute
)

// syncSoon begins a sync in the background if the user has enabled that.
func syncSoon(s *openMemory) {
	if !s.settings.Share.Auto {
		return
	}
	if !isShared(s.Place) && !isShared(s.dirs.Global()) {
		return
	}
	program, err := os.Executable()
	if err == nil {
		err = detached.Start([]string{program, "sync", "--auto"}, s.dir, s.environ, nil)
	}
	if err != nil {
		s.degraded("sync", []string{err.Error()})
	}
}

// finishWrite updates the index after a command wrote to memory, and shares the change. ids are
// the ids of the changed items.
func finishWrite(ctx context.Context, s *openMemory, command string, ids ...string) {
	reindex(ctx, s, command)
	if s.team != nil {
		s.team.note(changeOf(s, command, ids))
		return
	}
	syncSoon(s)
}

// retract lets the next sync remove what was forgotten, and begins one in the background
// if the user has enabled that. Purged text leaves the ref's history too.
func retract(ctx context.Context, s *openMemory, purged bool, ids []string) error {
	c, err := readSharing(s)
	if err != nil || c == nil && s.team == nil {
		return err
	}
	if purged {
		if err := owePurge(s, ids); err != nil {
			return err
		}
	}
	if s.team != nil {
		s.team.note(changeOf(s, forgetCommand(purged), ids))
		return nil
	}
	if purged {
		s.say("it was shared perhaps: the next 'agentflow sync' takes it out of the remote's ref, with its history")
	}
	syncSoon(s)
	return nil
}

func forgetCommand(purged bool) string {
	if purged {
		return "forget --purge"
	}
	return "forget"
}

// purgeFile lists what the next sync must remove from the ref and its history, one item a line.
func purgeFile(s *openMemory) string { return filepath.Join(s.State(), "share-purge") }

// owePurge adds to that list.
func owePurge(s *openMemory, ids []string) error {
	before, err := os.ReadFile(purgeFile(s))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return atomicfile.Write(purgeFile(s), append(before, strings.Join(ids, "\n")+"\n"...), 0o600)
}

// purging runs an exchange that includes the pending purges of retract.
func purging(ctx context.Context, s *openMemory, c *sharing, o exchange.Options) (exchange.Report, error) {
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
		s.say("the ref begins anew, without its history; out of reach are clones until they sync, objects that the remote's git has not collected, forks, backups and copies")
	}
	for _, name := range r.Kept {
		s.warn("%s was purged on another machine and stays here: it has changed here since", quote.Path("memory/"+name))
		s.hint("'agentflow forget --purge %s' removes it here too", quote.Path("memory/"+name))
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
func dropPurged(ctx context.Context, s *openMemory, clone *exchange.Clone) error {
	if !clone.OwesPurge() {
		return nil
	}
	if err := cleanPurged(ctx, s, clone); err != nil {
		return err
	}
	if err := purgeIndex(ctx, s); err != nil {
		return err
	}
	left, err := clone.DropPurged(ctx)
	if left > 0 {
		s.warn("%s of purged text stay in packs of %s", plural.Count(left, "object"), clone.Repo.Dir)
		s.hint("'git gc --prune=now' there removes them, and every other object that no ref leads to; it leaves packs with a .keep file until you delete that file, and packs with a .promisor file, of a partial clone: for those clone again")
	}
	return err
}

// cleanPurged removes what others purged from the files that AgentFlow keeps here. The text is
// only known while the repository has it, so this runs before the objects are deleted.
func cleanPurged(ctx context.Context, s *openMemory, clone *exchange.Clone) error {
	p, err := clone.Purged(ctx)
	if err != nil || p.Cleaned {
		return err
	}
	if p.Missing > 0 {
		s.warn("some of what others purged is not known here any more: folders of runs and sessions may still hold it")
		s.hint("'agentflow clean' removes old runs; 'grep -r' in %s finds the rest", s.State())
	}
	if len(p.Texts) == 0 {
		return clone.NoteCleaned()
	}
	report, err := s.store.CleanTraces(ctx, func(yield func(string, []byte) bool) {
		for _, t := range p.Texts {
			if !yield(t.ID, t.Markdown) {
				return
			}
		}
	}, traces(s))
	if err != nil {
		return err
	}
	warnLeft(s, slices.Concat(leftInMemory(s, report), leftInSessions(s, report)))
	return clone.NoteCleaned()
}

// warnLeft warns of places that may still have a text that others purged.
func warnLeft(s *openMemory, list []api.Unreached) {
	for _, left := range list {
		s.warn("others purged a text that may still be in %s: %s", left.Place, left.Why)
		s.hint("%s", left.Remedy)
	}
}

// syncQuietly syncs in the background. It records an error once, until a sync
// succeeds again.
func syncQuietly(ctx context.Context, s *openMemory, c *sharing) error {
	select {
	case <-time.After(settleTime):
	case <-ctx.Done():
		return ctx.Err()
	}
	_, err := purging(ctx, s, c, exchange.Options{Rest: rest})
	if err == nil {
		err = hear(ctx, s, c)
	}
	var held *filelock.HeldError
	if errors.As(err, &held) {
		return nil // the other sync shares the changes too
	}
	return sayOnce(s, err)
}

// sayOnce records an error of a sync, unless it is the same as the last one.
func sayOnce(s *openMemory, err error) error {
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
	s.degraded("sync", []string{err.Error()})
	return atomicfile.Write(path, []byte(err.Error()), 0o600)
}

// syncPasses syncs again and again, in a daemon.
func syncPasses(ctx context.Context, s *openMemory) {
	if !s.settings.Share.Auto {
		return
	}
	tick := time.NewTicker(rest)
	defer tick.Stop()
	for {
		for _, home := range s.andGlobal(ctx) {
			if c, err := readSharing(home); err == nil && c != nil {
				if err := syncQuietly(ctx, home, c); err != nil && ctx.Err() == nil {
					s.warn("syncing shared memory: %v", err)
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
