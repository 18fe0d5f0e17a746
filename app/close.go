package app

import (
	"context"
	"slices"
	"time"

	"agentflow/api"
	"agentflow/consolidate"
	"agentflow/memory"
)

// maxCloseFacts is how many facts close to another fact are listed.
const maxCloseFacts = 3

// CloseFactsResult lists the valid facts about the same thing as a fact that a person is about to
// state, the closest first.
type CloseFactsResult struct {
	Close    []api.CloseFact // never nil
	Degraded []string
}

// CloseFacts lists the facts that Remember would report as close to the fact of a request. It
// changes nothing. Errors are those of Remember.
func CloseFacts(ctx context.Context, m *Memory, req RememberRequest) (res CloseFactsResult, err error) {
	o := m.begin(ctx)
	defer o.end(&res.Degraded, &err)
	res.Close = []api.CloseFact{}
	now := time.Now()
	s, fact, err := newFact(ctx, o, req, o.openToWrite, now)
	if err != nil {
		return res, err
	}
	res.Close = closeFacts(ctx, s, fact.Redacted(s.redact.Text), now)
	return res, nil
}

// closeFacts lists at most maxCloseFacts valid facts in f's namespace that are about the same
// thing. It leaves out facts that state the same, have f's key, or are replaced by f.
func closeFacts(ctx context.Context, s *openMemory, f memory.Fact, now time.Time) []api.CloseFact {
	all, err := facts(ctx, s)
	if err != nil {
		s.warn("%v", err)
	}
	all = slices.DeleteFunc(all, func(k *storedFact) bool {
		sameKey := f.Key != "" && k.Key == f.Key
		return k.ID == "" || k.ID == f.ID || k.ID == f.Supersedes || sameKey || k.Namespace != f.Namespace || !k.Live(now) || k.File == feedback || sameFact(k.Fact, f)
	})
	list := []api.CloseFact{}
	for _, c := range consolidate.Close(f.Whole(), mapped(all, func(k *storedFact) string { return k.Whole() })) {
		k := all[c.At]
		list = append(list, api.CloseFact{ID: k.ID, Text: k.Whole(), Words: c.Words, File: k.file(), Line: k.StartLine})
	}
	return list[:min(len(list), maxCloseFacts)]
}

// restate records that a person states a fact that memory already holds, and reports whether that
// changed the fact. A fact of an agent becomes the person's. The paths are added to its paths: a
// fact that was about all files is then about these paths only.
func restate(ctx context.Context, s *openMemory, id string, paths []string) (f api.Fact, changed bool, err error) {
	item, err := find(ctx, s, id)
	if err != nil {
		return f, false, err
	}
	old, err := item.editable()
	if err != nil {
		return f, false, err
	}
	all := slices.Clone(old.Paths)
	for _, path := range paths {
		if !slices.Contains(all, path) {
			all = append(all, path)
		}
	}
	change := FactChange{Paths: &all, accept: !item.stated(old)}
	if !change.accept && len(all) == len(old.Paths) {
		return f, false, nil
	}
	var done EditResult
	err = edit(ctx, s, old, change, signer{source: item.source(old)}, &done)
	return done.Fact, err == nil, err
}

// stated reports whether a person states a fact of the item.
func (f storedItem) stated(fact memory.Fact) bool {
	fact.Source = f.source(fact)
	return fact.Stated()
}
