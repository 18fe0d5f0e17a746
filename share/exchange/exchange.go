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
	"agentflow/share"
)

// Clone is a memory that is shared.
type Clone struct {
	Repo   memref.Repo
	Remote string // a remote's name, or an address
	Ref    string // refs/agentflow/memory, or a branch's
	State  string // folder for the key and the state
	Memory string // folder of Markdown
	Mirror string // folder for that of others
	// Holders is a folder of the user's that records for each key which clone has it. If it
	// is empty, only the clone's own file does.
	Holders string
	Author  func(context.Context) string // called only when the folder changes
	What    share.What
	// Whose is share.Own for the memory that the machines of one user share: a folder also
	// lists as forgotten the ids that its machine hides, so that the others forget them too.
	Whose share.Whose
	// Key signs the folder; nil: the key in State does, made at first use.
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
	// Clean redacts text on its way out.
	Clean func(string) string
	// Leaves says whether a file of the memory may leave; nil: all may.
	Leaves func(name string) bool
	// Gone returns a function that reports whether an entry or a fact was forgotten here. A
	// memory that was lost is restored without those. It is called only then. Nil: none was.
	Gone func(context.Context) (func(id string) bool, error)
	// Hidden are ids of others' entries and facts that the mirror leaves out; Back those
	// that were hidden once.
	Hidden, Back []string
	// Rules change when Clean, What or Leaves do.
	Rules string
	Now   func() time.Time

	layout share.Layout // of the entries in this clone's folder; an exchange finds it
}

// Ref is the ref of shared memory on a remote, and Branch that on one that takes only
// branches. OtherBranch is for one that has a branch agentflow: git makes none below it.
const (
	Ref         = "refs/agentflow/memory"
	Branch      = "refs/heads/agentflow/memory"
	OtherBranch = "refs/heads/agentflow-memory"
)

// BranchOf is the branch for shared memory on a remote: the one that is there, or else one
// that can be made.
func BranchOf(ctx context.Context, repo memref.Repo, remote string) (string, error) {
	const inTheWay = "refs/heads/agentflow"
	has, err := repo.Has(ctx, remote, inTheWay, Branch, OtherBranch)
	if !has[Branch] && (has[OtherBranch] || has[inTheWay]) {
		return OtherBranch, err
	}
	return Branch, err
}

// The refs of this repository: what was fetched, what is pushed, and what was accepted.
const (
	fetchedRef  = "refs/agentflow/fetched"
	mineRef     = "refs/agentflow/mine"
	acceptedRef = "refs/agentflow/accepted"
)

// Options say what an exchange does.
type Options struct {
	DryRun bool // fetch and look, and change nothing else
	// Purge replaces the ref with one that has no history.
	Purge bool
	// Purged are ids that were purged: they also leave the folders of the clone's former keys.
	Purged []string
	// Rest skips the remote if this clone has nothing new and the last exchange was less than
	// Rest ago.
	Rest time.Duration
	// Unmoved assumes that the remote's ref is where the last exchange left it, and asks the
	// remote only when a push shows otherwise.
	Unmoved bool
	// Withdraw removes all files from this clone's folder.
	Withdraw bool
}

// Report is what an exchange did, or would do.
type Report struct {
	ID       share.CloneID
	Pushed   bool
	Files    []string        // of this clone's that changed, sorted
	Bytes    int64           // of them
	Texts    []string        // with DryRun: what of Files leaves, in their order; empty: it goes away
	Clones   []Shared        // that are accepted, this one among them, sorted by id
	News     []share.CloneID // of them, those that changed
	Refused  []Refused
	Healed   []share.CloneID // folders that the remote had lost
	Restored []string        // files of this clone's memory that were lost
	Kept     []string        // files that were purged elsewhere and stay, because they changed here
	Adopted  bool            // this clone's memory is as another process with its key made it
}

// Refused is a folder that was not taken.
type Refused struct {
	ID  share.CloneID
	Why string
	New bool // an exchange before this one did not refuse it for that reason
}

// attempts bounds how often an exchange begins again because somebody was faster. One that a
// lock file keeps out begins again twice.
const attempts = 10

// lockFile is locked while an exchange goes on.
const lockFile = "share.lock"

// lockWait is how long another exchange of the clone is waited for.
const lockWait = 30 * time.Second

// Exchange brings both sides up to date. One exchange of a clone runs at a time.
func (c *Clone) Exchange(ctx context.Context, o Options) (r Report, err error) {
	if err := os.MkdirAll(c.State, 0o700); err != nil {
		return r, err
	}
	lock, err := filelock.Acquire(ctx, filepath.Join(c.State, lockFile), filelock.Self("sync", c.Now()), lockWait)
	if err != nil {
		return r, fmt.Errorf("another sync goes on: %w", err)
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

// pause waits a little, longer each time, and says whether there is time for that.
func pause(ctx context.Context, attempt int) bool {
	select {
	case <-time.After(rand.N(50 * time.Millisecond << min(attempt, 5))):
		return true
	case <-ctx.Done():
		return false
	}
}

// once is one attempt.
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
		_ = os.Chtimes(c.stateFile(), now, now) // of the last exchange: see Options.Rest
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
	if next == "" { // the remote has nothing, and there is nothing for it
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
	if err == nil && c.Repo.Private && !c.OwesPurge() { // DropPurged does it, after Purged was read
		_ = c.Repo.Tidy(ctx, false) // the next exchange tries again
	}
	return r, err
}

// isMirrored reports whether all folders of the others are in the mirror, and none of them
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
