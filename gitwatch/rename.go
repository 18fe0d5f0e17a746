package gitwatch

import (
	"path"
	"slices"
	"sort"

	"agentflow/gitwatch/internal/git"
)

// renameLimit is git's diff.renameLimit: over its square of pairs only equal
// contents are looked for.
const renameLimit = 1000

// pair is a found rename: indexes into the deleted and the added files.
type pair struct{ from, to int }

// findRenames pairs deleted with added files as git diff -M does: equal
// contents first, then files of one base name, then the most similar. load
// gives a candidate its content where it can be read.
func findRenames(deleted, added []*candidate, load func(*candidate)) []pair {
	f := &renameFinder{deleted: deleted, added: added, load: load,
		usedFrom: make([]bool, len(deleted)), usedTo: make([]bool, len(added))}
	f.exact()
	if (len(deleted)-len(f.pairs))*(len(added)-len(f.pairs)) <= renameLimit*renameLimit {
		f.byName()
		f.bySimilarity()
	}
	sort.Slice(f.pairs, func(i, j int) bool { return f.pairs[i].to < f.pairs[j].to })
	return f.pairs
}

type renameFinder struct {
	deleted, added   []*candidate
	load             func(*candidate)
	usedFrom, usedTo []bool
	pairs            []pair
}

func (f *renameFinder) take(from, to int) {
	f.usedFrom[from], f.usedTo[to] = true, true
	f.pairs = append(f.pairs, pair{from, to})
}

// exact pairs equal contents, for each added file a deleted one of the same
// base name if there is one.
func (f *renameFinder) exact() {
	byID := map[string][]int{}
	for i, d := range f.deleted {
		if d.file.Hash != "" {
			byID[d.file.Hash] = append(byID[d.file.Hash], i)
		}
	}
	for to, a := range f.added {
		best := -1
		for _, from := range byID[a.file.Hash] {
			d := f.deleted[from]
			if f.usedFrom[from] || (!git.IsRegular(d.file.Mode) || !git.IsRegular(a.file.Mode)) && d.file.Mode != a.file.Mode {
				continue
			}
			if path.Base(d.path) == path.Base(a.path) {
				best = from
				break
			}
			if best < 0 {
				best = from
			}
		}
		if best >= 0 {
			f.take(best, to)
		}
	}
}

// byName pairs files whose base name is left only once on each side, if they
// are 75 % similar.
func (f *renameFinder) byName() {
	from, to := onceByName(f.deleted, f.usedFrom), onceByName(f.added, f.usedTo)
	for i, a := range f.added {
		name := path.Base(a.path)
		if j, ok := from[name]; ok && to[name] == i && !f.usedTo[i] {
			if f.score(j, i, (minScore+maxScore)/2) >= (minScore+maxScore)/2 {
				f.take(j, i)
			}
		}
	}
}

func onceByName(files []*candidate, used []bool) map[string]int {
	once := map[string]int{}
	var twice []string
	for i, c := range files {
		if used[i] {
			continue
		}
		name := path.Base(c.path)
		if _, ok := once[name]; ok {
			twice = append(twice, name)
		}
		once[name] = i
	}
	for _, name := range twice {
		delete(once, name)
	}
	return once
}

func (f *renameFinder) score(from, to, minimum int) int {
	f.load(f.deleted[from])
	f.load(f.added[to])
	return similarity(f.deleted[from], f.added[to], minimum)
}

// match is a possible rename; at equal scores, files of one base name win.
type match struct {
	pair
	score    int
	sameName bool
}

// perTarget is how many sources git remembers for one added file.
const perTarget = 4

// bySimilarity pairs what is left, the most similar first.
func (f *renameFinder) bySimilarity() {
	var all []match
	for to := range f.added {
		if f.usedTo[to] {
			continue
		}
		var best []match
		for from := range f.deleted {
			if f.usedFrom[from] {
				continue
			}
			if score := f.score(from, to, minScore); score >= minScore {
				same := path.Base(f.deleted[from].path) == path.Base(f.added[to].path)
				best = append(best, match{pair{from, to}, score, same})
			}
		}
		slices.SortStableFunc(best, compareMatches)
		all = append(all, best[:min(len(best), perTarget)]...)
	}
	slices.SortStableFunc(all, compareMatches)
	for _, m := range all {
		if !f.usedFrom[m.from] && !f.usedTo[m.to] {
			f.take(m.from, m.to)
		}
	}
}

func compareMatches(a, b match) int {
	switch {
	case a.score != b.score:
		return b.score - a.score
	case a.sameName == b.sameName:
		return 0
	case a.sameName:
		return -1
	}
	return 1
}
