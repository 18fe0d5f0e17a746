package links

import (
	"context"
	"math"
	"slices"

	"agentflow/gitwatch/reflog"
	"agentflow/memory"
)

// chain learns what git itself says that commits were rewritten as.
func (s *settling) chain(ctx context.Context) error {
	recorded, err := reflog.ReadRewrites(s.l.files.Rewrites)
	if err != nil {
		return err
	}
	if s.became, err = amends(ctx, s.l.repo); err != nil {
		return err
	}
	for old, list := range recorded {
		s.became[old] = append(s.became[old], list...)
	}
	return nil
}

// maxSteps is how often a commit may have been rewritten.
const maxSteps = 100

// later lists what a commit was rewritten as, the next form first.
func (s *settling) later(commit string) []string {
	list := []string{commit}
	for i := 0; i < len(list) && i < maxSteps; i++ {
		for _, next := range s.became[list[i]] {
			if !slices.Contains(list, next) {
				list = append(list, next)
			}
		}
	}
	return list[1:]
}

// follow settles the commits whose later form is here. Git is asked about
// those that nothing is known of where ask is set.
func (s *settling) follow(ctx context.Context, ask bool) error {
	if ask {
		if err := s.askLater(ctx); err != nil {
			return err
		}
	}
	for _, c := range s.trails {
		for _, i := range c.open() {
			for _, id := range s.later(c.Links[i].ID) {
				if s.l.known.here.has(id) {
					c.set(i, memory.LinkRewritten, id)
					break
				}
			}
		}
	}
	return nil
}

// askLater finds out which later forms are here.
func (s *settling) askLater(ctx context.Context) error {
	wanted := map[string]bool{}
	oldest := int64(math.MaxInt64)
	for _, c := range s.trails {
		for _, i := range c.open() {
			for _, id := range s.later(c.Links[i].ID) {
				wanted[id] = true
				oldest = min(oldest, c.Time)
			}
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	here, err := reached(ctx, s.l.repo.Root(), s.l.known.tips, wanted, oldest-clockSkew)
	s.l.known.here.add(here...)
	return err
}
