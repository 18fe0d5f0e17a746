package factfit

import (
	"cmp"
	"math"
	"path"
	"slices"
	"strings"

	"agentflow/index/factrank"
	"agentflow/internal/words"
)

// fileIndex finds the paths that a task is probably about by the words in them. It replaces the
// model of files, which needs a history.
type fileIndex struct {
	paths []string
	terms [][]string
	held  map[string]int // number of paths with a stem
}

func newFileIndex(paths []string) *fileIndex {
	x := &fileIndex{paths: paths, held: map[string]int{}}
	for _, p := range paths {
		list := stems(p)
		x.terms = append(x.terms, list)
		for _, s := range list {
			x.held[s]++
		}
	}
	return x
}

// stems returns the distinct stems of a text.
func stems(text string) (list []string) {
	for _, t := range words.Tokenize(text) {
		if s := words.Stem(t.Text); !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

const (
	mostFiles   = 10
	namedChance = 0.9
	wordsChance = 0.4
)

// likely returns the paths that a task names, and those that share its words.
func (x *fileIndex) likely(task string) (list []factrank.File) {
	asked := map[string]bool{}
	for _, s := range stems(task) {
		asked[s] = true
	}
	scores := make([]float64, len(x.paths))
	best := 0.0
	for i, terms := range x.terms {
		for _, s := range terms {
			if asked[s] {
				scores[i] += math.Log(float64(len(x.paths)) / float64(x.held[s]))
			}
		}
		scores[i] /= math.Sqrt(float64(len(terms)))
		best = max(best, scores[i])
	}
	for i, p := range x.paths {
		if names(task, p) {
			list = append(list, factrank.File{Path: p, Chance: namedChance})
		} else if scores[i] > 0 {
			list = append(list, factrank.File{Path: p, Chance: wordsChance * scores[i] / max(best, 2)})
		}
	}
	slices.SortStableFunc(list, func(a, b factrank.File) int { return cmp.Compare(b.Chance, a.Chance) })
	return list[:min(mostFiles, len(list))]
}

// names reports whether a text names a path, or its last step if that is distinctive.
func names(text, p string) bool {
	base := path.Base(p)
	return strings.Contains(text, p) || len(base) > 6 && strings.Contains(base, ".") && strings.Contains(text, base)
}
