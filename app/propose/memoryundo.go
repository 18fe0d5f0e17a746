package propose

import (
	"context"
	"errors"
	"fmt"

	"agentflow/app"
	"agentflow/app/forget"
	"agentflow/app/purge"
	"agentflow/app/share"
	"agentflow/memory"
	"agentflow/writeback"
)

// ApplyMemoryUndo applies a plan as one change. It refuses with ErrPlanChanged if memory changed since the plan was
// made. Other errors are those of PlanMemoryUndo.
func ApplyMemoryUndo(ctx context.Context, m *app.Memory, plan forget.MemoryUndoPlan) (result forget.MemoryUndoResult, err error) {
	o := m.Begin(ctx)
	defer o.End(&result.Degraded, &err)
	var s *app.Repo
	if plan.Global {
		s, err = app.OpenExistingGlobal(ctx, o)
	} else {
		s, err = o.OpenRecovered(ctx)
	}
	if err != nil {
		return result, err
	}
	result.MemoryUndo = plan.MemoryUndo
	result.Undo, err = s.Store.Undo(ctx, plan.Plan)
	short := memory.ShortID(plan.Change.ID)
	var overlap *writeback.OverlapError
	if errors.Is(err, writeback.ErrChanged) || errors.Is(err, writeback.ErrUndone) || errors.As(err, &overlap) {
		return result, &app.Error{Kind: app.KindRefused, Err: fmt.Errorf("taking back %s: %w", short, purge.ErrPlanChanged), Hint: "look at it again, and repeat the command"}
	}
	if err != nil {
		return result, fmt.Errorf("taking back %s: %w", short, err)
	}
	result.DryRun = false
	if !plan.Global {
		s.Degraded("review", app.AppendError(nil, reviewAgain(ctx, s, plan.Returns, plan.Leaves)))
	}
	share.FinishWrite(ctx, s, "memory undo", plan.Change.ID)
	return result, nil
}
