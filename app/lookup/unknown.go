package lookup

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"agentflow/app"
	"agentflow/gitwatch/history"
	"agentflow/memory"
)

// lostOrUnknown returns the error for an id that memory does not hold. It does not repeat the text
// of what was forgotten.
func lostOrUnknown(ctx context.Context, s *app.Repo, ref string) error {
	_, unknown := One(ref, nil)
	if s.Policy.Remote || len(ref) < MinID {
		return unknown
	}
	lost, err := s.Store.Lost(ctx)
	if err != nil { // without the log, the error says less
		return unknown
	}
	var ids []string
	for _, l := range lost {
		if strings.HasSuffix(l.ID, strings.ToLower(ref)) && !slices.Contains(ids, l.ID) {
			ids = append(ids, l.ID)
		}
	}
	if len(ids) != 1 {
		return unknown
	}
	return &app.Error{Kind: app.KindNotFound, Err: fmt.Errorf("looking for %s: it was forgotten, or removed by hand", ref),
		Hint: "'agentflow memory restore " + memory.ShortID(ids[0]) + "' brings it back"}
}

// noEntryOf returns the error for a commit that no entry names.
func noEntryOf(ctx context.Context, s *app.Repo, ref, id string) error {
	barred, err := s.Store.Barred(ctx)
	refs, _ := history.Times(ctx, app.GitFolder(s), []string{id}) // without it, the error says less
	if err == nil && slices.ContainsFunc(refs, func(c history.Ref) bool { return history.IsForgotten(c, barred) }) {
		return &app.Error{Kind: app.KindNotFound, Err: fmt.Errorf("looking for %s: the entry of commit %.12s was forgotten", ref, id),
			Hint: "'agentflow memory list --forgotten' lists what can be restored"}
	}
	return &app.Error{Kind: app.KindNotFound, Err: fmt.Errorf("looking for %s: memory holds no entry of commit %.12s", ref, id),
		Hint: "'agentflow backfill' takes the history into memory"}
}
