package page

import (
	"cmp"
	"context"
	"maps"
	"slices"

	appsearch "agentflow/app/search"
	"agentflow/memory"
	"agentflow/memory/retrieval"
)

// likelyFile is a file that a task will likely touch.
type likelyFile struct {
	retrieval.LikelyFile
	Percent float64 // its chance in percent
	Parts   []part  // parts of the score, largest first
}

// part is the contribution of one feature to the score of a file.
type part struct {
	Name  string
	Value float64
}

// manyLikely is how many files are shown for a task.
const manyLikely = 20

// likely shows the files that a task will likely touch.
func likely(ctx context.Context, q request, task string) (a answer, err error) {
	if len(task) > maxWords {
		return a, usagef("a task has at most %d bytes", maxWords)
	}
	res, err := appsearch.LikelyFiles(ctx, q.Memory, appsearch.LikelyFilesRequest{Task: task, Limit: manyLikely, Explain: true})
	if err != nil {
		return a, err
	}
	p := filesPage{Task: task}
	for _, f := range res.Files {
		p.Likely = append(p.Likely, likelyFile{f, 100 * f.Chance, partsOf(f)})
	}
	a.Title, a.Data, a.Degraded = "Files for: "+memory.Title(task), p, res.Degraded
	return a, nil
}

// partsOf returns the parts of a score that are visible with two digits.
func partsOf(f retrieval.LikelyFile) (list []part) {
	for _, name := range slices.Sorted(maps.Keys(f.Parts)) {
		if value := f.Parts[name]; value >= 0.005 || value <= -0.005 {
			list = append(list, part{name, value})
		}
	}
	slices.SortStableFunc(list, func(a, b part) int { return cmp.Compare(b.Value, a.Value) })
	return list
}
