package files

import (
	"bytes"
	"cmp"
	"math"
	"slices"
)

// feature is a number for each path.
type feature struct {
	name    string
	of      func(*model) []float64
	bounded bool // by itself: it is not divided by the largest
	nature  bool // of the file, for any task
}

// features lists the model's, in the order of Weights. In the formulas, t
// are the stems of the task, n is the number of paths that an entry names, its
// age the number of entries that are newer, and w(t) = ln(1 + (N−df+.5)/(df+.5)),
// where df of N things hold t.
var features = [...]feature{
	{"relevance", relevance, false, false},
	{"path", pathWords, false, false},
	{"base", baseWords, true, false},
	{"titles", titles, false, false},
	{"together", together, false, false},
	{"folder", folderVotes, false, false},
	{"fresh", fresh, true, false},
	{"kind", kindByWords, true, false},
	{"kindOfType", kindByType, true, false},
	{"scope", scope, false, false},
	{"holds", holds, false, false},
	{"defines", defines, false, false},
	{"opening", opensWith, false, false},
	{"symbols", symbols, false, false},
	{"quoted", quoted, true, false},
	{"traced", traced, true, false},
	{"dotted", dotted, true, false},
	{"heat", heat, true, true},
	{"source", source, true, true},
	{"test", test, true, true},
}

// relevance: the largest relevance/n^.15 of the entries found that name the file.
func relevance(m *model) []float64 {
	x := m.zero()
	for _, v := range m.voters {
		share := v.relevance / math.Pow(v.of, 0.15)
		for _, p := range v.paths {
			x[p] = max(x[p], share)
		}
	}
	return x
}

// pathWords: Σ w(t) of the stems that the path and the task share, divided by
// √(1 + .15·stems of the path); N is all paths.
func pathWords(m *model) []float64 {
	x := m.zero()
	weight := m.pathRarity()
	for i := range m.paths {
		if f := &m.paths[i]; f.words != 0 {
			x[i] = sum(f.words, weight) / math.Sqrt(1+0.15*float64(f.length))
		}
	}
	return x
}

// baseWords: the share of the base name's stems, without its extension, that are in the
// task, times min(1, Σ w(t)/8) of them.
func baseWords(m *model) []float64 {
	x := m.zero()
	weight := m.pathRarity()
	for i := range m.paths {
		if f := &m.paths[i]; f.named != 0 {
			x[i] = float64(f.named.len()) / float64(f.base) * min(1, sum(f.named, weight)/8)
		}
	}
	return x
}

// pathRarity returns w(t) of each stem of the task among the paths.
func (m *model) pathRarity() []float64 {
	df := make([]float64, len(m.query.words))
	for i := range m.paths {
		for t := m.paths[i].words; t != 0; t = t.rest() {
			df[t.first()]++
		}
	}
	list := rarities(float64(len(m.paths)), df)
	for i := range list {
		list[i] *= m.query.words[i].weight
	}
	return list
}

func rarities(n float64, df []float64) []float64 {
	for i := range df {
		df[i] = rarity(n, df[i])
	}
	return df
}

func sum(t terms, weight []float64) (sum float64) {
	for ; t != 0; t = t.rest() {
		sum += weight[t.first()]
	}
	return sum
}

// titles: BM25 (k1 1.2, b .75) of the task and the titles of the entries that
// name the file, in which each stem counts 1/√n.
func titles(m *model) []float64 {
	length, total := m.zero(), 0.0
	counts := make([][]float64, len(m.query.words)) // by stem: how often it is in the titles of each file
	for i := range m.entries {
		e := &m.entries[i]
		for _, p := range m.pathsOf(e) {
			length[p] += float64(e.words) * e.weight
			total += float64(e.words) * e.weight
			for t := e.title; t != 0; t = t.rest() {
				n := t.first()
				if counts[n] == nil {
					counts[n] = m.zero()
				}
				counts[n][p] += e.weight
			}
		}
	}
	x := m.zero()
	mean := max(total/float64(max(1, len(m.paths))), 1e-9)
	for n, files := range counts {
		df := 0.0
		for _, tf := range files {
			if tf > 0 {
				df++
			}
		}
		idf := m.query.words[n].weight * rarity(float64(len(m.paths)), df)
		for p, tf := range files {
			if tf > 0 {
				x[p] += idf * tf * 2.2 / (tf + 1.2*(0.25+0.75*length[p]/mean))
			}
		}
	}
	return x
}

// together: changes together with the files that the task is most likely about.
// v = votes/max + .4·warmth/max of the 15 files with the most of it; an entry has
// a = Σ v/(touches+2) over those of them that it names · 2^(−age/200)/√n; the
// number of a file is Σ a over the entries that name it.
func together(m *model) []float64 {
	x := m.zero()
	seeds := m.seeds()
	m.overEntries(200, func(e *entry, left float64) {
		a := 0.0
		for _, p := range m.pathsOf(e) {
			a += seeds[p]
		}
		if a == 0 {
			return
		}
		a *= left * e.weight
		for _, p := range m.pathsOf(e) {
			x[p] += a
		}
	})
	return x
}

// seeds returns v/(touches+2) of the 15 files that the task is most likely about, and
// 0 for all others.
func (m *model) seeds() []float64 {
	v := toOne(slices.Clone(m.votes))
	for i, warm := range toOne(m.warmth()) {
		v[i] += 0.4 * warm
	}
	for p := range v { // see Rank
		v[p] = math.Round(v[p]*1e9) / 1e9
	}
	seeds := m.zero()
	for _, p := range m.largest(v, 15, 0) {
		seeds[p] = v[p] / float64(m.paths[p].touches+2)
	}
	return seeds
}

// largest returns the places of the n largest numbers above a floor, of paths that
// are not common, the largest first. Equal numbers are sorted by name, because the order
// of places depends on how the entries came into their Blocks.
func (m *model) largest(x []float64, n int, floor float64) []int32 {
	var best []int32
	order := func(a, b int32) int {
		return cmp.Or(cmp.Compare(x[b], x[a]), bytes.Compare(m.paths[a].name, m.paths[b].name))
	}
	for i, v := range x {
		p := int32(i)
		if v <= floor || len(best) == n && order(p, best[n-1]) > 0 || m.common(p) {
			continue
		}
		at, _ := slices.BinarySearchFunc(best, p, order)
		if best = slices.Insert(best, at, p); len(best) > n {
			best = best[:n]
		}
	}
	return best
}

// folderVotes: the votes of all files of its folder.
func folderVotes(m *model) []float64 {
	votes := make([]float64, len(m.folders))
	for i, v := range m.votes {
		votes[m.paths[i].folder] += v
	}
	x := m.zero()
	for i := range x {
		x[i] = votes[m.paths[i].folder]
	}
	return x
}

// fresh: −ln(1 + entries since one named the file).
func fresh(m *model) []float64 {
	x := m.zero()
	for i := range x {
		x[i] = -math.Log(1 + float64(m.paths[i].age))
	}
	return x
}
