package exchange

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"time"

	"agentflow/gitwatch/memref"
	"agentflow/internal/filelock"
	"agentflow/internal/share"
)

// attempts limits how often an exchange starts again because another clone pushed first. If a
// lock file prevents the push, it starts again twice.
const attempts = 10

// Exchange updates the remote and this clone from each other. One exchange of a clone runs at a
// time.
func (c *Clone) Exchange(ctx context.Context, o Options) (r Report, err error) {
	if err := os.MkdirAll(c.State, 0o700); err != nil {
		return r, err
	}
	lock, err := filelock.Acquire(ctx, filepath.Join(c.State, lockFile), filelock.Self("sync", c.Now()), lockWait)
	if err != nil {
		return r, fmt.Errorf("another sync is running: %w", err)
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	key, err := c.keyring().forExchange(ctx, o.DryRun)
	if err != nil {
		return r, err
	}
	for attempt := range attempts {
		if attempt > 0 && !pause(ctx, attempt) {
			break
		}
		r, err = c.once(ctx, o, key)
		if again := errors.Is(err, memref.ErrFaster) || errors.Is(err, memref.ErrLocked) && attempt < 2; !again {
			return r, err
		}
		o.Unmoved = false
	}
	return r, err
}

// pause waits for a short time that grows with the attempts. It returns false if ctx ended.
func pause(ctx context.Context, attempt int) bool {
	select {
	case <-time.After(rand.N(50 * time.Millisecond << min(attempt, 5))):
		return true
	case <-ctx.Done():
		return false
	}
}

// once makes one attempt.
func (c *Clone) once(ctx context.Context, o Options, key ed25519.PrivateKey) (r Report, err error) {
	r.ID = share.IDOf(key.Public().(ed25519.PublicKey))
	now := c.Now()
	var files map[string]listed
	var listing error
	var beside sync.WaitGroup
	beside.Go(func() { files, listing = listMemory(c.Memory, c.Leaves, now) })
	st, err := c.remember(ctx)
	if beside.Wait(); err != nil {
		return r, err
	}
	if listing != nil {
		return r, fmt.Errorf("listing memory: %w", listing)
	}
	sum := digest(files)
	same := sum != "" && sum == st.Memory && st.Rules == c.Rules
	if info, err := os.Stat(c.stateFile()); same && o.Rest > 0 && err == nil && now.Sub(info.ModTime()).Abs() < o.Rest {
		return r, nil
	}
	unmoved := o.Unmoved
	o.Rest, o.Unmoved = 0, false
	settled := !o.Purge && !o.Withdraw && !o.DryRun && st.Tip != "" && same && !c.isLost() && c.isMirrored(&st, r.ID)
	tip, pushed := st.Tip, ""
	if !c.stands(tip, unmoved) {
		refs, err := c.fetch(ctx, st.Tip)
		if err != nil {
			return r, err
		}
		tip, pushed = refs[fetchedRef], refs[mineRef]
		settled = settled && tip == st.Tip && tip == refs[acceptedRef]
	}
	if settled {
		_ = os.Chtimes(c.stateFile(), now, now) // time of the last exchange: see Options.Rest
		r.tell(st.Accepted, nil, st.Refused, st.Refused)
		return r, nil
	}
	u, err := c.reader().unite(ctx, tip, &st, r.ID)
	if err != nil {
		return r, err
	}
	layout, err := c.reader().layoutOf(ctx, u, r.ID)
	if err != nil {
		return r, err
	}
	r.tell(u.accepted, u.news, u.refused, st.Refused)
	r.Healed = sorted(u.heal)
	if !o.Withdraw && !o.DryRun {
		back, err := c.takeBack(ctx, &r, &u, &st, pushed)
		if err != nil {
			return r, err
		}
		if back {
			if files, err = listMemory(c.Memory, c.Leaves, now); err != nil {
				return r, err
			}
			sum = ""
		}
		o.Purge, o.Purged = o.Purge || len(u.purged) > 0, append(o.Purged, u.purged...)
	}
	if o.Withdraw {
		files = nil
	}
	mine, err := c.project(files, &st, layout, u.own, u.joined)
	if err == nil {
		err = c.forgotten(ctx, &mine, u.own, u.accepted[r.ID].Tree, o)
	}
	if err != nil {
		return r, err
	}
	commit := c.commit(ctx, &r, u, mine, key, now, o)
	if o.DryRun {
		return r, nil
	}
	former, err := c.takeFromFormer(ctx, &commit, u, now, o)
	if err != nil {
		return r, err
	}
	next, err := c.write(ctx, commit, u.tip, o.Purge || u.purge)
	if err != nil {
		return r, err
	}
	r.Pushed = next != tip
	if next == "" { // the remote has nothing, and there is nothing to push
		return r, nil
	}
	if u.accepted, err = c.withOwn(ctx, u.accepted, next, append(former, r.ID)...); err != nil {
		return r, err
	}
	if o.Purge || u.purge || hasPurged(st.Accepted, u.accepted) {
		if err := c.debt().owe(st.Tip, tip); err != nil {
			return r, err
		}
	}
	err = c.accept(ctx, u, state{Tip: next, Accepted: u.accepted, Memory: sum, Rules: c.Rules, Layout: layout, Files: mine.cache, Refused: u.refused}, r.ID)
	r.tell(u.accepted, u.news, u.refused, st.Refused)
	if err == nil && c.Repo.Private && !c.OwesPurge() { // otherwise DropPurged does it, after Purged was read
		_ = c.Repo.Tidy(ctx, false) // the next exchange tries again
	}
	return r, err
}

// isMirrored reports whether the mirror has the folders of all other clones, and none of them
// was unreadable.
func (c *Clone) isMirrored(st *state, id share.CloneID) bool {
	for _, no := range st.Refused {
		if no.Tree == "" {
			return false
		}
	}
	for who := range st.Accepted {
		if _, err := os.Stat(c.mirror().folder(who)); who != id && err != nil {
			return false
		}
	}
	return !c.mirror().hidesAnew()
}
