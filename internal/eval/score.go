package eval

import (
	"fmt"
	"math"
	"slices"

	"agentflow/memory/retrieval"
)

// Figure is one number of a measurement, under its name in JSON.
type Figure struct {
	Name  string
	Value float64
}

// Named lists the figures of a measurement that considers k entries.
func (f CochangeFigures) Named(k int) []Figure {
	return []Figure{
		{"hit_at_10_paths", f.HitAtPaths},
		{"path_recall_at_10", f.PathRecall},
		{fmt.Sprintf("hit_at_%d", k), f.HitAtK},
		{fmt.Sprintf("file_recall_at_%d", k), f.FileRecall},
		{"mrr", f.MRR},
		{"paths_named", f.PathsNamed},
	}
}

const maxPaths = 10

// CochangeFigures measure how well the entries found for a task point at the files that its
// commit touched, for one repository or as the mean over several. Shares are from 0 to 1.
type CochangeFigures struct {
	Queries    int     // number of queries; for a mean, their sum
	HitAtPaths float64 // a target is among the first ten paths of the ranking, without common ones
	PathRecall float64 // share of the targets among those ten
	HitAtK     float64 // one of the first k entries names a target
	FileRecall float64 // share of the targets that the first k entries name
	MRR        float64 // mean of 1/rank of the first entry that names a target; 0 without one
	PathsNamed float64 // number of different paths that the first k entries name
	Files      ListFigures
}

// listed counts the likely files that are requested.
const listed = 10

// ListFigures measure how well the likely files agree with the files that the commit touched,
// as means. All are from 0 to 1.
type ListFigures struct {
	HitAt10      float64 // a target is among the first ten
	RecallAt10   float64 // share of the targets among the first ten
	PrecisionAt5 float64 // share of the first five that are targets; missing ones count as wrong
	// For the files that are certain enough for a prompt:
	ShownPrecision float64 // share of targets among all files that are shown in a history
	ShownShare     float64 // share of the tasks for which files are shown
}

// Named lists the figures.
func (f ListFigures) Named() []Figure {
	return []Figure{{"hit_at_10", f.HitAt10}, {"recall_at_10", f.RecallAt10}, {"precision_at_5", f.PrecisionAt5},
		{"shown_precision", f.ShownPrecision}, {"shown_share", f.ShownShare}}
}

// shown counts the files of a history that are certain enough for a prompt.
type shown struct{ tasks, some, files, right float64 }

func (s *shown) add(list []retrieval.LikelyFile, targets map[string]bool) {
	s.tasks++
	before := s.files
	for _, f := range list {
		if f.Sure {
			s.files++
			s.right += hit(share([]string{f.Path}, targets))
		}
	}
	if s.files > before {
		s.some++
	}
}

// figures sets the figures about shown files.
func (s shown) figures(f *ListFigures) {
	f.ShownPrecision, f.ShownShare = s.right/max(1, s.files), s.some/max(1, s.tasks)
}

// scoreList scores a list of at most ten different files.
func scoreList(list []retrieval.LikelyFile, targets map[string]bool) ListFigures {
	paths := make([]string, len(list))
	for i, f := range list {
		paths[i] = f.Path
	}
	f := ListFigures{RecallAt10: share(paths, targets)}
	f.HitAt10 = hit(f.RecallAt10)
	for _, path := range paths[:min(5, len(paths))] {
		if targets[path] {
			f.PrecisionAt5 += 1.0 / 5
		}
	}
	return f
}

// scoreCochange scores one ranking: the paths of its entries, best first.
// A query must have targets.
func scoreCochange(ranking [][]string, targets map[string]bool, common func(string) bool, k int) CochangeFigures {
	first := distinct(ranking, maxPaths, common)
	top := distinct(ranking[:min(k, len(ranking))], math.MaxInt, func(string) bool { return false })
	f := CochangeFigures{
		Queries:    1,
		PathRecall: share(first, targets),
		FileRecall: share(top, targets),
		MRR:        reciprocalRank(ranking, targets),
		PathsNamed: float64(len(top)),
	}
	f.HitAtPaths = hit(f.PathRecall)
	f.HitAtK = hit(f.FileRecall)
	return f
}

// distinct lists the first most paths of a ranking, each once, without those for which leaveOut
// is true.
func distinct(ranking [][]string, most int, leaveOut func(string) bool) []string {
	var out []string
	for _, p := range slices.Concat(ranking...) {
		if len(out) < most && !slices.Contains(out, p) && !leaveOut(p) {
			out = append(out, p)
		}
	}
	return out
}

