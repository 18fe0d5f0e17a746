package eval

// maxPaths is how many paths of a ranking are listed.
const maxPaths = 10

// CochangeFigures say how well the entries found for a task point at the
// files its commit touched: of one repository, or the mean over several.
// Shares lie in 0 to 1.
type CochangeFigures struct {
	Queries    int     // commits asked for; of a mean, their sum
	HitAtPaths float64 // a target is among the first ten paths of the ranking, common ones left out
	PathRecall float64 // share of the targets among those ten
	HitAtK     float64 // one of the first k entries names a target
	FileRecall float64 // share of the targets that the first k entries name
	MRR        float64 // mean of 1/rank of the first entry that names a target; 0 without one
	PathsNamed float64 // how many different paths the first k entries name
}

// scoreCochange scores one ranking: the paths of its entries, best first.
// Nothing is said about a query without targets.
func scoreCochange(ranking [][]string, targets map[string]bool, common func(string) bool, k int) CochangeFigures {
	first := firstPaths(ranking, common)
	top := distinct(ranking[:min(k, len(ranking))])
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

// firstPaths walks the ranking and lists the paths of its entries, without
// common ones and repeats, until there are ten.
func firstPaths(ranking [][]string, common func(string) bool) []string {
	var out []string
	seen := map[string]bool{}
	for _, paths := range ranking {
		for _, p := range paths {
			if seen[p] || common(p) {
				continue
			}
			seen[p] = true
			if out = append(out, p); len(out) == maxPaths {
				return out
			}
		}
	}
	return out
}

func distinct(lists [][]string) []string {
	var out []string
	seen := map[string]bool{}
	for _, list := range lists {
		for _, p := range list {
			if !seen[p] {
				seen[p] = true
				out = append(out, p)
			}
		}
	}
	return out
}

// share is how much of the targets the list, which repeats nothing, holds.
func share(list []string, targets map[string]bool) float64 {
	n := 0
	for _, p := range list {
		if targets[p] {
			n++
		}
	}
	return float64(n) / float64(len(targets))
}

// hit is 1 for more than nothing.
func hit(amount float64) float64 {
	if amount > 0 {
		return 1
	}
	return 0
}

func reciprocalRank(ranking [][]string, targets map[string]bool) float64 {
	for i, paths := range ranking {
		for _, p := range paths {
			if targets[p] {
				return 1 / float64(i+1)
			}
		}
	}
	return 0
}

// MeanCochange is the mean over figures, each counting the same.
func MeanCochange(list []CochangeFigures) CochangeFigures {
	var sum CochangeFigures
	if len(list) == 0 {
		return sum
	}
	for _, f := range list {
		sum.Queries += f.Queries
		sum.HitAtPaths += f.HitAtPaths
		sum.PathRecall += f.PathRecall
		sum.HitAtK += f.HitAtK
		sum.FileRecall += f.FileRecall
		sum.MRR += f.MRR
		sum.PathsNamed += f.PathsNamed
	}
	n := float64(len(list))
	sum.HitAtPaths /= n
	sum.PathRecall /= n
	sum.HitAtK /= n
	sum.FileRecall /= n
	sum.MRR /= n
	sum.PathsNamed /= n
	return sum
}
