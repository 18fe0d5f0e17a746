package forget

import (
	"context"
	"fmt"
	"slices"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/lookup"
	"agentflow/app/share"
	"agentflow/internal/lists"
	"agentflow/memory"
	"agentflow/writeback"
)

// RestoreRequest names entries and facts that were forgotten or vanished.
type RestoreRequest struct {
	IDs []string // each an id, or the last 4 or more digits of one; empty: all that vanished without forget
}

// RestoreResult lists the restored items.
type RestoreResult struct {
	Restored []api.Entry // never nil
	Degraded []string
}

// Restore writes entries back from the log, and shows hidden items of others again. A purged item cannot be restored.
// Errors have KindUsage (an id is ambiguous), KindNoPlace, KindNotFound, KindRefused (it is not lost, or was purged) or
// KindLocked.
func Restore(ctx context.Context, m *app.Memory, req RestoreRequest) (result RestoreResult, err error) {
	o := m.Begin(ctx)
	defer o.End(&result.Degraded, &err)
	end, err := app.Writing(ctx, o)
	if err != nil {
		return result, err
	}
	defer end(&err)
	s, err := o.OpenOrGlobal(ctx, o.OpenRecovered)
	if err != nil {
		return result, err
	}
	result.Restored = []api.Entry{}
	if len(req.IDs) > 0 {
		for _, home := range s.AndGlobal(ctx) {
			shown, others, err := share.Unhide(ctx, home, req.IDs)
			result.Restored = append(result.Restored, shown...)
			if req.IDs = others; err != nil || len(others) == 0 {
				return result, err
			}
		}
	}
	var lost []writeback.Ref
	for _, home := range s.AndGlobal(ctx) {
		list, err := home.Store.Lost(ctx)
		if err != nil {
			return result, err
		}
		if home == s || lostAny(list, req.IDs) {
			s, lost = home, list
		}
		if len(req.IDs) == 0 || lostAny(lost, req.IDs) {
			break
		}
	}
	ids, err := lostIDs(ctx, s, req.IDs, lost)
	if err != nil {
		return result, err
	}
	refs, err := s.Store.Restore(ctx, ids)
	if err != nil {
		return result, err
	}
	result.Restored = append(result.Restored, lists.Mapped(refs, EntryOf)...)
	share.FinishWrite(ctx, s, "memory restore", ids...)
	return result, nil
}

// EntryOf converts a reference to an entry to a JSON object.
func EntryOf(ref writeback.Ref) api.Entry { return api.Entry(ref) }

// LostResult lists the items that Restore can bring back.
type LostResult struct {
	Lost     []api.Entry // of the repository, then of the user's own memory, by file and id; never nil
	Degraded []string
}

// Lost lists the entries and facts that were forgotten, hidden or vanished, except purged ones. Errors have
// KindNoPlace.
func Lost(ctx context.Context, m *app.Memory) (result LostResult, err error) {
	o := m.Begin(ctx)
	defer o.End(&result.Degraded, &err)
	result.Lost = []api.Entry{}
	s, err := o.OpenOrGlobal(ctx, o.OpenToRead)
	if err != nil {
		return result, err
	}
	for _, home := range s.AndGlobal(ctx) {
		refs, err := home.Store.Lost(ctx)
		if err != nil {
			return result, err
		}
		for _, ref := range refs {
			if home.IsGlobal() {
				ref.File = memory.GlobalLabel + ref.File
			}
			result.Lost = append(result.Lost, api.Entry(ref))
		}
		hidden, err := share.Hidden(home)
		if err != nil {
			return result, err
		}
		for _, h := range hidden {
			if h.Back {
				continue
			}
			h.File = lookup.Named(home, h.File)
			result.Lost = append(result.Lost, h.Entry())
		}
	}
	return result, nil
}

func lostAny(lost []writeback.Ref, ids []string) bool {
	return slices.ContainsFunc(lost, func(ref writeback.Ref) bool {
		return slices.ContainsFunc(ids, func(id string) bool { return share.EndsID(ref.ID, id) })
	})
}

// lostIDs completes short ids. Without any it lists all ids that vanished. An id that the log does not know stays as it
// is, and the store reports the error.
func lostIDs(ctx context.Context, s *app.Repo, shorts []string, lost []writeback.Ref) (ids []string, err error) {
	if len(shorts) == 0 {
		vanished, err := s.Store.Vanished(ctx)
		return lists.Mapped(vanished, func(ref writeback.Ref) string { return ref.ID }), err
	}
	for _, short := range shorts {
		id := short
		for _, ref := range lost {
			switch {
			case !share.EndsID(ref.ID, short):
			case id != short && id != ref.ID:
				return nil, &app.Error{Kind: app.KindUsage, Err: fmt.Errorf("restoring %s: more than one id ends so", short), Hint: "give more digits"}
			default:
				id = ref.ID
			}
		}
		inLog := slices.ContainsFunc(lost, func(ref writeback.Ref) bool { return ref.ID == id })
		if f, err := lookup.Find(ctx, s, short); !inLog && short != "last" && err == nil {
			return nil, &app.Error{Kind: app.KindRefused, Err: fmt.Errorf("restoring %s: it is not lost: it is in %s", memory.ShortID(f.ID), f.Place()),
				Hint: "'agentflow show " + memory.ShortID(f.ID) + "' prints it"}
		}
		ids = append(ids, id)
	}
	return ids, nil
}
