package gitwatch

import (
	"context"
	"slices"
	"sort"

	"agentflow/gitwatch/internal/git"
)

// step is what one commit did to one path.
type step struct{ before, after file }

// netChange is what a series of commits did to one path.
type netChange struct {
	path          string
	before, after file
	steps         []step // oldest first; nil once before → after stands for all
}

// contiguous says whether each step begins where the one before it ended, so
// that nobody else changed the path in between.
func (n *netChange) contiguous() bool {
	for i := 1; i < len(n.steps); i++ {
		if n.steps[i].before != n.steps[i-1].after {
			return false
		}
	}
	return true
}

// compose adds up what commits did, oldest first, path by path. Paths that
// end as they began are not in net, but they are in touched.
func (o *objects) compose(ctx context.Context, commits []*commitInfo) (net []netChange, touched map[string]bool, err error) {
	touched = map[string]bool{}
	byPath := map[string]*netChange{}
	for _, c := range commits {
		changes, err := o.commitChanges(ctx, c)
		if err != nil {
			return nil, nil, err
		}
		for _, ch := range changes {
			if isOwn(ch.path) {
				continue
			}
			touched[ch.path] = true
			n, ok := byPath[ch.path]
			if !ok {
				n = &netChange{path: ch.path, before: ch.before}
				byPath[ch.path] = n
			}
			n.after = ch.after
			n.steps = append(n.steps, step{ch.before, ch.after})
		}
	}
	for _, n := range byPath {
		if n.before != n.after {
			net = append(net, *n)
		}
	}
	sort.Slice(net, func(i, j int) bool { return net[i].path < net[j].path })
	return net, touched, nil
}

// commitChanges is what a commit did to its first parent, or to the older
// commit that it amends; a rebased copy did nothing to the paths that its
// original changed. A merge did only what it resolved: paths that it holds
// differently from every parent.
func (o *objects) commitChanges(ctx context.Context, c *commitInfo) ([]pathChange, error) {
	if c.amends != "" {
		return o.diffCommit(ctx, c.amends, c)
	}
	var parent git.ID
	if len(c.parents) > 0 {
		parent = c.parents[0]
	}
	changes, err := o.diffCommit(ctx, parent, c)
	if err != nil {
		return nil, err
	}
	if c.copies != nil {
		old, err := o.commitChanges(ctx, c.copies)
		return without(changes, old), err
	}
	if len(c.parents) < 2 {
		return changes, nil
	}
	for _, other := range c.parents[1:] {
		more, err := o.diffCommit(ctx, other, c)
		if err != nil {
			return nil, err
		}
		differs := map[string]bool{}
		for _, ch := range more {
			differs[ch.path] = true
		}
		kept := changes[:0]
		for _, ch := range changes {
			if differs[ch.path] {
				kept = append(kept, ch)
			}
		}
		changes = kept
	}
	return changes, nil
}

// without leaves out the paths that other changes name.
func without(changes, other []pathChange) []pathChange {
	named := map[string]bool{}
	for _, ch := range other {
		named[ch.path] = true
	}
	return slices.DeleteFunc(changes, func(ch pathChange) bool { return named[ch.path] })
}

func (o *objects) diffCommit(ctx context.Context, parent git.ID, c *commitInfo) ([]pathChange, error) {
	tree, err := o.treeOf(parent)
	if err != nil {
		return nil, err
	}
	return o.diffTrees(ctx, tree, c.tree)
}
