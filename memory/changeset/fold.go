package changeset

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// MaxChanges is the number of changes that an entry lists. Fold sums up more of them by folder.
const MaxChanges = 200

// maxFolders is the maximum number of folders that Fold lists.
const maxFolders = 100

// Fold shortens a list of more than limit changes. The most informative ones keep their lines. The
// others are summed up in one line per folder, with counts and the certainty of the least certain.
// The result has at most limit lines (2 if limit is less), in the order of changes. A shorter list
// is returned unchanged, and so is a list that Fold has shortened.
func Fold(changes []Change, limit int) []Change {
	limit = max(limit, 2)
	if len(changes) <= limit {
		return changes
	}
	keep := limit / 2
	order := make([]int, len(changes))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return compareInformation(changes[a], changes[b]) })
	kept := slices.Sorted(slices.Values(order[:keep]))
	folded := foldFolders(changes, order[keep:], min(limit-keep, maxFolders))
	out := make([]Change, 0, keep+len(folded))
	for _, i := range kept {
		out = append(out, changes[i])
	}
	return append(out, folded...)
}

// compareInformation orders changes by how informative they are: paths near the root first, then those with
// many changed lines.
func compareInformation(a, b Change) int {
	return cmp.Or(
		cmp.Compare(strings.Count(a.Path, "/"), strings.Count(b.Path, "/")),
		cmp.Compare(b.Added+b.Deleted, a.Added+a.Deleted),
	)
}

// foldFolders sums up the changes at the indexes rest by folder. It shortens the folders until at
// most limit are left.
func foldFolders(changes []Change, rest []int, limit int) []Change {
	depth := 0
	for _, i := range rest {
		depth = max(depth, strings.Count(changes[i].Path, "/"))
	}
	lo, hi := 0, depth // the deepest level with at most limit folders
	for lo < hi {
		mid := (lo + hi + 1) / 2
		if len(sums(changes, rest, mid)) <= limit {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	folders := sums(changes, rest, lo)
	out := make([]Change, 0, len(folders))
	for _, c := range folders {
		out = append(out, *c)
	}
	slices.SortFunc(out, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	return out
}

// sums adds up changes by the first depth folders of their paths.
func sums(changes []Change, rest []int, depth int) map[string]*Change {
	folders := map[string]*Change{}
	for _, i := range rest {
		c := changes[i]
		name := folderOf(c, depth)
		f := folders[name]
		if f == nil {
			f = &Change{Status: StatusFolder, Path: name, Counted: true, Certainty: c.Certainty}
			folders[name] = f
		}
		f.Files += max(c.Files, 1)
		f.Added += c.Added
		f.Deleted += c.Deleted
		f.Counted = f.Counted && c.Counted
		f.Certainty = LeastCertain(f.Certainty, c.Certainty)
	}
	for _, f := range folders {
		*f = f.Normal()
	}
	return folders
}

// folderOf returns the folder of a change, cut to depth levels. "./" is the root.
func folderOf(c Change, depth int) string {
	dir := path.Dir(strings.TrimSuffix(c.Path, "/"))
	if c.Status == StatusFolder {
		dir = strings.TrimSuffix(c.Path, "/")
	}
	parts := strings.SplitN(dir, "/", depth+1)
	dir = strings.Join(parts[:min(len(parts), depth)], "/")
	if dir == "" || dir == "." {
		return "./"
	}
	return dir + "/"
}
