package search

import (
	"context"
	"slices"
	"strings"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/internal/lists"
	"agentflow/internal/roles"
	"agentflow/memory/retrieval"
)

// LikelyFilesRequest asks for the files that a task will probably touch.
type LikelyFilesRequest struct {
	Task    string
	Limit   int  // most files to change, most tests and most documents; at least 1
	Explain bool // keep the parts of each score
}

// LikelyFilesResult lists the files.
type LikelyFilesResult struct {
	api.LikelyFiles
	Degraded []string // failures that did not stop the operation, one per line; never nil
}

// leastChance is the smallest chance with which a file is listed. Of those with less, a hundred lines would have
// one file that the task touches, and the tests and documents that it does touch would follow them.
const leastChance = 0.02

// LikelyFiles estimates which files a task will touch, from the files that earlier entries touched, from file names,
// and from the contents of files if they are indexed. The files to change come first, then tests, then documents, each
// likeliest first. An empty result is not an error.
func LikelyFiles(ctx context.Context, m *app.Memory, req LikelyFilesRequest) (res LikelyFilesResult, err error) {
	o := m.Begin(ctx)
	defer o.End(&res.Degraded, &err)
	defer o.OrNothing(&err)
	res.Files = []retrieval.LikelyFile{}
	if req.Limit < 1 || strings.TrimSpace(req.Task) == "" {
		return res, app.Usagef("want a task, and a limit of at least 1")
	}
	s, q, err := Question(ctx, o, req.Task, retrieval.Filter{}, nil)
	if err != nil {
		return res, err
	}
	s.Patient = true
	q.Limit, q.Files, q.Task, q.Own = 1, req.Limit, true, true
	found, err := AskAll(ctx, s, q, false)
	s.Degraded("files", found.Degraded)
	res.Files = lists.Filled(slices.DeleteFunc(found.Files, func(f retrieval.LikelyFile) bool { return f.Chance < leastChance }))
	slices.SortStableFunc(res.Files, func(a, b retrieval.LikelyFile) int { return partOf(a) - partOf(b) })
	if !req.Explain {
		DropParts(res.Files)
	}
	return res, err
}

// partOf returns the part that a file has in the work on a task: see roles.Part.
func partOf(f retrieval.LikelyFile) int { return int(roles.Role(f.Role).Part()) }

// DropParts removes the parts of the scores.
func DropParts(files []retrieval.LikelyFile) {
	for i := range files {
		files[i].Parts = nil
	}
}
