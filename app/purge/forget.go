package purge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/indexes"
	"agentflow/app/lookup"
	"agentflow/internal/lists"
	"agentflow/internal/plural"
	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/memory/retrieval"
	"agentflow/writeback"
)

// ForgetTarget is an entry, a fact or a file as the plan saw it.
type ForgetTarget struct {
	api.ForgetTarget
	Global bool           // in the user's own memory
	Fact   *memory.Fact   // nil unless the target is a fact
	entry  []byte         // Markdown of an entry; nil for other targets
	file   *forgottenFile // nil unless the target is a file
}

// Where returns the place of the target in the form that Locator accepts.
func (t ForgetTarget) Where() string {
	if t.Global {
		return memory.GlobalLabel + t.Place
	}
	return t.Place
}

// ForgetResult lists the items that left memory.
type ForgetResult struct {
	Forgotten api.Forgotten
	Degraded  []string
}

// ErrPlanChanged reports that memory changed since the plan was made: plan again.
var ErrPlanChanged = errors.New("memory was edited since this was planned")

// NewForgetTarget returns the target for an item. hit has its scores if a search found it.
func NewForgetTarget(s *app.Repo, f lookup.StoredItem, hit retrieval.Hit) ForgetTarget {
	t := ForgetTarget{api.ForgetTarget{ID: f.ID, Kind: "fact", Place: f.Place(), Author: f.Author, Score: hit.Score, RankScore: hit.RankScore}, s.IsGlobal(), f.Fact, nil, nil}
	if f.Fact != nil {
		t.Text = f.Fact.Text
	} else {
		t.Kind, t.Text, t.entry = string(f.Entry.Kind), TitleOf(f.Entry), f.Raw
	}
	return t
}

// Forget takes targets out of one memory and updates its index. A purge also searches traces. If undo is not nil,
// 'memory undo' can take the change back, and undo gets its id. ids are all ids that left memory.
func Forget(ctx context.Context, s *app.Repo, targets []ForgetTarget, purge bool, traces writeback.Traces, undo *string) (ids []string, reached purged, err error) {
	ids = lists.Mapped(targets, func(t ForgetTarget) string { return t.ID })
	var merged []string
	err = s.Store.ReviseIn(ctx, func() func(string) bool { return filesAbout(ctx, s, ids) }, func(files map[string][]byte) (writeback.Change, error) {
		docs := parseAbout(files, ids)
		if i := slices.IndexFunc(targets, func(t ForgetTarget) bool { return t.changed(docs) || t.edited(files) }); i >= 0 {
			return writeback.Change{}, &app.Error{Kind: app.KindRefused, Err: fmt.Errorf("forgetting %s: %w", memory.ShortID(targets[i].ID), ErrPlanChanged), Hint: "look at it again, and repeat the command"}
		}
		c := writeback.Change{Command: "forget", Title: "forgetting of " + forgottenTitle(targets)}
		c.Edits, c.Forget, merged = planRemoval(files, docs, ids)
		c = withFiles(c, targets, files)
		c.Kept = undo
		if purge && len(ids) == 1 { // the purge makes the change
			return writeback.Change{}, nil
		}
		return c, nil
	})
	switch {
	case err != nil:
		return nil, reached, err
	case purge:
		reached, err = PurgeIDs(ctx, s, ids, traces)
	default:
		indexes.Reindex(ctx, s, "forget")
	}
	return append(ids, merged...), reached, err
}

// forgottenTitle names the forgotten items: one by its id, several by their number. A text in the title would outlive a
// purge.
func forgottenTitle(targets []ForgetTarget) string {
	if len(targets) == 1 {
		return memory.ShortID(targets[0].ID)
	}
	return plural.Count(len(targets), "memory")
}

// changed reports whether docs hold the target, and none of its copies is as the plan saw it.
func (t ForgetTarget) changed(docs map[string]*markdown.Document) bool {
	stands := false
	for _, d := range docs {
		for _, b := range d.Blocks {
			if t.entry != nil && b.Entry != nil && b.Entry.ID == t.ID {
				if bytes.Equal(b.Raw, t.entry) {
					return false
				}
				stands = true
			}
			for _, f := range b.Facts {
				if t.Fact != nil && f.ID == t.ID {
					if reflect.DeepEqual(f.Fact, *t.Fact) {
						return false
					}
					stands = true
				}
			}
		}
	}
	return stands
}
