package upkeep

import (
	"context"
	"errors"
	"time"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/indexes"
	"agentflow/index"
	"agentflow/internal/indexpool"
	"agentflow/internal/lists"
)

// Index updates the index, and completes missing vectors. If only vectors are missing, it returns both a report and an
// error. An update that ended early continues at the next call. A rebuild that ended early leaves the old index as it
// was.
func Index(ctx context.Context, m *app.Memory, req IndexRequest) (result IndexResult, err error) {
	o := m.Begin(ctx)
	defer o.End(&result.Degraded, &err)
	if err := o.MayWrite(); err != nil {
		return result, err
	}
	s, err := o.OpenRecovered(ctx)
	if err == nil {
		result.Report, err = MakeIndex(ctx, s, req.Rebuild)
	}
	return result, err
}

// MakeIndex brings the index up to date completely, or builds it again.
func MakeIndex(ctx context.Context, s *app.Repo, rebuild bool) (report *api.IndexReport, err error) {
	start := time.Now()
	bar := app.NewBar(s.Operation, "indexing")
	s.Progress, s.Patient = bar.Files, true
	notices, err := indexes.With(ctx, s, func(db *indexpool.Index) error {
		report, err = fillIndex(ctx, s, db, bar, rebuild)
		return err
	})
	s.Degraded("index", notices)
	if report != nil {
		report.DurationMS = time.Since(start).Milliseconds()
	}
	return report, err
}

// fillIndex does the work of MakeIndex on an open index.
func fillIndex(ctx context.Context, s *app.Repo, db *indexpool.Index, bar *app.Bar, rebuild bool) (*api.IndexReport, error) {
	sync := db.Sync
	if rebuild {
		sync = db.Rebuild
	}
	report, err := sync(ctx, indexes.Sources(ctx, s)...)
	bar.End()
	s.Degraded("index", report.Skipped)
	if errors.Is(err, index.ErrBusy) && ctx.Err() == nil {
		return nil, &app.Error{Kind: app.KindRefused, Err: err, Hint: "run 'agentflow index' again when it has finished"}
	}
	if err != nil {
		return nil, err
	}
	if report.Memory {
		return nil, errors.New("indexing memory: the index cannot be kept on disk")
	}
	bar = app.NewBar(s.Operation, "embedding")
	_, missing := db.EmbedPending(ctx, bar.Chunks)
	bar.End()
	known := makeContents(ctx, s, rebuild)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	stats, err := db.Stats(ctx)
	return &api.IndexReport{
		Files: report.Files, Included: stats.Included, Entries: stats.Entries, Chunks: stats.Chunks, Vectors: stats.Vectors, Pending: stats.Pending,
		Changed: report.Changed, Removed: report.Removed, Written: report.Chunks, Read: report.Bytes, Bytes: stats.Bytes,
		Skipped: lists.Filled(report.Skipped), Rebuilt: rebuild, Contents: known,
	}, errors.Join(missing, err)
}
