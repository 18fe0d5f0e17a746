package exchange

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"agentflow/gitwatch/memref"
	"agentflow/internal/filelock"
	"agentflow/internal/share"
)

// Clone is a memory that is shared.
type Clone struct {
	Repo   memref.Repo
	Remote string // the name of a remote, or an address
	Ref    string // refs/agentflow/memory, or a branch
	State  string // folder for the key and the state
	Memory string // folder of Markdown
	Mirror string // folder for the Markdown of other clones
	// Holders is a folder of the user that records which clone has each key. If it is empty,
	// only the clone's file records that.
	Holders string
	Author  func(context.Context) string // called only when the folder changes
	What    share.What
	// Whose is share.Own for the memory that the machines of one user share. Then a folder also
	// lists the ids that its machine hides as forgotten, so that the other machines forget them
	// too.
	Whose share.Whose
	// Key signs the folder. If it is nil, the key in State does, which is made at first use.
	Key ed25519.PrivateKey
	// Adopt makes Memory hold the files that the remote has in the folder, if another process
	// with the same Key wrote them. purged means that no copy of removed text may be kept.
	// Such processes write in turns: changes that one wrote and did not push before another
	// pushed are lost. Nil: no other process has the key.
	Adopt func(ctx context.Context, files map[string][]byte, purged bool) error
	// Join replaces the contents of Memory with those that merge returns, if another machine
	// wrote this clone's folder: one made from the same disk, or this one before a backup was
	// put back. Purged ids have to leave every store. Nil: such a folder is overwritten.
	Join func(ctx context.Context, merge func(now map[string][]byte) map[string][]byte, purged []string) error
	// Clean redacts text before it is sent.
	Clean func(string) string
	// Leaves reports whether a file of the memory may be shared; nil: all may.
	Leaves func(name string) bool
	// Gone returns a function that reports whether an entry or a fact was forgotten here. A
	// memory that was lost is restored without those. It is called only then. Nil: none was.
	Gone func(context.Context) (func(id string) bool, error)
	// Hidden are the ids of other clones' entries and facts that the mirror leaves out. Back
	// are ids that were hidden before.
	Hidden, Back []string
	// Rules changes when Clean, What or Leaves do.
	Rules string
	Now   func() time.Time

	layout share.Layout // of the entries in this clone's folder; set by an exchange
}

// Ref is the ref of shared memory on a remote. Branch is the ref on a remote that only accepts
// branches. OtherBranch is for a remote with a branch agentflow, because git allows no branch
// below that.
const (
	Ref         = "refs/agentflow/memory"
	Branch      = "refs/heads/agentflow/memory"
	OtherBranch = "refs/heads/agentflow-memory"
)

// BranchOf returns the branch for shared memory on a remote: the existing one, or otherwise one
// that can be made.
func BranchOf(ctx context.Context, repo memref.Repo, remote string) (string, error) {
	const inTheWay = "refs/heads/agentflow"
	has, err := repo.Has(ctx, remote, inTheWay, Branch, OtherBranch)
	if !has[Branch] && (has[OtherBranch] || has[inTheWay]) {
		return OtherBranch, err
	}
	return Branch, err
}

// The refs of this repository for the fetched commit, the commit to push, and the accepted one.
const (
	fetchedRef  = "refs/agentflow/fetched"
	mineRef     = "refs/agentflow/mine"
	acceptedRef = "refs/agentflow/accepted"
)

// Options configure an exchange.
type Options struct {
	DryRun bool // fetch and check, and change nothing else
	// Purge replaces the ref with one that has no history.
	Purge bool
	// Purged are ids that were purged: they also leave the folders of the clone's former keys.
	Purged []string
	// Rest skips the remote if this clone has nothing new and the last exchange was less than
	// Rest ago.
	Rest time.Duration
	// Unmoved assumes that the remote's ref has not moved since the last exchange, and asks the
	// remote only when a push shows otherwise.
	Unmoved bool
	// Withdraw removes all files from this clone's folder.
	Withdraw bool
}

// Report describes what an exchange did, or would do.
type Report struct {
	ID       share.CloneID
	Pushed   bool
	Files    []string        // changed files of this clone, sorted
	Bytes    int64           // of those files
	Texts    []string        // with DryRun: the shared text of Files, in their order; empty: the file is removed
	Clones   []Shared        // the accepted clones, including this one, sorted by id
	News     []share.CloneID // the clones in Clones with changes
	Refused  []Refused
	Healed   []share.CloneID // folders that the remote had lost
	Restored []string        // files of this clone's memory that were lost
	Kept     []string        // files that were purged elsewhere and stay, because they changed here
	Adopted  bool            // another process with this clone's key wrote its memory
}

// Refused is a folder that was not accepted.
type Refused struct {
	ID  share.CloneID
	Why string
	New bool // the previous exchange did not refuse it for that reason
}

// attempts limits how often an exchange starts again because another clone pushed first. If a
// lock file prevents the push, it starts again twice.
const attempts = 10

// lockFile is locked during an exchange.
const lockFile = "share.lock"

// lockWait is how long an exchange waits for another exchange of the clone.
const lockWait = 30 * time.Second

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
	key, err := c.keyFor(ctx, o)
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
	beside.Go(func() { files, listing = c.listMemory(now) })
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
	u, err := c.unite(ctx, tip, &st, r.ID)
	if err != nil {
		return r, err
	}
	if c.layout, err = c.layoutOf(ctx, u, r.ID); err != nil {
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
			if files, err = c.listMemory(now); err != nil {
				return r, err
			}
			sum = ""
		}
		o.Purge, o.Purged = o.Purge || len(u.purged) > 0, append(o.Purged, u.purged...)
	}
	if o.Withdraw {
		files = nil
	}
	mine, err := c.project(files, &st, u.own, u.joined)
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
		if err := c.owePurge(st.Tip, tip); err != nil {
			return r, err
		}
	}
	err = c.accept(ctx, u, state{Tip: next, Accepted: u.accepted, Memory: sum, Rules: c.Rules, Layout: c.layout, Files: mine.cache, Refused: u.refused}, r.ID)
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
		if _, err := os.Stat(c.mirrored(who)); who != id && err != nil {
			return false
		}
	}
	return !c.hidesAnew()
}

// tell fills in the accepted, the new and the refused folders.
func (r *Report) tell(accepted map[share.CloneID]known, news []share.CloneID, refused, before map[share.CloneID]refusal) {
	r.Clones, r.Refused = nil, nil
	for _, who := range sorted(accepted) {
		k := accepted[who]
		r.Clones = append(r.Clones, Shared{ID: who, Author: k.Author, Time: k.Time, Tree: k.Tree})
	}
	r.News = slices.DeleteFunc(slices.Clone(news), func(who share.CloneID) bool { return who == r.ID })
	slices.Sort(r.News)
	for _, who := range sorted(refused) {
		r.Refused = append(r.Refused, Refused{who, refused[who].Why, refused[who] != before[who]})
	}
}

func sorted[V any](m map[share.CloneID]V) []share.CloneID { return slices.Sorted(maps.Keys(m)) }
