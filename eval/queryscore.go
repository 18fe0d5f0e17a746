package eval

import (
	"fmt"
	"math"
	"slices"
)

// cutoff is how many hits of an answer are looked at, unless k is more.
const cutoff = 10

// RankFigures say how well questions are answered: means over questions that
// have an answer, each in 0 to 1.
type RankFigures struct {
	Recall []RecallAt // at 1, k and 10
	MRR    float64    // 1/rank of the first right hit; 0 without one
	// NDCG is the discounted cumulative gain of the first ten hits over that
	// of the best order: a right hit at rank r gains 1/log2(1+r), and each
	// answer gains once (Järvelin and Kekäläinen 2002, with 0 and 1 as
	// grades).
	NDCG float64
}

// RecallAt is the share of the questions that have a right hit among the
// first K: answers are alternatives.
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

// scoreHits scores the hits of one question. found holds, for each hit, the
// number of the answer it gives, or -1; answers, more than 0, is how many
// there are. An answer given again gains nothing.
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

// gain is that of a right hit with i hits before it.
func gain(i int) float64 { return 1 / math.Log2(float64(i+2)) }

// meanRank is the mean over the questions' figures, all taken with k.
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
