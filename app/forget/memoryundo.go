package forget

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/share"
	"agentflow/internal/lists"
	"agentflow/memory"
	"agentflow/writeback"
)

// MemoryChangesResult lists the changes of memory that can be taken back.
type MemoryChangesResult struct {
	Changes  []api.MemoryChange // newest first, of the repository and of the user's own memory; never nil
	Degraded []string
}

// MemoryChanges lists recent changes: consolidations, imports, items that people remembered, edited and forgot,
// removals that agents made with the memory tool, and undos of these. Errors have KindNoPlace.
func MemoryChanges(ctx context.Context, m *app.Memory) (result MemoryChangesResult, err error) {
	o := m.Begin(ctx)
	defer o.End(&result.Degraded, &err)
	result.Changes = []api.MemoryChange{}
	made, err := changesMade(ctx, o)
	for _, c := range made {
		result.Changes = append(result.Changes, c.object())
	}
	return result, err
}

// changeMade is a change that can be taken back, with its memory.
type changeMade struct {
	writeback.Made
	home *app.Repo
}

func (c changeMade) object() api.MemoryChange {
	return api.MemoryChange{ID: c.ID, Command: c.Command, Title: c.Title, Time: c.At, Files: labelFiles(c.home, c.Files), Undoes: c.Undoes, Undone: c.Undone}
}

// labelFiles returns the names of files of this memory as people see them.
func labelFiles(s *app.Repo, files []string) []string {
	out := lists.Filled(files)
	for i := range out {
		if s.IsGlobal() {
			out[i] = memory.GlobalLabel + out[i]
		}
	}
	return out
}

// changesMade lists the changes of the repository and of the user's own memory, newest first.
func changesMade(ctx context.Context, o *app.Operation) ([]changeMade, error) {
	s, err := o.OpenOrGlobal(ctx, o.OpenRecovered)
	if err != nil {
		return nil, err
	}
	homes := []*app.Repo{s}
	if !s.IsGlobal() {
		global, err := o.OpenGlobal(ctx, false)
		if err != nil {
			s.Warn("%v", err)
		}
		if global != nil {
			homes = append(homes, global)
		}
	}
	var list []changeMade
	for _, home := range homes {
		made, err := home.Store.Archive.Made()
		if err != nil {
			return nil, err
		}
		for _, m := range made {
			list = append(list, changeMade{m, home})
		}
	}
	slices.SortStableFunc(list, func(a, b changeMade) int { return b.At.Compare(a.At) })
	return list, nil
}

// MemoryUndoRequest names the change of memory to take back.
type MemoryUndoRequest struct {
	ID string // an id, or the end of one; empty: the newest change of a person or a command, not an agent's, that was not undone
}

// MemoryUndoPlan describes the effect of taking a change back.
type MemoryUndoPlan struct {
	api.MemoryUndo
	Degraded []string

	Plan   writeback.UndoPlan
	Global bool
}

// MemoryUndoResult describes the effect of the undo.
type MemoryUndoResult struct {
	api.MemoryUndo
	Degraded []string
}

// PlanMemoryUndo plans to take a change of memory back, and changes nothing. Errors have KindUsage (the id is
// ambiguous), KindNoPlace, KindNotFound, KindRefused (it was taken back already, or files were edited since at the same
// place) or KindLocked.
func PlanMemoryUndo(ctx context.Context, m *app.Memory, req MemoryUndoRequest) (plan MemoryUndoPlan, err error) {
	o := m.Begin(ctx)
	defer o.End(&plan.Degraded, &err)
	made, err := changesMade(ctx, o)
	if err != nil {
		return plan, err
	}
	c, undo, err := req.planned(ctx, made)
	if err != nil {
		return plan, err
	}
	plan.Plan = undo
	plan.Global = c.home.IsGlobal()
	var files []string
	for _, e := range plan.Plan.Edits {
		files = append(files, e.File)
	}
	slices.Sort(files)
	plan.MemoryUndo = api.MemoryUndo{Change: c.object(), Files: labelFiles(c.home, files), DryRun: true,
		Returns: c.entries(plan.Plan.Returns), Leaves: c.entries(plan.Plan.Leaves), AsBefore: c.entries(plan.Plan.Changes), LeftOut: c.entries(plan.Plan.LeftOut), Stays: c.entries(plan.Plan.Stays)}
	return plan, nil
}

