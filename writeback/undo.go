package writeback

import (
	"context"
	"reflect"
)

// PlanUndo plans to take back the change with this full id. The files get their former contents,
// except for edits and appends elsewhere in them since. Text that was forgotten or removed since
// does not come back. The error matches ErrNotFound if no such change is kept, ErrUndone if it was
// already taken back, ErrLocked, and is an *OverlapError if later edits overlap.
func (s *Store) PlanUndo(ctx context.Context, id string) (plan UndoPlan, err error) {
	err = s.edit(ctx, "memory undo", func(w *writer) error {
		plan, err = w.changer.planUndo(id)
		return err
	})
	return plan, err
}

// Undo carries out a plan as one change, and returns the id by which that change can be taken back,
// or "" if it cannot. A plan without edits changes nothing, and the change that it was made for still
// counts as not taken back. The error matches ErrChanged if memory is no longer as it was planned
// for. Other errors are those of PlanUndo and Apply.
func (s *Store) Undo(ctx context.Context, plan UndoPlan) (id string, err error) {
	err = s.edit(ctx, "memory undo", func(w *writer) error {
		now, err := w.changer.planUndo(plan.ID)
		if err != nil {
			return err
		}
		if !reflect.DeepEqual(now, plan) {
			return ErrChanged
		}
		if len(plan.Edits) == 0 {
			return nil
		}
		return w.changer.applyChange(ctx, Change{
			Command: "memory undo", Title: "undo of " + plan.Title, Edits: plan.Edits, Forget: plan.Forget, Kept: &id,
			undoes: plan.ID, source: plan.Source, back: plan.Back, lift: plan.Lift,
		})
	})
	return id, err
}
