package writeback

import (
	"context"
	"fmt"
	"iter"
	"path/filepath"
	"slices"

	"agentflow/writeback/internal/trace"
)

// Traces lists places where files of other packages may quote a text.
type Traces struct {
	Folders []string               // searched with everything below them
	Except  func(path string) bool // selects files and folders that are cleaned in another way, or are not ours; nil: none
}

// PurgeReport lists where purged texts were and where they may still be.
type PurgeReport struct {
	Text      trace.Quote // recognises the texts
	Cleaned   []string    // files of ours that held one and no longer do; absolute paths
	Elsewhere []string    // memory files that still hold a line of one, in another entry or a hand edit: "2026-11-20.md:14"
	Sessions  []string    // ids of agent sessions; the agents keep the texts in files of their own
}

// Purge removes the texts of entries and facts, or of a whole file without any (memory.WholeFile),
// from every store of ours: Markdown with the judgements that quote them, the log and its
// checkpoint, those of the fallback, the run folders, and every other file of State, Fallback and
// traces that quotes them. Tombstones remain, but no text that Restore could bring back. Entries
// and facts that were already forgotten can be purged too.
//
// One record of the log purges all of them or none. If Purge is interrupted after that record, the
// next Recover finishes it. Before it, calling Purge again cleans the traces. Errors match
// ErrNotFound or ErrLocked.
func (s *Store) Purge(ctx context.Context, ids []string, traces Traces) (PurgeReport, error) {
	var report PurgeReport
	err := s.edit(ctx, "forget --purge", func(w *writer) (err error) {
		report, err = w.purger.purge(ctx, ids, traces)
		return err
	})
	if err != nil {
		return report, fmt.Errorf("purging: %w", err)
	}
	return report, nil
}

// Quoting lists the files, besides Markdown, the log and the kept changes, that Purge would remove
// or overwrite in part. It changes nothing. Errors are those of Purge.
func (s *Store) Quoting(ctx context.Context, ids []string, traces Traces) (files []string, err error) {
	err = s.edit(ctx, "forget --purge", func(w *writer) error {
		_, q, err := w.purger.toPurge(ctx, ids)
		if err == nil {
			files, err = w.purger.eachTrace(traces, q.Find)
		}
		return err
	})
	return files, err
}

// CleanTraces removes the texts of entries and facts that others purged, given as Markdown by id,
// from every file that Purge would clean, but not from memory.
func (s *Store) CleanTraces(ctx context.Context, texts iter.Seq2[string, []byte], traces Traces) (report PurgeReport, err error) {
	for id, text := range texts {
		report.Text.Join(quoteOf(id, text))
	}
	err = s.edit(ctx, "sync", func(w *writer) (err error) {
		report.Cleaned, err = w.purger.cleanTraces(report.Text, traces)
		report.Elsewhere = stillQuoted(w.View, report.Text)
		return err
	})
	if err != nil {
		return report, fmt.Errorf("cleaning what others purged: %w", err)
	}
	return report, nil
}

// KeepsByLog reports whether a path is a file or folder that a Store with one of these State or
// Fallback folders keeps, and cleans itself.
func KeepsByLog(path string, states ...string) bool {
	return slices.Contains(states, filepath.Dir(path)) && slices.Contains([]string{"log", "checkpoint", "changes"}, filepath.Base(path))
}
