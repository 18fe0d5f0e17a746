// Package links finds the later forms of the commits that entries name, and the commits that took
// in the changes that a run left uncommitted.
//
// It recognises a rewritten commit by the record of git's hook, by the amends in reflogs, by its
// patch id, or by the contents of its paths.
//
// Guarantees: entries are never changed. The results are kept in a file that the caller chooses,
// and that may be deleted at any time. A commit counts as gone only if no later form of it can have
// been missed. Otherwise it is unknown, and is searched for again.
//
// Not guaranteed: the searches are bounded, so a commit may stay unknown among very many later
// ones, and in a shallow or partial clone.
package links

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"agentflow/gitwatch"
	"agentflow/gitwatch/internal/git"
	"agentflow/memory"
	"agentflow/memory/changeset"
	"agentflow/memory/retrieval"
)

// Files are the files that a Ledger reads and writes.
type Files struct {
	Cache    string // derived, may be deleted at any time; empty: results are not kept
	Rewrites string // the record of RecordRewrites
}

// Ledger records whether HEAD or a branch still leads to the commits that entries name, or to a
// later form of them. It is not safe for concurrent use.
type Ledger struct {
	repo    *gitwatch.Repo
	files   Files
	cut     map[string]bool // the commits where a shallow history ends
	state   *state
	changed bool // since it was loaded
}

// Open reads the earlier results and updates them to the current branches, at a cost that depends
// on how far those moved. It drops results that cannot be updated.
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

// catchUp updates the state to the current branches and record of rewrites. Only commits that the
// branches gained or lost, and new records, can change it.
func (l *Ledger) catchUp(ctx context.Context, tips []string) error {
	k, record := l.state, int64(0)
	if info, err := os.Stat(l.files.Rewrites); err == nil {
		record = info.Size()
	}
	recorded := record != k.record
	if !recorded && slices.Equal(k.tips, tips) {
		return nil
	}
	l.changed, k.record = true, record
	gained, lost, err := moved(ctx, l.repo.Root(), k.tips, tips)
	if err := errors.Join(err, k.unpack()); err != nil {
		return err
	}
	k.tips = tips
	k.reachable.remove(lost)
	k.reachable.add(gained...)
	doubtful, open := k.unsettle(setOf(lost))
	if recorded && len(open) > 0 {
		s := search{ledger: l, trails: open}
		if err = s.readRewrites(ctx); err == nil {
			err = s.followRewrites(ctx, true)
		}
	}
	if err == nil && len(doubtful) > 0 {
		err = (&search{ledger: l, trails: doubtful}).among(ctx, nil)
	}
	if err == nil && len(open) > 0 && len(gained) > 0 {
		err = (&search{ledger: l, trails: open}).among(ctx, gained)
	}
	return errors.Join(err, k.replaceTrails(nil))
}

// Known returns the result about a commit, given by its full id, without asking git. It reports
// false if there is none. A text that is not an id always stays unknown.
func (l *Ledger) Known(commit string) (retrieval.Link, bool) {
	link := retrieval.Link{ID: commit, State: retrieval.LinkUnknown}
	if git.KnownID(commit) == "" {
		return link, true
	}
	if l.state.reachable.has(commit) {
		link.State = retrieval.LinkReachable
		return link, true
	}
	if found, ok := l.state.links[commit]; ok {
		return found, true
	}
	return link, false
}

