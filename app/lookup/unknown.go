package lookup

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"agentflow/app"
	"agentflow/gitwatch/history"
	"agentflow/memory"
	"agentflow/memory/quote"
)

// lostOrUnknown returns the error for an id that memory does not hold.
func lostOrUnknown(ctx context.Context, s *app.Repo, ref string) error {
	_, unknown := One(ref, nil)
	lost, err := s.Store.Lost(ctx)
	if err != nil { // without the log, the error says less
		return unknown
	}
	for _, l := range lost {
		if strings.HasSuffix(l.ID, strings.ToLower(ref)) {
			return &app.Error{Kind: app.KindNotFound, Err: fmt.Errorf("looking for %s: it was forgotten, or removed by hand: %s", ref, quote.Line(l.Title)),
				Hint: "'agentflow memory restore " + memory.ShortID(l.ID) + "' brings it back"}
		}
	}
	return unknown
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
