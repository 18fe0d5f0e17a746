package files

import (
	"iter"
	"maps"
	"math"
	"slices"

	"agentflow/index/contents"
	"agentflow/internal/roles"
	"agentflow/memory/retrieval"
)

// Ranked is the files of a task with their scores. It is for one goroutine.
type Ranked struct {
	m      *model
	list   scale                    // for the list of files
	work   scale                    // for entries: without the parts for what a file is, see Weight
	values [len(features)][]float64 // by feature and place
	weight Weights
	exists func(string) bool
	known  []int8  // by place, whether it exists: 1 yes, -1 no, 0 not asked yet
	cool   float64 // the best score of work of a file that is not hot
}

// scale is the scores of all files.
type scale struct {
	scores []float64
	top    float64 // the best score of an existing file
	all    float64 // the divisor of the chances: see sum
}

// chance returns the chance of a file, 0 to 1: its share of the files that the task will touch.
func (s scale) chance(place int32) float64 { return math.Exp(s.scores[place]-s.top) / s.all }

// Rank scores the paths that the Window and the found entries name. contents
// describes the files that contain the task's stems, or is nil. exists
// reports whether a path still exists; nil means that all do.
func Rank(w *Window, found []Voter, contents *contents.Found, exists func(string) bool, sets Sets) *Ranked {
	m := newModel(w, found, contents, exists)
	r := &Ranked{m: m, list: scale{scores: m.zero()}, work: scale{scores: m.zero()}, weight: sets.of(w.query, contents != nil), exists: exists, known: make([]int8, len(m.paths))}
	for i, f := range features {
		r.values[i] = f.of(m)
		if !f.bounded {
			toOne(r.values[i])
		}
		for p, x := range r.values[i] {
			r.list.scores[p] += r.weight[i] * x
			if !f.nature {
				r.work.scores[p] += r.weight[i] * x
			}
		}
	}
	r.settle(&r.list)
	r.settle(&r.work)
	best := r.best(r.work.scores, maxHot)
	for i, p := range slices.Backward(best) {
		if i == len(best)-1 || !m.hot(p) {
			r.cool = r.work.scores[p]
		}
	}
	return r
}

// settle rounds the scores, since sums in another order differ in the last digits, and finds the best.
func (r *Ranked) settle(s *scale) {
	for p := range s.scores {
		s.scores[p] = math.Round(s.scores[p]*1e9) / 1e9
	}
	for _, p := range r.best(s.scores, 1) {
		s.top = s.scores[p]
	}
	s.all = r.sum(*s)
}

// best returns the places of the n existing files with the best scores.
func (r *Ranked) best(scores []float64, n int) (best []int32) {
	for look := 4 * n; n > 0; look *= 4 {
		places := r.m.largest(scores, look, math.Inf(-1))
		best = best[:0]
		for _, p := range places {
			if len(best) < n && r.isThere(p) {
				best = append(best, p)
			}
		}
		if len(best) == n || len(places) < look {
			break
		}
	}
	return best
}

// bestOfEach returns the n best existing files of each part, best first.
func (r *Ranked) bestOfEach(n int) (best []int32) {
	left := map[roles.Part]int{roles.Change: n, roles.Check: n, roles.Describe: n}
	for look := 8 * n; n > 0; look *= 8 {
		places := r.m.largest(r.list.scores, look, math.Inf(-1))
		best = best[:0]
		room := maps.Clone(left)
		for _, p := range places {
			if part := r.m.paths[p].role.Part(); room[part] > 0 && r.isThere(p) {
				room[part]--
				best = append(best, p)
			}
		}
		if len(best) == 3*n || len(places) < look {
			break
		}
	}
	return best
}

func (r *Ranked) isThere(place int32) bool {
	if r.exists == nil {
		return true
	}
	if r.known[place] == 0 {
		r.known[place] = -1
		if r.exists(string(r.m.paths[place].name)) {
			r.known[place] = 1
		}
	}
	return r.known[place] > 0
}

// maxHot limits the best files searched for one that is not hot.
const maxHot = 20

// flat is how much less of a score divides a weight by e.
const flat = 1.5

