package app

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"agentflow/api"
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
func Restore(ctx context.Context, m *Memory, req RestoreRequest) (result RestoreResult, err error) {
	o := m.begin(ctx)
	defer o.end(&result.Degraded, &err)
	end, err := writing(ctx, o)
	if err != nil {
		return result, err
	}
	defer end(&err)
	s, err := o.openOrGlobal(ctx, o.openRecovered)
	if err != nil {
		return result, err
	}
	result.Restored = []api.Entry{}
	if len(req.IDs) > 0 {
		for _, home := range s.andGlobal(ctx) {
			shown, others, err := unhide(ctx, home, req.IDs)
			result.Restored = append(result.Restored, shown...)
			if req.IDs = others; err != nil || len(others) == 0 {
				return result, err
			}
		}
	}
	var lost []writeback.Ref
	for _, home := range s.andGlobal(ctx) {
		list, err := home.store.Lost(ctx)
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
	refs, err := s.store.Restore(ctx, ids)
	if err != nil {
		return result, err
	}
	result.Restored = append(result.Restored, mapped(refs, entryOf)...)
	finishWrite(ctx, s, "memory restore", ids...)
	return result, nil
}

func entryOf(ref writeback.Ref) api.Entry { return api.Entry(ref) }

// LostResult lists the items that Restore can bring back.
type LostResult struct {
	Lost     []api.Entry // of the repository, then of the user's own memory, by file and id; never nil
	Degraded []string
}

// Lost lists the entries and facts that were forgotten, hidden or vanished, except purged ones. Errors have
// KindNoPlace.
func Lost(ctx context.Context, m *Memory) (result LostResult, err error) {
	o := m.begin(ctx)
	defer o.end(&result.Degraded, &err)
	result.Lost = []api.Entry{}
	s, err := o.openOrGlobal(ctx, o.openToRead)
	if err != nil {
		return result, err
	}
	for _, home := range s.andGlobal(ctx) {
		refs, err := home.store.Lost(ctx)
		if err != nil {
			return result, err
		}
		for _, ref := range refs {
			if home.isGlobal() {
				ref.File = memory.GlobalLabel + ref.File
			}
			result.Lost = append(result.Lost, api.Entry(ref))
		}
		hidden, err := hidden(home)
		if err != nil {
			return result, err
		}
		for _, h := range hidden {
			if h.Back {
				continue
			}
			h.File = named(home, h.File)
			result.Lost = append(result.Lost, h.entry())
		}
	}
	return result, nil
}

func lostAny(lost []writeback.Ref, ids []string) bool {
	return slices.ContainsFunc(lost, func(ref writeback.Ref) bool {
		return slices.ContainsFunc(ids, func(id string) bool { return endsID(ref.ID, id) })
	})
}

// endsID reports whether short is an id, or the end of one with at least 4 digits.
func endsID(id, short string) bool {
	return len(short) >= 4 && strings.HasSuffix(id, strings.ToLower(short))
}

// lostIDs completes short ids. Without any it lists all ids that vanished. An id that the log does not know stays as it
// is, and the store reports the error.
func lostIDs(ctx context.Context, s *openMemory, shorts []string, lost []writeback.Ref) (ids []string, err error) {
	if len(shorts) == 0 {
		vanished, err := s.store.Vanished(ctx)
		return mapped(vanished, func(ref writeback.Ref) string { return ref.ID }), err
	}
	for _, short := range shorts {
		id := short
		for _, ref := range lost {
			switch {
			case !endsID(ref.ID, short):
			case id != short && id != ref.ID:
				return nil, &Error{Kind: KindUsage, Err: fmt.Errorf("restoring %s: more than one id ends so", short), Hint: "give more digits"}
			default:
				id = ref.ID
			}
		}
		inLog := slices.ContainsFunc(lost, func(ref writeback.Ref) bool { return ref.ID == id })
		if f, err := find(ctx, s, short); !inLog && short != "last" && err == nil {
			return nil, &Error{Kind: KindRefused, Err: fmt.Errorf("restoring %s: it is not lost: it stands in %s", memory.ShortID(f.ID), f.place()),
				Hint: "'agentflow show " + memory.ShortID(f.ID) + "' prints it"}
		}
		ids = append(ids, id)
	}
	return ids, nil
}
