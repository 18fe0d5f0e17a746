package app

import (
	"context"
	"errors"
	"time"

	"agentflow/api"
	"agentflow/index"
)

// IndexRequest says how the index is brought up to date.
type IndexRequest struct {
	Rebuild bool // make it anew from the Markdown
}

// IndexResult is the work that was done.
type IndexResult struct {
	Report   *api.IndexReport // nil when the index is not up to date
	Degraded []string
}

// Index brings the index up to date, and completes the vectors that wait.
// Where only vectors are missing there are a report and an error. Ended early,
// it goes on from there when it is called again; a rebuild that is ended early
// leaves the old index as it was.
func (m *Memory) Index(ctx context.Context, req IndexRequest) (result IndexResult, err error) {
	o := m.begin(ctx)
	defer o.end(&result.Degraded, &err)
	s, err := o.openRecovered(ctx)
	if err == nil {
		result.Report, err = s.makeIndex(ctx, req.Rebuild)
	}
	return result, err
}

func (s *openMemory) makeIndex(ctx context.Context, rebuild bool) (*api.IndexReport, error) {
	start := time.Now()
	bar := s.newBar("indexing")
	s.progress, s.patient = bar.files, true
	db, notices, err := s.openIndex(ctx)
	s.degraded("index", notices)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	sync := db.Sync
	if rebuild {
		sync = db.Rebuild
	}
	report, err := sync(ctx, s.sources(ctx)...)
	bar.end()
	s.degraded("index", report.Skipped)
	if errors.Is(err, index.ErrBusy) && ctx.Err() == nil {
		return nil, &Error{Kind: KindRefused, Err: err, Hint: "run 'agentflow index' again when it has finished"}
	}
	if err != nil {
		return nil, err
	}
	if report.Memory {
		return nil, errors.New("indexing memory: the index cannot be kept on disk")
	}
	bar = s.newBar("embedding")
	_, missing := db.EmbedPending(ctx, bar.chunks)
	bar.end()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	stats, err := db.Stats(ctx)
	return &api.IndexReport{
		Files: report.Files, Included: stats.Included, Entries: stats.Entries, Chunks: stats.Chunks, Vectors: stats.Vectors, Pending: stats.Pending,
		Changed: report.Changed, Removed: report.Removed, Written: report.Chunks, Read: report.Bytes, Bytes: stats.Bytes,
		Skipped: filled(report.Skipped), Rebuilt: rebuild, DurationMS: time.Since(start).Milliseconds(),
	}, errors.Join(missing, err)
}