// Origins lists the commits that became a commit, as far as known, sorted.
func (l *Ledger) Origins(commit string) (ids []string) {
	for id, link := range l.state.links {
		if link.State == retrieval.LinkRewritten && link.Now == commit {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// Resolve returns the links of the commits of entries, by commit id. It asks git about those
// without a result. The error says why some of them are unknown.
func (l *Ledger) Resolve(ctx context.Context, entries ...*memory.Entry) (map[string]retrieval.Link, error) {
	err := l.settleEntries(ctx, entries)
	found := map[string]retrieval.Link{}
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
	oldest := int64(math.MaxInt64)
	for _, e := range entries {
		open := slices.DeleteFunc(slices.Clone(e.Commits), func(c changeset.Commit) bool { return !l.isOpen(c.ID) })
		for _, c := range open {
			wanted[c.ID] = true
		}
		if len(open) > 0 {
			trails = append(trails, trailOf(e))
			oldest = min(oldest, e.Time.Unix())
		}
	}
	if len(trails) == 0 {
		return nil
	}
	found, err := reachableOf(ctx, l.repo.Root(), l.state.tips, wanted, oldest-clockSkew)
	if err != nil {
		return err
	}
	l.changed = true
	l.state.reachable.add(found...)
	for _, t := range trails {
		for i, link := range t.Links {
			if known, ok := l.Known(link.ID); ok {
				t.Links[i] = known
			}
		}
	}
	trails = slices.DeleteFunc(trails, func(t *trail) bool { return len(t.open()) == 0 })
	if len(trails) == 0 {
		return nil
	}
	err = (&search{ledger: l, trails: trails}).among(ctx, nil)
	return errors.Join(err, l.state.replaceTrails(trails))
}

// isOpen reports whether git must be asked about a commit.
func (l *Ledger) isOpen(commit string) bool {
	link, known := l.Known(commit)
	return !known || link.State == retrieval.LinkUnknown && git.KnownID(commit) != ""
}

// state holds the results as of the branches' tips.
type state struct {
	tips         []string // full ids, sorted
	grafts       string   // the commits where a shallow history ends
	record       int64    // size in bytes of the record of rewrites
	reachable    idSet
	trails       []*trail                  // of the entries with a commit that is not reachable
	packedTrails string                    // the trails as in the cache, until they are needed
	links        map[string]retrieval.Link // of the trails, by the commit's id
}

func newState(tips []string, grafts string) *state {
	return &state{tips: tips, grafts: grafts, links: map[string]retrieval.Link{}}
}

// replaceTrails replaces the trails of the same entries, and drops those in which every commit is
// reachable.
func (k *state) replaceTrails(trails []*trail) error {
	if err := k.unpack(); err != nil {
		return err
	}
	replaced := map[string]bool{}
	for _, t := range trails {
		replaced[t.Entry] = true
	}
	k.trails = append(slices.DeleteFunc(k.trails, func(t *trail) bool { return replaced[t.Entry] }), trails...)
	k.trails = slices.DeleteFunc(k.trails, func(t *trail) bool {
		return !slices.ContainsFunc(t.Links, func(l retrieval.Link) bool { return !k.reachable.has(l.ID) })
	})
	clear(k.links)
	for _, t := range k.trails {
		for _, l := range t.Links {
			// Two entries may name one commit, and one of them may know more.
			if k.links[l.ID].State != retrieval.LinkRewritten {
				k.links[l.ID] = l
			}
		}
	}
	return nil
}

// unsettle takes back the results that the lost commits make doubtful. It returns the trails with
// such a result, and the others with an open commit, which a commit made since may settle.
func (k *state) unsettle(lost map[string]bool) (doubtful, open []*trail) {
	for _, t := range k.trails {
		doubt := false
		for i, link := range t.Links {
			switch {
			case k.reachable.has(link.ID):
				t.settle(i, retrieval.LinkReachable, "")
			case link.State == retrieval.LinkReachable, lost[link.Now]:
				t.settle(i, retrieval.LinkUnknown, "")
				doubt = true
			}
		}
		switch {
		case doubt:
			doubtful = append(doubtful, t)
		case len(t.open()) > 0:
			open = append(open, t)
		}
	}
	return doubtful, open
}

func setOf(ids []string) map[string]bool {
	set := make(map[string]bool, len(ids))
	for _, id := range ids {
		set[id] = true
	}
	return set
}