// share returns the share of the targets that a list without repetitions has.
func share(list []string, targets map[string]bool) float64 {
	n := 0
	for _, p := range list {
		if targets[p] {
			n++
		}
	}
	return float64(n) / float64(len(targets))
}

// hit returns 1 for a positive amount, otherwise 0.
func hit(amount float64) float64 {
	if amount > 0 {
		return 1
	}
	return 0
}

func reciprocalRank(ranking [][]string, targets map[string]bool) float64 {
	for i, paths := range ranking {
		if slices.ContainsFunc(paths, func(p string) bool { return targets[p] }) {
			return 1 / float64(i+1)
		}
	}
	return 0
}

// MeanCochange returns the mean over figures, with equal weights.
func MeanCochange(list []CochangeFigures) CochangeFigures {
	var sum CochangeFigures
	if len(list) == 0 {
		return sum
	}
	for _, f := range list {
		sum.Queries += f.Queries
		for i, share := range sum.shares() {
			*share += *f.shares()[i]
		}
	}
	for _, share := range sum.shares() {
		*share /= float64(len(list))
	}
	return sum
}

// shares returns all figures except the count.
func (f *CochangeFigures) shares() []*float64 {
	return []*float64{&f.HitAtPaths, &f.PathRecall, &f.HitAtK, &f.FileRecall, &f.MRR, &f.PathsNamed, &f.Files.HitAt10, &f.Files.RecallAt10, &f.Files.PrecisionAt5,
		&f.Files.ShownPrecision, &f.Files.ShownShare}
}

// cutoff limits the hits of an answer that count, unless k is larger.
const cutoff = 10

// RankFigures measure how well questions are answered. They are means over the questions that
// have an answer, each from 0 to 1.
type RankFigures struct {
	Recall []RecallAt // at 1, k and 10
	MRR    float64    // 1/rank of the first right hit; 0 without one
	// NDCG is the discounted cumulative gain of the first ten hits, divided by that of the best
	// order. A right hit at rank r gains 1/log2(1+r), and each answer gains once (Järvelin and
	// Kekäläinen 2002, with 0 and 1 as grades).
	NDCG float64
}

// RecallAt is the share of the questions that have a right hit among the first K. One of a
// question's answers is sufficient.
type RecallAt struct {
	K     int
	Share float64
}

// Named lists the figures.
func (f RankFigures) Named() []Figure {
	var out []Figure
	for _, r := range f.Recall {
		out = append(out, Figure{fmt.Sprintf("recall_at_%d", r.K), r.Share})
	}
	return append(out, Figure{"mrr", f.MRR}, Figure{fmt.Sprintf("ndcg_at_%d", cutoff), f.NDCG})
}

// scoreHits scores the hits of one question. found has the number of the answer that each hit
// gives, or -1. answers is the number of answers, more than 0. A repeated answer gains nothing.
func scoreHits(found []int, answers, k int) RankFigures {
	found = firstOnly(found)
	var f RankFigures
	for _, at := range cutoffs(k) {
		f.Recall = append(f.Recall, RecallAt{K: at})
	}
	if first := slices.IndexFunc(found, func(n int) bool { return n >= 0 }); first >= 0 {
		f.MRR = 1 / float64(first+1)
		for i := range f.Recall {
			f.Recall[i].Share = hit(float64(f.Recall[i].K - first))
		}
	}
	ideal := 0.0
	for i := range min(answers, cutoff) {
		ideal += gain(i)
	}
	for i, n := range found[:min(cutoff, len(found))] {
		if n >= 0 {
			f.NDCG += gain(i) / ideal
		}
	}
	return f
}

func cutoffs(k int) []int {
	list := []int{1, k, cutoff}
	slices.Sort(list)
	return slices.Compact(list)
}

// firstOnly marks repeated answers as wrong.
func firstOnly(found []int) []int {
	out := slices.Clone(found)
	for i, n := range out {
		if n >= 0 && slices.Contains(out[:i], n) {
			out[i] = -1
		}
	}
	return out
}

// gain returns the gain of a right hit with i hits before it.
func gain(i int) float64 { return 1 / math.Log2(float64(i+2)) }

// meanRank returns the mean over the questions' figures, which all use k.
func meanRank(list []RankFigures, k int) RankFigures {
	var sum RankFigures
	for i, at := range cutoffs(k) {
		sum.Recall = append(sum.Recall, RecallAt{K: at})
		for _, f := range list {
			sum.Recall[i].Share += f.Recall[i].Share / float64(len(list))
		}
	}
	for _, f := range list {
		sum.MRR += f.MRR / float64(len(list))
		sum.NDCG += f.NDCG / float64(len(list))
	}
	return sum
}
