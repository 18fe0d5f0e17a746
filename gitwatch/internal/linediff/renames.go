package linediff

import (
	"path"
	"slices"
	"sort"

	"agentflow/gitwatch/internal/git"
	"agentflow/gitwatch/internal/objects"
)

// renameLimit is git's diff.renameLimit. Beyond its square of pairs, only equal contents are
// matched.
const renameLimit = 1000

// Pair is a found rename: indexes into the deleted and the added files.
type Pair struct{ From, To int }

// Renames pairs deleted with added files as git diff -M does: equal contents first, then files with
// the same base name, then the most similar. load sets the content of a candidate if it can be
// read.
func Renames(deleted, added []*Candidate, load func(*Candidate)) []Pair {
	f := &renameFinder{deleted: deleted, added: added, load: load,
		usedFrom: make([]bool, len(deleted)), usedTo: make([]bool, len(added))}
	f.exact()
	if (len(deleted)-len(f.pairs))*(len(added)-len(f.pairs)) <= renameLimit*renameLimit {
		f.byName()
		f.bySimilarity()
	}
	sort.Slice(f.pairs, func(i, j int) bool { return f.pairs[i].To < f.pairs[j].To })
	return f.pairs
}

type renameFinder struct {
	deleted, added   []*Candidate
	load             func(*Candidate)
	usedFrom, usedTo []bool
	pairs            []Pair
}

func (f *renameFinder) take(from, to int) {
	f.usedFrom[from], f.usedTo[to] = true, true
	f.pairs = append(f.pairs, Pair{from, to})
}

// exact pairs equal contents. For each added file it prefers a deleted one with the same base name.
func (f *renameFinder) exact() {
	byID := map[string][]int{}
	for i, d := range f.deleted {
		if d.File.Hash != "" {
			byID[d.File.Hash] = append(byID[d.File.Hash], i)
		}
	}
	for to, a := range f.added {
		best := -1
		for _, from := range byID[a.File.Hash] {
			d := f.deleted[from]
			if f.usedFrom[from] || (!git.IsRegular(d.File.Mode) || !git.IsRegular(a.File.Mode)) && d.File.Mode != a.File.Mode {
				continue
			}
			if path.Base(d.Path) == path.Base(a.Path) {
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

// byName pairs files whose base name is left only once on each side, if they are 75 % similar.
func (f *renameFinder) byName() {
	from, to := onceByName(f.deleted, f.usedFrom), onceByName(f.added, f.usedTo)
	for i, a := range f.added {
		name := path.Base(a.Path)
		if j, ok := from[name]; ok && j >= 0 && to[name] == i && !f.usedTo[i] && f.score(j, i, sameNameScore) >= sameNameScore {
			f.take(j, i)
		}
	}
}

// onceByName finds, for each base name that only one unused file has, that file.
func onceByName(files []*Candidate, used []bool) map[string]int {
	once := map[string]int{}
	for i, c := range files {
		if used[i] {
			continue
		}
		name := path.Base(c.Path)
		if _, again := once[name]; again {
			i = -1
		}
		once[name] = i
	}
	return once
}

func (f *renameFinder) score(from, to, minimum int) int {
	f.load(f.deleted[from])
	f.load(f.added[to])
	return similarity(f.deleted[from], f.added[to], minimum)
}

// match is a possible rename.
type match struct {
	Pair
	rank int // by the score; at equal scores, files with the same base name win
}

// perTarget limits the sources of one added file, as in git.
const perTarget = 4

// bySimilarity pairs the remaining files, the most similar first.
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
				rank := 2 * score
				if path.Base(f.deleted[from].Path) == path.Base(f.added[to].Path) {
					rank++
				}
				best = append(best, match{Pair{from, to}, rank})
			}
		}
		slices.SortStableFunc(best, compareMatches)
		all = append(all, best[:min(len(best), perTarget)]...)
	}
	slices.SortStableFunc(all, compareMatches)
	for _, m := range all {
		if !f.usedFrom[m.From] && !f.usedTo[m.To] {
			f.take(m.From, m.To)
		}
	}
}

func compareMatches(a, b match) int { return b.rank - a.rank }

// Similarity is measured as git does for renames (diffcore-delta): both contents are cut into
// lines, or into pieces of 64 bytes if lines are longer. The bytes of the pieces that both have
// count as copied.

// maxScore is full similarity; minScore is git's default of 50 %.
const (
	maxScore      = 60000
	minScore      = 30000
	sameNameScore = (minScore + maxScore) / 2
)

// pieces maps the hash of a piece to the number of bytes in such pieces.
func pieces(content []byte) map[uint32]int {
	text := !IsBinary(content)
	out := map[uint32]int{}
	var a, b uint32
	n := 0
	for i, c := range content {
		if text && c == '\r' && i+1 < len(content) && content[i+1] == '\n' {
			continue // as git: line ends do not make files differ
		}
		old := a
		a = a<<7 ^ b>>25
		b = b<<7 ^ old>>25
		a += uint32(c)
		if n++; n == 64 || c == '\n' {
			out[(a+b*0x61)%107927] += n
			a, b, n = 0, 0, 0
		}
	}
	if n > 0 {
		out[(a+b*0x61)%107927] += n
	}
	return out
}

// Candidate is a file that may be one side of a rename.
type Candidate struct {
	Path    string
	File    objects.File
	Content []byte
	Loaded  bool // whether Content is known
	pieces  map[uint32]int
}

// similarity returns 0 to maxScore. It also returns 0 for pairs with sizes that exclude minimum.
func similarity(a, b *Candidate, minimum int) int {
	if !a.Loaded || !b.Loaded || !git.IsRegular(a.File.Mode) || !git.IsRegular(b.File.Mode) {
		return 0
	}
	large, small := max(len(a.Content), len(b.Content)), min(len(a.Content), len(b.Content))
	if small == 0 || large*(maxScore-minimum) < (large-small)*maxScore {
		return 0
	}
	if a.pieces == nil {
		a.pieces = pieces(a.Content)
	}
	if b.pieces == nil {
		b.pieces = pieces(b.Content)
	}
	copied := 0
	for h, n := range a.pieces {
		copied += min(n, b.pieces[h])
	}
	return int(int64(copied) * maxScore / int64(large))
}