// Weight returns the value of a path in an entry, 0 to 1: e^((score − best)/1.5), and
// 0 for a path that is hot, unknown or no longer exists. best is of the paths that are not hot.
// Being source code, a test or often touched counts in the list of files, and not here: the
// entry that a question asks for may be about a document.
func (r *Ranked) Weight(path string) float64 {
	p, ok := r.m.at[key(path)]
	if !ok || r.m.hot(p) {
		return 0
	}
	weight := min(1, math.Exp((r.work.scores[p]-r.cool)/flat))
	if weight >= askedFor && !r.isThere(p) {
		return 0
	}
	return weight
}

// askedFor is a weight. For a path below it, the file system is not asked whether the path
// exists, because the answer moves no entry.
const askedFor = 0.02

// Chance returns the chance of a path, 0 to 1: its share of the files that the task will touch.
func (r *Ranked) Chance(path string) float64 {
	p, ok := r.m.at[key(path)]
	if !ok || r.m.common(p) || !r.isThere(p) {
		return 0
	}
	return r.work.chance(p)
}

// Likeliest returns the chance of the file that the task will most likely touch, or 0 if there
// is none.
func (r *Ranked) Likeliest() float64 {
	if len(r.best(r.work.scores, 1)) == 0 {
		return 0
	}
	return 1 / r.work.all
}

// Best returns of the files that are there and not common the n best to change, the n best
// tests and the n best documents, all together best first. So its first n are the n best of all.
func (r *Ranked) Best(n int) []retrieval.LikelyFile {
	list := []retrieval.LikelyFile{}
	for _, p := range r.bestOfEach(n) {
		f := retrieval.LikelyFile{Path: string(r.m.paths[p].name), Role: string(r.m.paths[p].role), Score: r.list.scores[p], Chance: r.list.chance(p), Parts: map[string]float64{}}
		parts := r.parts(p)
		for i, part := range parts {
			f.Parts[features[i].name] = part
		}
		f.Why = r.why(p, parts)
		f.Sure = f.Chance >= sureChance && f.Why != "" && !isNamed(f.Why)
		list = append(list, f)
	}
	return list
}

// parts returns the part of each feature in a file's score, which is their sum.
func (r *Ranked) parts(place int32) (parts Weights) {
	for i := range parts {
		parts[i] = r.weight[i] * r.values[i][place]
	}
	return parts
}

// sureChance is the least chance of a file in a prompt: from here on, more than
// half of the files with about the same chance are right. Over 393 later commits of this repository,
// cobra and click, with their subjects as queries, 0.65 of the shown files are right. With 0.1
// these are 0.54, and 0.56 on the five histories of testdata/filefit.
const sureChance = 0.15

// fewFiles is the least number of candidates for the shares. Missing ones
// count with score 0, so that among three files none is likely only because there are
// three.
const fewFiles = 200

// sum returns the divisor of the chances: Σ e^(score − best) over all files that
// are not common.
func (r *Ranked) sum(s scale) float64 {
	sum, n := 0.0, 0
	for p := range s.scores {
		if !r.m.common(int32(p)) {
			sum += math.Exp(s.scores[p] - s.top)
			n++
		}
	}
	return sum + float64(max(0, fewFiles-n))*math.Exp(-s.top)
}

// Newest returns, for each of the n best files, the ids of the newest entries
// that name it, at most each of them per file. Every id is returned once.
func (r *Ranked) Newest(n, each int) []int64 {
	left := map[int32]int{}
	for _, p := range r.best(r.work.scores, n) {
		left[p] = each
	}
	var ids []int64
	for i := range r.m.entries {
		e := &r.m.entries[i]
		wanted := false
		for _, p := range r.m.pathsOf(e) {
			if left[p] > 0 {
				left[p]--
				wanted = true
			}
		}
		if wanted {
			ids = append(ids, e.id)
		}
	}
	return ids
}

// Candidates yields every existing file that is not common with its number for each
// feature, before multiplication with Weights.
func (r *Ranked) Candidates() iter.Seq2[string, Weights] {
	return func(yield func(string, Weights) bool) {
		for p := range r.m.paths {
			if r.m.common(int32(p)) || !r.isThere(int32(p)) {
				continue
			}
			var x Weights
			for i := range x {
				x[i] = r.values[i][p]
			}
			if !yield(string(r.m.paths[p].name), x) {
				return
			}
		}
	}
}
