package server

import (
	"context"

	appsearch "agentflow/app/search"
	"agentflow/memory/retrieval"
)

// Task requests the files that a task will touch.
type Task struct {
	Task    string `json:"task" doc:"the task, as it is put to an agent; at most 16384 bytes"`
	Limit   int    `json:"limit,omitempty" doc:"at most this many files to change, tests and documents each, 1 to 200; 10 when it is left out"`
	Explain bool   `json:"explain,omitempty" doc:"give every part of each score"`
}

// LikelyFiles lists the files of one task: those to change, tests, documents, each the likeliest first.
type LikelyFiles struct {
	Files      []retrieval.LikelyFile `json:"files"`
	Repository string                 `json:"repository"`
	Degraded   []string               `json:"degraded"`
}

// manyFiles is the default number of files.
const manyFiles = 10

func likelyFiles(ctx context.Context, c call, in Task) (out LikelyFiles, err error) {
	if in.Limit == 0 {
		in.Limit = manyFiles
	}
	if in.Limit < 1 || in.Limit > maxHits {
		return out, usagef("limit: want 1 to %d, have %d", maxHits, in.Limit)
	}
	if in.Task == "" || len(in.Task) > maxText {
		return out, usagef("task: want 1 to %d bytes", maxText)
	}
	res, err := appsearch.LikelyFiles(ctx, c.Memory, appsearch.LikelyFilesRequest{Task: in.Task, Limit: in.Limit, Explain: in.Explain})
	return LikelyFiles{res.Files, c.Name, res.Degraded}, err
}
