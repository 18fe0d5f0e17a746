package links

import (
	"context"
	"maps"
	"math"
	"slices"

	"agentflow/gitwatch"
	"agentflow/gitwatch/history"
	"agentflow/gitwatch/reflog"
	"agentflow/memory"
)

// Bounds of the search for what became of commits: how many later commits are
// looked at, and of how many of them the patch is worked out.
const (
	maxLater   = 10_000
	maxPatches = 2_000
)

// search finds out what became of the open commits of trails.
type search struct {
	ledger   *Ledger
	trails   []*trail
	rewrites map[string][]string // by commit: what it was rewritten as, step by step
	commits  map[string]history.Commit
	patches  map[string]string // by commit
}

// allSince looks among all commits that were made since the oldest trail.
func (s *search) allSince(ctx context.Context) error {
	if err := s.prepare(ctx, true); err != nil {
		return err
	}
	if err := s.followRewrites(ctx, true); err != nil || !s.hasOpen() {
		return err
	}
	oldest := s.trails[0].Time
	for _, c := range s.trails {
		oldest = min(oldest, c.Time)
	}
	later, whole, err := commitsSince(ctx, s.ledger.repo.Root(), s.ledger.state.tips, oldest-int64(reflog.ClockSlack.Seconds()), maxLater)
	if err != nil {
		return err
	}
	m := newFinder(s.uncut(later))
	all, err := s.match(ctx, m)
	if err != nil {
		return err
	}
	return s.conclude(ctx, func(t *trail) bool { return all && (whole || t.Time > m.oldestTime) })
}

// among looks among some commits only; what is not there stays as it was.
func (s *search) among(ctx context.Context, ids []string) error {
	if err := s.prepare(ctx, false); err != nil {
		return err
	}
	if err := s.followRewrites(ctx, false); err != nil || !s.hasOpen() {
		return err
	}
	found, err := commitsByID(ctx, s.ledger.repo.Root(), ids)
	if err != nil {
		return err
	}
	commits := slices.DeleteFunc(slices.Collect(maps.Values(found)), func(c history.Commit) bool { return len(c.Parents) > 1 })
	slices.SortFunc(commits, func(a, b history.Commit) int { return b.Time.Compare(a.Time) })
	_, err = s.match(ctx, newFinder(s.uncut(commits)))
	return err
}

// uncut leaves out the commits where a shallow history ends: git shows them as
// if they had made every file.
func (s *search) uncut(commits []history.Commit) []history.Commit {
	return slices.DeleteFunc(commits, func(c history.Commit) bool { return s.ledger.cut[c.ID] })
}

// onlyRewrites looks only at what git itself says that commits were rewritten as.
func (s *search) onlyRewrites(ctx context.Context) error {
	if err := s.readRewrites(ctx); err != nil {
		return err
	}
	return s.followRewrites(ctx, true)
}

// hasOpen says whether a commit is still open.
func (s *search) hasOpen() bool {
	return slices.ContainsFunc(s.trails, func(c *trail) bool { return len(c.open()) > 0 })
}

// prepare reads what commits were rewritten as and, the first time, what the
// trails lack from their own commits, as far as git still has them.
func (s *search) prepare(ctx context.Context, first bool) error {
	r := s.ledger.repo
	if err := s.readRewrites(ctx); err != nil {
		return err
	}
	var ids []string
	patched := map[string]bool{}
	for _, c := range s.trails {
		for i, l := range c.Links {
			ids = append(ids, s.rewrittenAs(l.ID)...)
			if first {
				ids = append(ids, l.ID)
			}
			patched[l.ID] = c.patch(i) != ""
		}
	}
	slices.Sort(ids)
	var err error
	if s.commits, err = commitsByID(ctx, r.Root(), slices.Compact(ids)); err != nil {
		return err
	}
	maps.DeleteFunc(s.commits, func(id string, _ history.Commit) bool { return s.ledger.cut[id] })
	var there []string
	for id, c := range s.commits {
		if !patched[id] && len(c.Files) <= gitwatch.MaxPatchPaths {
			there = append(there, id)
		}
	}
	if s.patches, err = r.PatchIDs(ctx, there...); err != nil {
		return err
	}
	for _, c := range s.trails {
		if first {
			c.fill(s.commits, s.patches)
		}
	}
	return nil
}

