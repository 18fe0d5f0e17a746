package gitwatch

import (
	"context"
	"strings"

	"agentflow/gitwatch/internal/git"
)

// pathChange is one path that two trees hold differently.
type pathChange struct {
	path          string
	before, after file
}

// diffTrees lists the paths that differ between two trees, in tree order.
func (o *objects) diffTrees(ctx context.Context, a, b git.ID) ([]pathChange, error) {
	var out []pathChange
	err := o.diffInto(ctx, a, b, "", &out)
	return out, err
}

func (o *objects) diffInto(ctx context.Context, a, b git.ID, prefix string, out *[]pathChange) error {
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
		var l, r treeEntry
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

// diffEntry compares two entries of one name; a zero one is not there.
func (o *objects) diffEntry(ctx context.Context, l, r treeEntry, prefix string, out *[]pathChange) error {
	if l.mode == r.mode && l.hash == r.hash {
		return nil
	}
	path := prefix + max(l.name, r.name)
	if l.mode == git.ModeDir || r.mode == git.ModeDir {
		return o.diffInto(ctx, l.hash, r.hash, path+"/", out)
	}
	c := pathChange{path: path}
	if l.mode != 0 {
		c.before = l.file()
	}
	if r.mode != 0 {
		c.after = r.file()
	}
	*out = append(*out, c)
	return nil
}

// compareEntries orders the first entries of two trees as git sorts them: a
// folder as if its name ended in '/'. A file and a folder of one name are
// different entries.
func compareEntries(a, b []treeEntry) int {
	switch {
	case len(a) == 0:
		return 1
	case len(b) == 0:
		return -1
	}
	return strings.Compare(sortKey(a[0].name, a[0].mode), sortKey(b[0].name, b[0].mode))
}

func sortKey(name string, mode uint32) string {
	if mode == git.ModeDir {
		return name + "/"
	}
	return name
}

func cutPath(path string) (name, rest string, deeper bool) {
	return strings.Cut(path, "/")
}
