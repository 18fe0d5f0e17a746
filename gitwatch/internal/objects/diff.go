package objects

import (
	"context"
	"slices"
	"sort"
	"strings"

	"agentflow/gitwatch/internal/git"
)

// Change is one path that differs between two trees.
type Change struct {
	Path          string
	Before, After File
}

// Diff lists the paths that differ between two trees, in tree order.
func (o *Reader) Diff(ctx context.Context, a, b git.ID) ([]Change, error) {
	var out []Change
	err := o.diffInto(ctx, a, b, "", &out)
	return out, err
}

func (o *Reader) diffInto(ctx context.Context, a, b git.ID, prefix string, out *[]Change) error {
	if a == b {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	left, err := o.tree(a)
	if err != nil {
		return err
	}
	right, err := o.tree(b)
	if err != nil {
		return err
	}
	for len(left) > 0 || len(right) > 0 {
		var l, r TreeEntry
		order := compareEntries(left, right)
		if order <= 0 {
			l, left = left[0], left[1:]
		}
		if order >= 0 {
			r, right = right[0], right[1:]
		}
		if err := o.diffEntry(ctx, l, r, prefix, out); err != nil {
			return err
		}
	}
	return nil
}

// diffEntry compares two entries with the same name. A zero entry does not exist.
func (o *Reader) diffEntry(ctx context.Context, l, r TreeEntry, prefix string, out *[]Change) error {
	if l.Mode == r.Mode && l.Hash == r.Hash {
		return nil
	}
	path := prefix + max(l.Name, r.Name)
	if l.Mode == git.ModeDir || r.Mode == git.ModeDir {
		return o.diffInto(ctx, l.Hash, r.Hash, path+"/", out)
	}
	c := Change{Path: path}
	if l.Mode != 0 {
		c.Before = l.file()
	}
	if r.Mode != 0 {
		c.After = r.file()
	}
	*out = append(*out, c)
	return nil
}

// compareEntries orders the first entries of two trees as git sorts them: a folder as if its name
// ended in '/'. A file and a folder with the same name are different entries.
func compareEntries(a, b []TreeEntry) int {
	switch {
	case len(a) == 0:
		return 1
	case len(b) == 0:
		return -1
	}
	return strings.Compare(sortKey(a[0].Name, a[0].Mode), sortKey(b[0].Name, b[0].Mode))
}

func sortKey(name string, mode uint32) string {
	if mode == git.ModeDir {
		return name + "/"
	}
	return name
}

// Step is the change of one path by one commit.
type Step struct{ Before, After File }

// NetChange is the change of one path by a series of commits.
type NetChange struct {
	Change
	Steps []Step // oldest first; nil once one change from Before to After replaces them all
}

// Contiguous reports whether each step begins where the one before it ended, so that others did not
// change the path in between.
func (n *NetChange) Contiguous() bool {
	for i, s := range n.Steps[min(1, len(n.Steps)):] {
		if s.Before != n.Steps[i].After {
			return false
		}
	}
	return true
}

// Compose adds up the changes of commits, oldest first, path by path. Paths that end as they began
// are in touched, but not in net.
func (o *Reader) Compose(ctx context.Context, commits []*Commit) (net []NetChange, touched map[string]bool, err error) {
	touched = map[string]bool{}
	byPath := map[string]*NetChange{}
	for _, c := range commits {
		changes, err := o.CommitChanges(ctx, c)
		if err != nil {
			return nil, nil, err
		}
		for _, ch := range changes {
			if git.InOwnFolder(ch.Path) {
				continue
			}
			touched[ch.Path] = true
			n, ok := byPath[ch.Path]
			if !ok {
				n = &NetChange{Change: Change{Path: ch.Path, Before: ch.Before}}
				byPath[ch.Path] = n
			}
			n.After = ch.After
			n.Steps = append(n.Steps, Step{ch.Before, ch.After})
		}
	}
	for _, n := range byPath {
		if n.Before != n.After {
			net = append(net, *n)
		}
	}
	sort.Slice(net, func(i, j int) bool { return net[i].Path < net[j].Path })
	return net, touched, nil
}

// CommitChanges returns the changes of a commit from its first parent, or from the older commit
// that it amends. A rebased copy changed none of the paths that its original changed. A merge
// changed only the paths that differ from every parent.
func (o *Reader) CommitChanges(ctx context.Context, c *Commit) ([]Change, error) {
	if c.Amends != "" {
		return o.diffCommit(ctx, c.Amends, c)
	}
	var parent git.ID
	if len(c.Parents) > 0 {
		parent = c.Parents[0]
	}
	changes, err := o.diffCommit(ctx, parent, c)
	if err != nil {
		return nil, err
	}
	if c.CopyOf != nil {
		old, err := o.CommitChanges(ctx, c.CopyOf)
		return filterPaths(changes, old, false), err
	}
	for _, other := range c.Parents[min(1, len(c.Parents)):] {
		more, err := o.diffCommit(ctx, other, c)
		if err != nil {
			return nil, err
		}
		changes = filterPaths(changes, more, true)
	}
	return changes, nil
}

// filterPaths keeps the changes of paths that are also in other or, if named is false, of those
// that are not.
func filterPaths(changes, other []Change, named bool) []Change {
	names := map[string]bool{}
	for _, ch := range other {
		names[ch.Path] = true
	}
	return slices.DeleteFunc(changes, func(ch Change) bool { return names[ch.Path] != named })
}

func (o *Reader) diffCommit(ctx context.Context, parent git.ID, c *Commit) ([]Change, error) {
	tree, err := o.TreeOf(parent)
	if err != nil {
		return nil, err
	}
	return o.Diff(ctx, tree, c.tree)
}

// Stretches returns the steps, with consecutive ones joined.
func (n *NetChange) Stretches() []Step {
	var out []Step
	for _, s := range n.Steps {
		if last := len(out) - 1; last >= 0 && out[last].After == s.Before {
			out[last].After = s.After
			continue
		}
		out = append(out, s)
	}
	return slices.DeleteFunc(out, func(s Step) bool { return s.Before == s.After })
}