// match looks for each open commit among later ones. all says that every one
// that may be it was looked at.
func (s *search) match(ctx context.Context, m *finder) (all bool, err error) {
	ids, all := m.candidates(s.trails)
	patches, err := s.ledger.repo.PatchIDs(ctx, ids...)
	if err != nil {
		return false, err
	}
	m.addPatches(patches)
	for _, c := range s.trails {
		m.match(c, func(commit string) (list []string) {
			for _, id := range s.rewrittenAs(commit) {
				if p := s.patches[id]; p != "" {
					list = append(list, p)
				}
			}
			return list
		})
	}
	return all, nil
}

// conclude says of commits that were found nowhere that they are gone, where
// that is certain: where none that may be a later form was passed over.
func (s *search) conclude(ctx context.Context, certain func(*trail) bool) error {
	var there []string
	for _, t := range s.trails {
		for _, i := range t.open() {
			if _, ok := s.commits[t.Links[i].ID]; ok {
				there = append(there, t.Links[i].ID)
			}
		}
	}
	loose, err := unreachableOf(ctx, s.ledger.repo.Root(), there)
	if err != nil {
		return err
	}
	whole := len(s.ledger.cut) == 0 && !s.ledger.repo.Partial()
	for _, t := range s.trails {
		for _, i := range t.open() {
			id := t.Links[i].ID
			switch _, exists := s.commits[id]; {
			case exists && !loose[id]:
				t.settle(i, memory.LinkHere, "") // a tag leads to it
			case whole && certain(t):
				t.settle(i, memory.LinkGone, "")
			default:
				t.settle(i, memory.LinkUnknown, "")
			}
		}
	}
	return nil
}

// readRewrites learns what git itself says that commits were rewritten as.
func (s *search) readRewrites(ctx context.Context) error {
	recorded, err := reflog.ReadRewrites(s.ledger.files.Rewrites)
	if err != nil {
		return err
	}
	if s.rewrites, err = readAmends(ctx, s.ledger.repo); err != nil {
		return err
	}
	for old, list := range recorded {
		s.rewrites[old] = append(s.rewrites[old], list...)
	}
	return nil
}

// maxSteps is how often a commit may have been rewritten.
const maxSteps = 100

// rewrittenAs lists what a commit was rewritten as, the next form first.
func (s *search) rewrittenAs(commit string) []string {
	list := []string{commit}
	for i := 0; i < len(list) && i < maxSteps; i++ {
		for _, next := range s.rewrites[list[i]] {
			if !slices.Contains(list, next) {
				list = append(list, next)
			}
		}
	}
	return list[1:]
}

// followRewrites settles the commits whose later form is here. Git is asked about
// those that nothing is known of where ask is set.
func (s *search) followRewrites(ctx context.Context, ask bool) error {
	if ask {
		if err := s.findReachable(ctx); err != nil {
			return err
		}
	}
	for _, c := range s.trails {
		for _, i := range c.open() {
			for _, id := range s.rewrittenAs(c.Links[i].ID) {
				if s.ledger.state.reachable.has(id) {
					c.settle(i, memory.LinkRewritten, id)
					break
				}
			}
		}
	}
	return nil
}

// findReachable finds out which later forms are here.
func (s *search) findReachable(ctx context.Context) error {
	wanted := map[string]bool{}
	oldest := int64(math.MaxInt64)
	for _, c := range s.trails {
		for _, i := range c.open() {
			for _, id := range s.rewrittenAs(c.Links[i].ID) {
				wanted[id] = true
				oldest = min(oldest, c.Time)
			}
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	here, err := reachableOf(ctx, s.ledger.repo.Root(), s.ledger.state.tips, wanted, oldest-clockSkew)
	s.ledger.state.reachable.add(here...)
	return err
}
