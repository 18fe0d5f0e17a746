package links

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"

	"agentflow/gitwatch"
	"agentflow/gitwatch/history"
	"agentflow/gitwatch/reflog"
	"agentflow/memory/retrieval"
)

// Bounds of the search for rewritten commits: how many later commits are read, and for how many of
// them the patch id is computed.
const (
	maxLater   = 10_000
	maxPatches = 2_000
)

// search finds the later forms of the open commits of trails.
type search struct {
	ledger   *Ledger
	trails   []*trail
	rewrites map[string][]string       // the next forms of a commit, from git's records
	commits  map[string]history.Commit // the commits of the trails, and their later forms
	patches  map[string]string         // by commit
}

// open yields the open commits of the trails, by trail and index.
func (s *search) open() iter.Seq2[*trail, int] {
	return func(yield func(*trail, int) bool) {
		for _, t := range s.trails {
			for _, i := range t.open() {
				if !yield(t, i) {
					return
				}
			}
		}
	}
}

// among looks for the open commits among those with the given ids or, if ids is nil, among all that
// were made since the oldest trail. Only in the latter case may it conclude that a commit is gone.
func (s *search) among(ctx context.Context, ids []string) error {
	all := ids == nil
	if err := s.prepare(ctx, all); err != nil {
		return err
	}
	if err := s.followRewrites(ctx, all); err != nil {
		return err
	}
	if !slices.ContainsFunc(s.trails, func(t *trail) bool { return len(t.open()) > 0 }) {
		return nil
	}
	later, whole, err := s.later(ctx, ids)
	if err != nil {
		return err
	}
	// Git shows the commits where a shallow history ends as if they had created every file.
	m := newFinder(slices.DeleteFunc(later, func(c history.Commit) bool { return s.ledger.cut[c.ID] }))
	complete, err := s.match(ctx, m)
	if err != nil || !all {
		return err
	}
	return s.conclude(ctx, func(t *trail) bool { return complete && (whole || t.Time > m.oldestTime) })
}

// later reads the commits to search, the newest first.
func (s *search) later(ctx context.Context, ids []string) (commits []history.Commit, whole bool, err error) {
	dir := s.ledger.repo.Root()
	if ids == nil {
		oldest := slices.MinFunc(s.trails, func(a, b *trail) int { return cmp.Compare(a.Time, b.Time) }).Time
		return commitsSince(ctx, dir, s.ledger.state.tips, oldest-int64(reflog.ClockSlack.Seconds()), maxLater)
	}
	if paths, all := s.paths(); all && len(ids) > 0 {
		ids = touching(ids, paths)
	}
	found, err := commitsByID(ctx, dir, ids)
	for _, c := range found {
		if len(c.Parents) < 2 {
			commits = append(commits, c)
		}
	}
	slices.SortFunc(commits, func(a, b history.Commit) int { return b.Time.Compare(a.Time) })
	return commits, false, err
}

// maxPaths limits the paths for which git is asked for commits.
const maxPaths = 1000

// paths returns the paths that a later form of an open commit must change one of. all is false if
// it may change any other path, or if git cannot be asked for these paths.
func (s *search) paths() (paths []string, all bool) {
	for _, t := range s.trails {
		if len(t.Paths) == 0 {
			return nil, false
		}
		for _, p := range t.Paths {
			if strings.Contains(string(p.Path), "\n") {
				return nil, false
			}
			paths = append(paths, string(p.Path))
		}
	}
	slices.Sort(paths)
	paths = slices.Compact(paths)
	return paths, len(paths) <= maxPaths
}

// prepare reads how commits were rewritten and, the first time, completes the trails from their own
// commits, as far as git still has them.
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
	ids = nil
	for id, c := range s.commits {
		if !patched[id] && len(c.Files) <= gitwatch.MaxPatchPaths {
			ids = append(ids, id)
		}
	}
	s.patches, err = r.PatchIDs(ctx, ids...)
	if err == nil && first {
		for _, c := range s.trails {
			c.fill(s.commits, s.patches)
		}
	}
	return err
}

// match looks for each open commit among later ones. all reports that no candidate was left out.
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

// conclude settles the commits that were not found. They are gone if no later form can have been
// missed, which certain reports for a trail. Otherwise they are unknown.
func (s *search) conclude(ctx context.Context, certain func(*trail) bool) error {
	var exist []string
	for t, i := range s.open() {
		if _, ok := s.commits[t.Links[i].ID]; ok {
			exist = append(exist, t.Links[i].ID)
		}
	}
	unreachable, err := unreachableOf(ctx, s.ledger.repo.Root(), exist)
	if err != nil {
		return err
	}
	whole := len(s.ledger.cut) == 0 && !s.ledger.repo.Partial()
	for t, i := range s.open() {
		id := t.Links[i].ID
		switch _, exists := s.commits[id]; {
		case exists && !unreachable[id]:
			t.settle(i, retrieval.LinkReachable, "") // a tag leads to it
		case whole && certain(t):
			t.settle(i, retrieval.LinkGone, "")
		default:
			t.settle(i, retrieval.LinkUnknown, "")
		}
	}
	return nil
}

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

// maxSteps bounds how often a commit may have been rewritten.
const maxSteps = 100

// rewrittenAs lists the later forms of a commit, the next one first.
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

// followRewrites settles the commits that have a reachable later form. If ask is set, git finds the
// reachable ones among those forms.
func (s *search) followRewrites(ctx context.Context, ask bool) error {
	wanted := map[string]bool{}
	oldest := int64(math.MaxInt64)
	for t, i := range s.open() {
		for _, id := range s.rewrittenAs(t.Links[i].ID) {
			wanted[id] = true
			oldest = min(oldest, t.Time)
		}
	}
	state := s.ledger.state
	if ask && len(wanted) > 0 {
		found, err := reachableOf(ctx, s.ledger.repo.Root(), state.tips, wanted, oldest-clockSkew)
		state.reachable.add(found...)
		if err != nil {
			return err
		}
	}
	for t, i := range s.open() {
		later := s.rewrittenAs(t.Links[i].ID)
		if at := slices.IndexFunc(later, state.reachable.has); at >= 0 {
			t.settle(i, retrieval.LinkRewritten, later[at])
		}
	}
	return nil
}
