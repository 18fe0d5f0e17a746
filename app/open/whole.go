package open

import (
	"context"

	"agentflow/app"
	"agentflow/app/connect"
	"agentflow/app/memoryfiles"
	"agentflow/app/session"
	"agentflow/app/settle"
	"agentflow/app/setup"
	"agentflow/app/share"
	"agentflow/app/undo"
)

// wholeMemory returns the functions that opening a memory needs.
func wholeMemory() app.Topics {
	return app.Topics{Recover: recoverCrashed, CatchUp: catchUp, Holding: memoryfiles.Holding, Remembering: connect.Remembering}
}

// catchUp completes the unfinished work of other processes as far as reading needs it.
func catchUp(ctx context.Context, s *app.Repo) {
	app.TellUntrusted(ctx, s)
	settle.KeepOne(ctx, s)
	report, err := s.Store.Settle(ctx)
	app.TellReport(s, report, err)
	session.RecoverRuns(ctx, s, report.Finished)
	share.FinishPurges(ctx, s)
	settle.SettleSoon(ctx, s)
}

// recoverCrashed completes the work that crashed commands left in the log and in the run folders, and records the commits that
// hooks noted.
func recoverCrashed(ctx context.Context, s *app.Repo) {
	settle.KeepOne(ctx, s)
	report, err := s.Store.Recover(ctx)
	app.TellReport(s, report, err)
	setup.KeepConfig(s, len(report.Restored) > 0)
	undo.RemoveUndoFiles(ctx, s)
	session.RecoverRuns(ctx, s, report.Finished)
	share.FinishPurges(ctx, s)
	settle.SettleSoon(ctx, s)
}
