package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"agentflow/internal/plural"

	"agentflow/index"

	"github.com/spf13/cobra"
)

// indexReport is what `index --json` prints.
type indexReport struct {
	Files      int      `json:"files"`    // Markdown files, of memory and included
	Included   int      `json:"included"` // of them, other Markdown of the repository
	Entries    int      `json:"entries"`
	Chunks     int      `json:"chunks"`
	Vectors    int      `json:"vectors"` // chunks that have one
	Pending    int      `json:"pending"` // chunks that wait for one
	Changed    int      `json:"changed"` // files
	Removed    int      `json:"removed"` // files
	Written    int      `json:"written"` // chunks
	Read       int64    `json:"read_bytes"`
	Bytes      int64    `json:"bytes"` // of the index
	Skipped    []string `json:"skipped"`
	Rebuilt    bool     `json:"rebuilt"`
	DurationMS int64    `json:"duration_ms"`
}

func (a *operation) indexCommand() *cobra.Command {
	var rebuild, asJSON, quiet bool
	cmd := &cobra.Command{
		Use:   "index [flags]",
		Short: "Bring the search index up to date",
		Long: `Index reads what changed in the Markdown, puts it into the search index, and
completes the vectors that wait. Every search does so itself as far as time
allows; this verb is for a first index of a large memory, and shows how far it
is. Interrupted, it goes on where it stopped; a rebuild
that is interrupted leaves the old index as it was.`,
		Example: "  agentflow index\n  agentflow index --rebuild",
		Args:    exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			a.quiet = quiet
			s, err := a.site(cmd.Context())
			if err != nil {
				return err
			}
			report, err := s.makeIndex(cmd.Context(), rebuild)
			switch {
			case report == nil:
			case asJSON:
				err = errors.Join(err, a.json(report))
			case !quiet:
				a.printf("%s\n", report)
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&rebuild, "rebuild", false, "make the index anew from the Markdown")
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object")
	cmd.Flags().BoolVarP(&quiet, "quiet", "q", false, "say only what does not work")
	return cmd
}

// makeIndex brings the index up to date, or makes it anew, and says what that
// took. The report is nil when that failed; it comes with an error when only
// vectors are missing.
func (s *site) makeIndex(ctx context.Context, rebuild bool) (*indexReport, error) {
	start := time.Now()
	bar := s.newBar("indexing")
	s.progress, s.patient = bar.files, true
	db, notices, err := s.openIndex(ctx)
	s.degraded("index", notices)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	work := db.Sync
	if rebuild {
		work = db.Rebuild
	}
	report, err := work(ctx, s.sources(ctx)...)
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
	return &indexReport{
		Files: report.Files, Included: stats.Included, Entries: stats.Entries, Chunks: stats.Chunks, Vectors: stats.Vectors, Pending: stats.Pending,
		Changed: report.Changed, Removed: report.Removed, Written: report.Chunks, Read: report.Bytes, Bytes: stats.Bytes,
		Skipped: append([]string{}, report.Skipped...), Rebuilt: rebuild, DurationMS: time.Since(start).Milliseconds(),
	}, errors.Join(missing, err)
}

func (r indexReport) String() string {
	what := "is up to date"
	if r.Rebuilt {
		what = "was rebuilt"
	}
	took := time.Duration(r.DurationMS) * time.Millisecond
	pending := ""
	if r.Pending > 0 {
		pending = fmt.Sprintf(" (%d without a vector)", r.Pending)
	}
	return fmt.Sprintf("the index %s: %s (%d included), %s%s, %s; %d changed, %d removed, %d skipped; %s written, %s read in %v",
		what, plural.Count(r.Files, "file"), r.Included, plural.Count(r.Chunks, "chunk"), pending, size(r.Bytes), r.Changed, r.Removed, len(r.Skipped),
		plural.Count(r.Written, "chunk"), size(r.Read), took.Round(precision(took)))
}
