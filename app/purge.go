package app

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"agentflow/internal/plural"
	"agentflow/schedule"
)

// runTraces are the files and folders where runs, jobs and conversations keep
// what they were shown, what they said and what failed. They hold facts of the user's own
// memory too.
func (s *openMemory) runTraces() (traces []string) {
	for _, dir := range s.stateFolders() {
		past := schedule.Store{Dir: dir}
		traces = append(traces, filepath.Join(dir, "runs"), filepath.Join(dir, chatsFolder), past.Folder(), past.Path(), filepath.Join(dir, failuresFile))
	}
	return traces
}

// purge removes the text of ids from everything that is ours, and warns of
// where else it may stand.
func (s *openMemory) purge(ctx context.Context, ids, traces []string) error {
	report, err := s.store.Purge(ctx, ids, traces...)
	if err != nil {
		return fmt.Errorf("forgetting %s: %w", plural.Count(len(ids), "memory"), err)
	}
	if err := errors.Join(s.purgeConversations(ids), s.purgeLinks()); err != nil {
		return err
	}
	if err := s.purgeIndex(ctx, ids); err != nil {
		return err
	}
	left := slices.Concat(report.Beyond, report.Elsewhere)
	if s.isGlobal() {
		left = slices.Insert(left, 0, "the Markdown, logs and run folders of repositories whose runs were shown it or repeated it")
	}
	for _, place := range left {
		s.warn("the text may still stand in: %s", place)
	}
	if s.isGlobal() {
		s.hint("in each of them 'agentflow search WORDS' finds what repeats it, and 'agentflow forget --purge ID' takes that out")
	}
	return nil
}

func (s *openMemory) purgeIndex(ctx context.Context, ids []string) error {
	db, degraded := s.indexed(ctx)
	if db == nil {
		return fmt.Errorf("purging the index, which may still hold the text: %s", strings.Join(degraded, "; "))
	}
	s.degraded("forget", degraded)
	defer db.Close()
	if _, err := db.Sync(ctx, s.sources(ctx)...); err != nil { // all of it: what it was made of may hold the text
		return fmt.Errorf("bringing the index up to date, which may still hold the text: %w", err)
	}
	if err := db.Purge(ctx, ids...); err != nil {
		return fmt.Errorf("purging the index: %w", err)
	}
	return s.uses().Forget(ctx, ids...)
}
