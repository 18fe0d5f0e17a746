// Package links says what became of the commits that entries name, and which
// commits took over what a run had left uncommitted.
//
// A commit is known again by the record of git's hook, by the reflog's amends,
// by its patch id, or by the contents it gave its paths.
//
// Guarantees: entries are never changed. What it cost to find out is kept in a
// file of the caller's, which may be deleted at any time. A commit is said to
// be gone only where none that may be a later form of it was passed over; else
// it is unknown, and asked about again.
//
// Not guaranteed: the searches are bounded, so among very many later commits
// one may stay unknown; so may one in a shallow or partial clone.
package links

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"agentflow/gitwatch"
	"agentflow/gitwatch/internal/git"
	"agentflow/memory"
)

// Files are where Links finds and keeps what it knows.
type Files struct {
	Cache    string // derived, may be deleted at any time; empty: nothing is kept
	Rewrites string // the record of RecordRewrites
}

// Ledger says what became of the commits that entries name: whether HEAD or a
// branch still leads to them, or to a commit that was made of them. A commit
// is known again by the record of git's hook, by the reflog's amends, by its
// patch id, or by the contents it gave its paths; entries are never changed.
// It is not for concurrent use.
type Ledger struct {
	repo    *gitwatch.Repo
	files   Files
	cut     map[string]bool // the commits where a shallow history ends
	state   *state
	changed bool // since it was loaded
}

// Open reads what was found out before and brings it up to the branches as
// they are now. The cost is that of what they moved by. What was found out is
// given up where that cannot be told.
func Open(ctx context.Context, r *gitwatch.Repo, files Files) (*Ledger, error) {
	tips, grafts, err := r.BranchTips(ctx)
	if err != nil {
		return nil, fmt.Errorf("read branches of %s: %w", r.Root(), err)
	}
	l := &Ledger{repo: r, files: files, cut: setOf(strings.Fields(grafts))}
	if l.state, err = load(files.Cache); err != nil || l.state.grafts != grafts {
		l.state = newState(tips, grafts)
	}
	if err := l.catchUp(ctx, tips); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		l.state = newState(tips, grafts)
	}
	return l, nil
}

// catchUp brings what is known to the branches and the record of rewrites as
// they are now.
func (l *Ledger) catchUp(ctx context.Context, tips []string) error {
	record := sizeOf(l.files.Rewrites)
	recorded := record != l.state.record
	if !recorded && slices.Equal(l.state.tips, tips) {
		return nil
	}
	l.changed = true
	l.state.record = record
	return l.move(ctx, tips, recorded)
}

// sizeOf is a file's size in bytes, 0 when there is none.
func sizeOf(file string) int64 {
	info, err := os.Stat(file)
	if err != nil {
		return 0
	}
	return info.Size()
}

// Known says what was found out about a commit by its full id, without asking
// git; false says that nothing was. What is no id is unknown and always will
// be.
func (l *Ledger) Known(commit string) (memory.Link, bool) {
	link := memory.Link{ID: commit, State: memory.LinkUnknown}
	if git.KnownID(commit) == "" {
		return link, true
	}
	if l.state.reachable.has(commit) {
		link.State = memory.LinkHere
		return link, true
	}
	if found, ok := l.state.links[commit]; ok {
		return found, true
	}
	return link, false
}

// Resolve says what became of the commits of entries, by their ids. Git is
// asked about those of which nothing was found out before. The error says why
// some of them are unknown.
func (l *Ledger) Resolve(ctx context.Context, entries ...*memory.Entry) (map[string]memory.Link, error) {
	err := l.settleEntries(ctx, entries)
	found := map[string]memory.Link{}
	for _, e := range entries {
		for _, c := range e.Commits {
			found[c.ID], _ = l.Known(c.ID)
		}
	}
	return found, err
}

func (l *Ledger) settleEntries(ctx context.Context, entries []*memory.Entry) error {
	var trails []*trail
	wanted := map[string]bool{}
	oldest := int64(0)
	for _, e := range entries {
		if !slices.ContainsFunc(e.Commits, func(c memory.Commit) bool { return l.isOpen(c.ID) }) {
			continue
		}
		c := trailOf(e)
		if len(trails) == 0 || c.Time < oldest {
			oldest = c.Time
		}
		trails = append(trails, c)
		for _, link := range c.Links {
			if l.isOpen(link.ID) {
				wanted[link.ID] = true
			}
		}
	}
	if len(trails) == 0 {
		return nil
	}
	here, err := reachableOf(ctx, l.repo.Root(), l.state.tips, wanted, oldest-clockSkew)
	if err != nil {
		return err
	}
	l.changed = true
	l.state.reachable.add(here...)
	return l.settleTrails(ctx, trails)
}

