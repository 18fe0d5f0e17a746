package app

import "context"

// wholeMemory returns the functions of the topics.
func wholeMemory() topics {
	return topics{recover: recoverCrashed, catchUp: catchUp, remembering: remembering}
}

// catchUp completes the unfinished work of other processes as far as reading needs it.
func catchUp(ctx context.Context, s *openMemory) {
	tellUntrusted(ctx, s)
	keepOne(ctx, s)
	report, err := s.store.Settle(ctx)
	tellReport(s, report, err)
	recoverRuns(ctx, s, report.Finished)
	finishPurges(ctx, s)
	settleSoon(ctx, s)
}

// recoverCrashed completes the work that crashed commands left in the log and in the run folders, and records the commits that
// hooks noted.
func recoverCrashed(ctx context.Context, s *openMemory) {
	keepOne(ctx, s)
	report, err := s.store.Recover(ctx)
	tellReport(s, report, err)
	keepConfig(s, len(report.Restored) > 0)
	removeUndoFiles(ctx, s)
	recoverRuns(ctx, s, report.Finished)
	finishPurges(ctx, s)
	settleSoon(ctx, s)
}
