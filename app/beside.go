package app

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"agentflow/memory"
)

// besideHits are what another memory has for a question.
type besideHits struct {
	label    string // before the paths of the hits
	hits     []memory.Hit
	degraded []string
}

// askBeside begins to ask the memories beside this one, and the team's server. The result
// waits for their answers.
func (s *openMemory) askBeside(ctx context.Context, q memory.Query) (wait func() []besideHits) {
	q.Namespaces, q.Files, q.Beside = []string{memory.TeamNamespace}, 0, true
	forAll := q
	forAll.Filter.Namespace = memory.TeamNamespace
	var asks []func() besideHits
	if s.settings.Team.URL != "" {
		asks = append(asks, func() besideHits { return s.askTeam(ctx, q) })
	}
	for _, other := range s.beside {
		asks = append(asks, func() besideHits { return other.ask(ctx, q) })
	}
	if len(s.beside) == 0 && (q.Filter.Namespace == "" || q.Filter.Namespace == memory.TeamNamespace) {
		for _, other := range s.others {
			asks = append(asks, func() besideHits { return other.ask(ctx, forAll) })
		}
	}
	list := make([]besideHits, len(asks))
	var all sync.WaitGroup
	for i, ask := range asks {
		all.Go(func() { list[i] = ask() })
	}
	return func() []besideHits {
		all.Wait()
		return list
	}
}

func setRepository(hits []memory.Hit, name string) {
	for i := range hits {
		hits[i].Repository = name
	}
}

// inAny asks a memory for what may stand in one beside it instead, in their order.
func inAny[Result any](m *Memory, ask func(*Memory) (Result, error)) (Result, error) {
	res, err := ask(m)
	for _, other := range slices.Concat(m.beside, m.others) {
		if err == nil || AsError(err).Kind != KindNotFound && AsError(err).Kind != KindNoPlace {
			break
		}
		res, err = ask(other.Memory)
	}
	return res, err
}

// ask asks a memory beside another one.
func (r Repository) ask(ctx context.Context, q memory.Query) (out besideHits) {
	o := r.Memory.silent()
	out.label = r.Name + ":"
	s, err := o.openToRead(ctx)
	if err == nil {
		found, degraded, e := s.searchOne(ctx, q, nil)
		out.hits, out.degraded, err = found.Hits, degraded, e
	}
	setRepository(out.hits, r.Name)
	if err != nil && AsError(err).Kind != KindNoPlace {
		out.degraded = append(out.degraded, fmt.Sprintf("asking the memory of %s: %v", r.Name, err))
	}
	return out
}

// InRepository is a hit of a search of All with its place in its repository.
func InRepository(h memory.Hit) memory.Hit {
	if h.Repository != "" {
		h.Path = strings.TrimPrefix(h.Path, h.Repository+":")
	}
	return h
}

// unknown are the hits that stand for nothing that others have found: what one clone
// shares, several memories hold.
func unknown(hits, others []memory.Hit) []memory.Hit {
	return slices.DeleteFunc(hits, func(h memory.Hit) bool {
		return h.EntryID != "" && slices.ContainsFunc(others, func(o memory.Hit) bool { return o.EntryID == h.EntryID })
	})
}
