package lookup

import (
	"context"
	"slices"
	"time"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/internal/consolidate"
	"agentflow/internal/lists"
	"agentflow/memory"
)

// maxCloseFacts limits the listed facts close to another fact.
const maxCloseFacts = 3

// CloseFactsResult lists the valid facts about the same thing as a fact that a person is about to
// state, the closest first.
type CloseFactsResult struct {
	Close    []api.CloseFact // never nil
	Degraded []string
}

// CloseFacts lists at most maxCloseFacts valid facts in f's namespace that are about the same
// thing. It leaves out facts that state the same, have f's key, or are replaced by f.
func CloseFacts(ctx context.Context, s *app.Repo, f memory.Fact, now time.Time) []api.CloseFact {
	all, err := Facts(ctx, s)
	if err != nil {
		s.Warn("%v", err)
	}
	all = slices.DeleteFunc(all, func(k *StoredFact) bool {
		sameKey := f.Key != "" && k.Key == f.Key
		return k.ID == "" || k.ID == f.ID || k.ID == f.Supersedes || sameKey || k.Namespace != f.Namespace || !k.Live(now) || k.File == Feedback || app.SameFact(k.Fact, f)
	})
	list := []api.CloseFact{}
	for _, c := range consolidate.Close(f.Whole(), lists.Mapped(all, func(k *StoredFact) string { return k.Whole() })) {
		k := all[c.At]
		list = append(list, api.CloseFact{ID: k.ID, Text: k.Whole(), Words: c.Words, File: k.InFile(), Line: k.StartLine})
	}
	return list[:min(len(list), maxCloseFacts)]
}

// Stated reports whether a person states a fact of the item.
func (f StoredItem) Stated(fact memory.Fact) bool {
	fact.Source = f.Source(fact)
	return fact.Stated()
}
