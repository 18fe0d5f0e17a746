package propose

import (
	"context"
	"slices"

	"agentflow/app"
	"agentflow/app/embedding"
	"agentflow/app/indexes"
	"agentflow/app/lookup"
	"agentflow/executor"
	"agentflow/internal/indexpool"
	"agentflow/internal/usecount"
	"agentflow/memory"
)

// Recorder writes a finished run and updates the index.
type Recorder struct{ Mem *app.Repo }

// Record stores an entry and returns its file, and the failures of the work after that.
func (r Recorder) Record(ctx context.Context, e memory.Entry) (string, []string, error) {
	path, degraded, err := r.Mem.Store.Record(ctx, e)
	if err != nil {
		return "", degraded, err // no Markdown file holds it
	}
	short, cancel := context.WithTimeout(ctx, r.Mem.Settings.Recall.Deadline)
	defer cancel()
	degraded = app.AppendError(degraded, lookup.MergeRepeated(short, r.Mem, e))
	r.countUses(ctx, e)
	degraded = app.AppendError(degraded, proposeFromTask(ctx, r.Mem, e))
	return path, append(degraded, r.takeUp(ctx, short)...), nil
}

// takeUp updates the index until short ends, and completes vectors for a moment.
func (r Recorder) takeUp(ctx, short context.Context) []string {
	late := func() bool { return short.Err() != nil && ctx.Err() == nil }
	var wasLate bool
	var vectors []string
	lines, err := indexes.WithSynced(short, r.Mem, func(db *indexpool.Index) error {
		wasLate = late()
		vectors = r.Mem.Vectors.Trouble(embedding.CompleteSoon(ctx, r.Mem, db))
		return nil
	})
	if wasLate || err != nil && late() {
		return append([]string{"the search index is not up to date yet, for there is much to read: the next command continues, or 'agentflow index' does"}, vectors...)
	}
	return append(app.AppendError(lines, err), vectors...)
}

func (r Recorder) countUses(ctx context.Context, e memory.Entry) {
	recalled, err := executor.ReadRun(r.Mem.Runs(), e.ID)
	if err != nil {
		return // a run without a folder is not counted
	}
	var ids []string
	for _, shown := range slices.Concat(recalled.Facts, recalled.Hits) {
		ids = append(ids, shown.ID)
	}
	lookup.UsesFile(r.Mem).Add(ctx, usecount.Prompt, ids, e.Time)
}
