package eval

import (
	"math"
	"reflect"
	"slices"
	"testing"
)

func set(list ...string) map[string]bool {
	out := map[string]bool{}
	for _, p := range list {
		out[p] = true
	}
	return out
}

func TestScoreCochange(t *testing.T) {
	common := func(p string) bool { return p == "log" }
	long := []string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"}
	for name, c := range map[string]struct {
		ranking [][]string
		targets map[string]bool
		k       int
		want    CochangeFigures
	}{
		"nothing found": {nil, set("a"), 3, CochangeFigures{Queries: 1}},
		"first of two targets, at rank 2": {
			[][]string{{"x", "log"}, {"a", "x"}, {"y"}, {"b"}}, set("a", "b"), 3,
			CochangeFigures{Queries: 1, HitAtPaths: 1, PathRecall: 1, HitAtK: 1, FileRecall: 0.5, MRR: 0.5, PathsNamed: 4}},
		"beyond k": {
			[][]string{{"x"}, {"y"}, {"a"}}, set("a"), 2,
			CochangeFigures{Queries: 1, HitAtPaths: 1, PathRecall: 1, MRR: 1.0 / 3, PathsNamed: 2}},
		"the eleventh path does not count": {
			[][]string{long}, set("11", "1", "2", "3"), 1,
			CochangeFigures{Queries: 1, HitAtPaths: 1, PathRecall: 0.75, HitAtK: 1, FileRecall: 1, MRR: 1, PathsNamed: 11}},
		"common paths and repeats take no place": {
			[][]string{{"log", "1", "2", "3", "4", "5"}, {"log", "1", "5"}, {"6", "7", "8", "9", "a"}}, set("a"), 1,
			CochangeFigures{Queries: 1, HitAtPaths: 1, PathRecall: 1, MRR: 1.0 / 3, PathsNamed: 6}},
		"only the first ten": {
			[][]string{long[:10], {"a"}}, set("a"), 3,
			CochangeFigures{Queries: 1, HitAtK: 1, FileRecall: 1, MRR: 0.5, PathsNamed: 11}},
	} {
		if got := scoreCochange(c.ranking, c.targets, common, c.k); got != c.want {
			t.Errorf("%s:\n got %+v\nwant %+v", name, got, c.want)
		}
	}
}

func TestMeanCochange(t *testing.T) {
	got := MeanCochange([]CochangeFigures{
		{Queries: 3, HitAtPaths: 1, PathRecall: 0.5, HitAtK: 1, FileRecall: 0.25, MRR: 1, PathsNamed: 4},
		{Queries: 1, MRR: 0.5, PathsNamed: 2},
	})
	want := CochangeFigures{Queries: 4, HitAtPaths: 0.5, PathRecall: 0.25, HitAtK: 0.5, FileRecall: 0.125, MRR: 0.75, PathsNamed: 3}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if (MeanCochange(nil) != CochangeFigures{}) {
		t.Error("the mean of nothing is not zero")
	}
}

func TestTargets(t *testing.T) {
	counts := pathCounts{seen: map[string]int{}}
	for i := range 20 {
		paths := []string{"every"}
		if i < 2 {
			paths = append(paths, "tenth")
		}
		if i < 3 {
			paths = append(paths, "more")
		}
		counts.add(paths)
	}
	// Two of 20 are not more than a tenth; three are.
	if got := counts.targets([]string{"every", "tenth", "more", "new"}); !reflect.DeepEqual(got, set("tenth")) {
		t.Errorf("targets are %v", got)
	}
}

func TestScoreHits(t *testing.T) {
	third, half := 1/math.Log2(4), 1/math.Log2(3)
	for name, c := range map[string]struct {
		found      []int
		answers, k int
		recall     []RecallAt
		mrr, ndcg  float64
	}{
		"nothing found":           {nil, 1, 5, []RecallAt{{1, 0}, {5, 0}, {10, 0}}, 0, 0},
		"first":                   {[]int{0}, 1, 5, []RecallAt{{1, 1}, {5, 1}, {10, 1}}, 1, 1},
		"third":                   {[]int{-1, -1, 0}, 1, 2, []RecallAt{{1, 0}, {2, 0}, {10, 1}}, 1.0 / 3, third},
		"two answers":             {[]int{1, -1, 0}, 2, 1, []RecallAt{{1, 1}, {10, 1}}, 1, (1 + third) / (1 + half)},
		"an answer gains once":    {[]int{0, 0, 1}, 2, 10, []RecallAt{{1, 1}, {10, 1}}, 1, (1 + third) / (1 + half)},
		"eleventh, with k of 12":  {[]int{10: 0}, 1, 12, []RecallAt{{1, 0}, {10, 0}, {12, 1}}, 1.0 / 11, 0},
		"twelve answers, ten hit": {[]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 12, 5, []RecallAt{{1, 1}, {5, 1}, {10, 1}}, 1, 1},
	} {
		found := slices.Clone(c.found)
		if name == "eleventh, with k of 12" {
			for i := range 10 {
				found[i] = -1
			}
		}
		got := scoreHits(found, c.answers, c.k)
		if !slices.Equal(got.Recall, c.recall) || math.Abs(got.MRR-c.mrr) > 1e-12 || math.Abs(got.NDCG-c.ndcg) > 1e-12 {
			t.Errorf("%s: got %+v", name, got)
		}
	}
}

func TestMeanRank(t *testing.T) {
	got := meanRank([]RankFigures{
		{Recall: []RecallAt{{1, 1}, {5, 1}, {10, 1}}, MRR: 1, NDCG: 1},
		{Recall: []RecallAt{{1, 0}, {5, 0.5}, {10, 1}}, MRR: 0.5, NDCG: 0.25},
	}, 5)
	want := RankFigures{Recall: []RecallAt{{1, 0.5}, {5, 0.75}, {10, 1}}, MRR: 0.75, NDCG: 0.625}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := meanRank(nil, 1); !reflect.DeepEqual(got, RankFigures{Recall: []RecallAt{{K: 1}, {K: 10}}}) {
		t.Errorf("of nothing: %+v", got)
	}
}
