package files

import "math"

// Weights are those of the features, in their order; none is negative.
type Weights [len(features)]float64

// Both are the weights where contents are known, and where they are not.
type Both struct{ With, Without Weights }

// Sets are the weights for short tasks, such as the subject of a commit, and for long ones, such
// as the text of an issue.
type Sets struct{ Short, Long Both }

// A task with at most shortWords words has the weights of short ones, and from longWords on those
// of long ones. Between them both count, by the logarithm of the number of words.
const (
	shortWords = 30
	longWords  = 60
)

// of returns the weights for a query.
func (s Sets) of(q *Query, contents bool) (w Weights) {
	short, long := s.Short.Without, s.Long.Without
	if contents {
		short, long = s.Short.With, s.Long.With
	}
	part := math.Log(float64(max(1, len(q.named.Words)))/shortWords) / math.Log(float64(longWords)/shortWords)
	part = min(1, max(0, part))
	for i := range w {
		w[i] = short[i] + part*(long[i]-short[i])
	}
	return w
}

// Same returns Sets with the same weights for all tasks.
func Same(w Weights) Sets {
	both := Both{w, w}
	return Sets{both, both}
}

// Default returns the weights that were fitted by
//
//	go run ./testdata/filefit -issues ISSUES.jsonl LOG.jsonl=GITDIR … OWNER/NAME=GITDIR …
//
// to five public histories (age, chezmoi, fsnotify, litestream, zoekt; 1,202
// tasks), and to 116 issues of ten repositories (Loc-Bench). docs/figures.md has the figures. Short.Without is
// from an earlier fit, without what names and kinds of files say, because the later one ordered the entries for
// the questions of testdata/search less well. Its weights of heat and source are of the later fit.
func Default() Sets {
	return Sets{
		Short: Both{
			With:    Weights{1.37, 1.18, .80, 1.16, .64, .51, .20, .56, .16, .67, .95, .67, .95, .40, .16, 0, .03, .57, .15, 0},
			Without: Weights{1.58, 1.48, 1.12, 1.50, .88, .63, .21, .44, .13, .67, 0, 0, 0, 0, 0, 0, 0, .42, .18, 0},
		},
		Long: Both{
			With:    Weights{.78, 1.07, .50, 2.05, 1.24, 1.36, .17, 0, .03, .02, .66, 2.79, .75, .69, 2.28, 0, .41, 1.55, 2.94, 0},
			Without: Weights{1.06, 1.38, 1.04, 3.39, 1.17, 1.54, .19, 0, .03, 0, 0, 0, 0, 0, 3.28, .20, 1.07, 1.32, 3.03, 0},
		},
	}
}

// Names returns the names of the features, in the order of Weights.
func Names() []string {
	list := make([]string, len(features))
	for i, f := range features {
		list[i] = f.name
	}
	return list
}
