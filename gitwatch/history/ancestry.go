package history

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"agentflow/gitwatch/internal/git"
)

// Pair is two commits, by full id. LeadTo finds whether the first is an ancestor of the second, or
// the same.
type Pair struct{ Ancestor, Commit string }

// LeadTo returns the pairs for which this is true. A commit that does not exist is no ancestor.
// LeadTo runs git three times, for any number of pairs, and reads the history of the commits down
// to where the ancestors diverge.
func LeadTo(ctx context.Context, dir string, pairs []Pair) (map[Pair]bool, error) {
	lead := map[Pair]bool{}
	ancestors, err := existing(ctx, dir, distinct(pairs, func(p Pair) string { return p.Ancestor }))
	if err != nil || len(ancestors) == 0 {
		return lead, err
	}
	commits, err := existing(ctx, dir, distinct(pairs, func(p Pair) string { return p.Commit }))
	if err != nil {
		return nil, err
	}
	behind, err := ancestorsBehind(ctx, dir, ancestors, commits)
	if err != nil {
		return nil, fmt.Errorf("looking which commits lead to which: %w", err)
	}
	for _, p := range pairs {
		lead[p] = behind.has(p)
	}
	return lead, nil
}

func distinct(pairs []Pair, id func(Pair) string) (ids []string) {
	for _, p := range pairs {
		ids = append(ids, id(p))
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// existing returns those of some commits that exist.
func existing(ctx context.Context, dir string, ids []string) (there []string, err error) {
	refs, err := Times(ctx, dir, ids)
	for _, r := range refs {
		there = append(there, r.ID)
	}
	return there, err
}

// behind holds, for commits, which of the ancestors they are reachable from.
type behind struct {
	bit map[string]int      // number of the bit of each ancestor
	of  map[string]*big.Int // the bits of each commit
}

func (b behind) has(p Pair) bool {
	bit, there := b.bit[p.Ancestor]
	set := b.of[p.Commit]
	return there && set != nil && set.Bit(bit) == 1
}

// ancestorsBehind finds the ancestors of commits. All of them must exist. It does not read commits
// before one that all ancestors have in common, because none of them is an ancestor in question.
func ancestorsBehind(ctx context.Context, dir string, ancestors, commits []string) (behind, error) {
	b := behind{map[string]int{}, map[string]*big.Int{}}
	for i, id := range ancestors {
		b.bit[id] = i
	}
	ask := git.Lines(commits)
	common, err := git.Text(ctx, dir, append([]string{"merge-base", "--octopus"}, ancestors...)...)
	switch {
	case err == nil:
		ask += "^" + common + "^@\n"
	case !git.Exited(err, 1): // 1: they have no common ancestor
		return b, err
	}
	out, err := git.Ask(ctx, dir, strings.NewReader(ask), "rev-list", "--topo-order", "--reverse", "--parents", "--stdin")
	for line := range strings.Lines(string(out)) {
		ids := strings.Fields(line)
		set := &big.Int{}
		for _, parent := range ids[1:] {
			if before := b.of[parent]; before != nil {
				set.Or(set, before)
			}
		}
		if bit, is := b.bit[ids[0]]; is {
			set.SetBit(set, bit, 1)
		}
		b.of[ids[0]] = set
	}
	return b, err
}
