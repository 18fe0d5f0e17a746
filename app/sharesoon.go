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
func (s *openMemory) syncSoon() {
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

// written updates the index after a command wrote to memory, and shares the change. ids are
// the ids of the changed items.
func (s *openMemory) written(ctx context.Context, command string, ids ...string) {
	s.reindex(ctx, command)
	if s.team != nil {
		s.team.note(s.changeOf(command, ids))
		return
	}
	s.syncSoon()
}

// retract lets the next sync remove what was forgotten, and begins one in the background
// if the user has enabled that. Purged text leaves the ref's history too.
func (s *openMemory) retract(ctx context.Context, purged bool, ids []string) error {
	c, err := s.sharing()
	if err != nil || c == nil && s.team == nil {
		return err
	}
	if purged {
		if err := s.owePurge(ids); err != nil {
			return err
		}
	}
	if s.team != nil {
		s.team.note(s.changeOf(forgetCommand(purged), ids))
		return nil
	}
	if purged {
		s.say("it was shared perhaps: the next 'agentflow sync' takes it out of the remote's ref, with its history")
	}
	s.syncSoon()
	return nil
}

func forgetCommand(purged bool) string {
	if purged {
		return "forget --purge"
	}
	return "forget"
}

// purgeFile lists what the next sync must remove from the ref and its history, one item a line.
func (s *openMemory) purgeFile() string { return filepath.Join(s.State(), "share-purge") }

// owePurge adds to that list.
func (s *openMemory) owePurge(ids []string) error {
	before, err := os.ReadFile(s.purgeFile())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return atomicfile.Write(s.purgeFile(), append(before, strings.Join(ids, "\n")+"\n"...), 0o600)
}

// purging runs an exchange that includes the pending purges of retract.
func (s *openMemory) purging(ctx context.Context, c *sharing, o exchange.Options) (exchange.Report, error) {
	clone, err := s.clone(ctx, c)
	if err != nil {
		return exchange.Report{}, err
	}
	owed, err := os.ReadFile(s.purgeFile())
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
	if now, e := os.ReadFile(s.purgeFile()); err == nil && due && e == nil && bytes.Equal(now, owed) { // else the next sync takes the rest
		err = os.Remove(s.purgeFile())
	}
	if err == nil && !o.DryRun {
		err = s.dropPurged(ctx, clone)
	}
	return r, err
}

// dropPurged removes purged text in this clone that an exchange brought or made: in the
// folders of runs and sessions, in the index, and among the objects of git. If it is
// interrupted, the next sync, or the next command that writes, continues it.
func (s *openMemory) dropPurged(ctx context.Context, clone *exchange.Clone) error {
	if !clone.OwesPurge() {
		return nil
	}
	if err := s.cleanPurged(ctx, clone); err != nil {
		return err
	}
	if err := s.purgeIndex(ctx); err != nil {
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
func (s *openMemory) cleanPurged(ctx context.Context, clone *exchange.Clone) error {
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
	}, s.traces())
	if err != nil {
		return err
	}
	s.warnLeft(slices.Concat(s.leftInMemory(report), s.leftInSessions(report)))
	return clone.NoteCleaned()
}

// warnLeft warns of places that may still have a text that others purged.
func (s *openMemory) warnLeft(list []api.Unreached) {
	for _, left := range list {
		s.warn("others purged a text that may still be in %s: %s", left.Place, left.Why)
		s.hint("%s", left.Remedy)
	}
}

// syncQuietly syncs in the background. It records an error once, until a sync
// succeeds again.
func (s *openMemory) syncQuietly(ctx context.Context, c *sharing) error {
	select {
	case <-time.After(settleTime):
	case <-ctx.Done():
		return ctx.Err()
	}
	_, err := s.purging(ctx, c, exchange.Options{Rest: rest})
	if err == nil {
		err = s.hear(ctx, c)
	}
	var held *filelock.HeldError
	if errors.As(err, &held) {
		return nil // the other sync shares the changes too
	}
	return s.sayOnce(err)
}

// sayOnce records an error of a sync, unless it is the same as the last one.
func (s *openMemory) sayOnce(err error) error {
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
func (s *openMemory) syncPasses(ctx context.Context) {
	if !s.settings.Share.Auto {
		return
	}
	tick := time.NewTicker(rest)
	defer tick.Stop()
	for {
		for _, home := range s.andGlobal(ctx) {
			if c, err := home.sharing(); err == nil && c != nil {
				if err := home.syncQuietly(ctx, c); err != nil && ctx.Err() == nil {
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
