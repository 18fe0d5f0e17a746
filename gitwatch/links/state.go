package links

import (
	"context"
	"errors"
	"slices"

	"agentflow/memory"
)

// state is what is known as of the branches' tips.
type state struct {
	tips   []string // full ids, sorted
	grafts string   // the commits where a shallow history ends
	record int64    // size in bytes of the record of rewrites
	here   idSet
	away   []*trail               // of the entries of which a commit is not here
	packed string                 // away, as a cache has it, while nobody needed it
	link   map[string]memory.Link // of away, by the commit's id
}

func newState(tips []string, grafts string) *state {
	return &state{tips: tips, grafts: grafts, link: map[string]memory.Link{}}
}

// keep puts trails in the place of those of the same entries, and forgets
// those of which every commit is here.
func (k *state) keep(trails []*trail) error {
	if err := k.unpack(); err != nil {
		return err
	}
	again := map[string]bool{}
	for _, c := range trails {
		again[c.Entry] = true
	}
	k.away = append(slices.DeleteFunc(k.away, func(c *trail) bool { return again[c.Entry] }), trails...)
	k.away = slices.DeleteFunc(k.away, func(c *trail) bool {
		return !slices.ContainsFunc(c.Links, func(l memory.Link) bool { return !k.here.has(l.ID) })
	})
	clear(k.link)
	for _, c := range k.away {
		for _, l := range c.Links {
			// Two entries may name one commit, and one of them know more.
			if k.link[l.ID].State != memory.LinkRewritten {
				k.link[l.ID] = l
			}
		}
	}
	return nil
}

// move brings what is known to the branches as they are now: only commits
// that they gained or lost can change it, and what git's hook recorded since.
func (l *Book) move(ctx context.Context, tips []string, recorded bool) error {
	k := l.known
	lost, err := commitsBetween(ctx, l.repo.Root(), k.tips, tips)
	if err != nil {
		return err
	}
	gained, err := commitsBetween(ctx, l.repo.Root(), tips, k.tips)
	if err != nil {
		return err
	}
	k.tips = tips
	k.here.remove(lost)
	k.here.add(gained...)
	if err := k.unpack(); err != nil {
		return err
	}
	again, waiting := k.unsettle(setOf(lost))
	if recorded && len(waiting) > 0 {
		err = (&settling{l: l, trails: waiting}).retrace(ctx)
	}
	if err == nil && len(again) > 0 {
		err = (&settling{l: l, trails: again}).since(ctx)
	}
	if err == nil && len(waiting) > 0 && len(gained) > 0 {
		err = (&settling{l: l, trails: waiting}).among(ctx, gained)
	}
	return errors.Join(err, k.keep(nil))
}

// unsettle takes back what the lost commits make doubtful. It returns the
// trails to settle again, and those that a commit made since may settle.
func (k *state) unsettle(lost map[string]bool) (again, waiting []*trail) {
	for _, c := range k.away {
		doubt := false
		for i, link := range c.Links {
			switch {
			case k.here.has(link.ID):
				c.set(i, memory.LinkHere, "")
			case link.State == memory.LinkHere, lost[link.Now]:
				c.set(i, memory.LinkUnknown, "")
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