// isOpen says whether git has to be asked about a commit.
func (l *Ledger) isOpen(commit string) bool {
	link, known := l.Known(commit)
	return !known || link.State == memory.LinkUnknown && git.KnownID(commit) != ""
}

// settleTrails finds out about the trails of which a commit is not here, and keeps
// them.
func (l *Ledger) settleTrails(ctx context.Context, trails []*trail) error {
	var lost []*trail
	for _, c := range trails {
		for i, link := range c.Links {
			if known, ok := l.Known(link.ID); ok {
				c.Links[i] = known
			}
		}
		if len(c.open()) > 0 {
			lost = append(lost, c)
		}
	}
	if len(lost) == 0 {
		return nil
	}
	err := (&search{ledger: l, trails: lost}).allSince(ctx)
	return errors.Join(err, l.state.replaceTrails(lost))
}

// state is what is known as of the branches' tips.
type state struct {
	tips         []string // full ids, sorted
	grafts       string   // the commits where a shallow history ends
	record       int64    // size in bytes of the record of rewrites
	reachable    idSet
	trails       []*trail               // of the entries of which a commit is not here
	packedTrails string                 // away, as a cache has it, while nobody needed it
	links        map[string]memory.Link // of away, by the commit's id
}

func newState(tips []string, grafts string) *state {
	return &state{tips: tips, grafts: grafts, links: map[string]memory.Link{}}
}

// replaceTrails puts trails in the place of those of the same entries, and forgets
// those of which every commit is here.
func (k *state) replaceTrails(trails []*trail) error {
	if err := k.unpack(); err != nil {
		return err
	}
	again := map[string]bool{}
	for _, c := range trails {
		again[c.Entry] = true
	}
	k.trails = append(slices.DeleteFunc(k.trails, func(c *trail) bool { return again[c.Entry] }), trails...)
	k.trails = slices.DeleteFunc(k.trails, func(c *trail) bool {
		return !slices.ContainsFunc(c.Links, func(l memory.Link) bool { return !k.reachable.has(l.ID) })
	})
	clear(k.links)
	for _, c := range k.trails {
		for _, l := range c.Links {
			// Two entries may name one commit, and one of them know more.
			if k.links[l.ID].State != memory.LinkRewritten {
				k.links[l.ID] = l
			}
		}
	}
	return nil
}

// move brings what is known to the branches as they are now: only commits
// that they gained or lost can change it, and what git's hook recorded since.
func (l *Ledger) move(ctx context.Context, tips []string, recorded bool) error {
	k := l.state
	lost, err := commitsBetween(ctx, l.repo.Root(), k.tips, tips)
	if err != nil {
		return err
	}
	gained, err := commitsBetween(ctx, l.repo.Root(), tips, k.tips)
	if err != nil {
		return err
	}
	k.tips = tips
	k.reachable.remove(lost)
	k.reachable.add(gained...)
	if err := k.unpack(); err != nil {
		return err
	}
	again, waiting := k.unsettle(setOf(lost))
	if recorded && len(waiting) > 0 {
		err = (&search{ledger: l, trails: waiting}).onlyRewrites(ctx)
	}
	if err == nil && len(again) > 0 {
		err = (&search{ledger: l, trails: again}).allSince(ctx)
	}
	if err == nil && len(waiting) > 0 && len(gained) > 0 {
		err = (&search{ledger: l, trails: waiting}).among(ctx, gained)
	}
	return errors.Join(err, k.replaceTrails(nil))
}

// unsettle takes back what the lost commits make doubtful. It returns the
// trails to settle again, and those that a commit made since may settle.
func (k *state) unsettle(lost map[string]bool) (again, waiting []*trail) {
	for _, c := range k.trails {
		doubt := false
		for i, link := range c.Links {
			switch {
			case k.reachable.has(link.ID):
				c.settle(i, memory.LinkHere, "")
			case link.State == memory.LinkHere, lost[link.Now]:
				c.settle(i, memory.LinkUnknown, "")
				doubt = true
			}
		}
		switch {
		case doubt:
			again = append(again, c)
		case len(c.open()) > 0:
			waiting = append(waiting, c)
		}
	}
	return again, waiting
}

func setOf(ids []string) map[string]bool {
	set := make(map[string]bool, len(ids))
	for _, id := range ids {
		set[id] = true
	}
	return set
}