func (c changeMade) entries(refs []writeback.Ref) []api.Entry {
	out := []api.Entry{}
	for _, ref := range refs {
		ref.File = labelFiles(c.home, []string{ref.File})[0]
		out = append(out, api.Entry(ref))
	}
	return out
}

const listChanges = "'agentflow memory undo --list' lists what can be taken back"

// planned finds the change that the request names, and plans its undo. Without an id it passes over
// changes of which nothing is left, as when what was forgotten was restored since.
func (r MemoryUndoRequest) planned(ctx context.Context, made []changeMade) (changeMade, writeback.UndoPlan, error) {
	chosen, err := r.choose(made)
	for _, c := range chosen {
		plan, err := c.home.Store.PlanUndo(ctx, c.ID)
		switch {
		case err != nil:
			return c, plan, c.refusal(err, made)
		case len(plan.Edits)+len(plan.Returns)+len(plan.Leaves)+len(plan.Changes) > 0:
			return c, plan, nil
		case r.ID != "":
			return c, plan, &app.Error{Kind: app.KindRefused, Err: fmt.Errorf("taking back %s: nothing of it is left, as a later command did so already", memory.ShortID(c.ID)), Hint: listChanges}
		}
	}
	if err == nil {
		err = &app.Error{Kind: app.KindNotFound, Err: errors.New("taking back a change of memory: nothing is left to be taken back"), Hint: listChanges}
	}
	return changeMade{}, writeback.UndoPlan{}, err
}

// choose finds the changes that the request may mean, the newest first: one if it has an id.
func (r MemoryUndoRequest) choose(made []changeMade) ([]changeMade, error) {
	chosen := slices.DeleteFunc(slices.Clone(made), func(c changeMade) bool {
		if r.ID == "" {
			return c.Undone || c.Undoes != "" || c.Command == MemoryToolCommand // an agent's change must not come first
		}
		return !share.EndsID(c.ID, r.ID)
	})
	switch {
	case len(chosen) == 0 && r.ID != "":
		return nil, &app.Error{Kind: app.KindNotFound, Err: fmt.Errorf("taking back %s: no such change of memory is kept", r.ID), Hint: listChanges}
	case len(chosen) > 1 && r.ID != "":
		return nil, &app.Error{Kind: app.KindUsage, Err: fmt.Errorf("taking back %s: more than one id ends so", r.ID), Hint: "give more digits"}
	}
	return chosen, nil
}

// refusal explains why the change cannot be taken back, with a hint at the way out.
func (c changeMade) refusal(err error, made []changeMade) error {
	var overlap *writeback.OverlapError
	refused := &app.Error{Kind: app.KindRefused, Err: fmt.Errorf("taking back %s: %w", memory.ShortID(c.ID), err)}
	switch {
	case errors.Is(err, writeback.ErrUndone):
		for _, by := range made {
			if by.Undoes == c.ID && !by.Undone {
				refused.Hint = fmt.Sprintf("'agentflow memory undo %s' makes it again", memory.ShortID(by.ID))
			}
		}
	case errors.Is(err, writeback.ErrUntrusted):
		refused.Hint = "'agentflow trust --memory' accepts it"
	case !errors.As(err, &overlap):
		return err
	case len(overlap.Later) > 0:
		refused.Err = fmt.Errorf("taking back %s: a later change overlaps in %s", memory.ShortID(c.ID), strings.Join(labelFiles(c.home, overlap.Files), ", "))
		refused.Hint = fmt.Sprintf("take that back first: 'agentflow memory undo %s'", memory.ShortID(overlap.Later[0].ID))
	default:
		refused.Hint = "nothing was changed; take your edit out of there, or correct memory with 'agentflow forget ID' and 'agentflow memory restore ID'"
	}
	return refused
}
