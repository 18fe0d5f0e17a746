package app

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"agentflow/memory"
)

// besideMemory is another memory that is searched beside one.
type besideMemory struct {
	name   string
	memory *Memory
}

// besideHits are what another memory has for a question.
type besideHits struct {
	label    string // before the paths of the hits
	hits     []memory.Hit
	degraded []string
}

// askBeside begins to ask the memories beside this one, and the team's server. The result
// waits for their answers.
func (s *openMemory) askBeside(ctx context.Context, q memory.Query) (wait func() []besideHits) {
	q.Namespaces, q.Files, q.Beside = nil, 0, true
	list := make([]besideHits, len(s.beside)+1)
	var all sync.WaitGroup
	for i, other := range s.beside {
		all.Go(func() { list[i] = other.ask(ctx, q) })
	}
	all.Go(func() { list[len(s.beside)] = s.askTeam(ctx, q) })
	return func() []besideHits {
		all.Wait()
		return list
	}
}

func (b besideMemory) ask(ctx context.Context, q memory.Query) (out besideHits) {
	o := b.memory.silent()
	out.label = b.name + ":"
	s, err := o.openToRead(ctx)
	if err == nil {
		found, degraded, e := s.searchOne(ctx, q, nil)
		out.hits, out.degraded, err = found.Hits, degraded, e
	}
	for i := range out.hits {
		out.hits[i].Repository = b.name
	}
	if err != nil && AsError(err).Kind != KindNoPlace {
		out.degraded = append(out.degraded, fmt.Sprintf("asking the memory of %s: %v", b.name, err))
	}
	return out
}

// unknown are the hits that stand for nothing that others have found: what one clone
// shares, several memories hold.
func unknown(hits, others []memory.Hit) []memory.Hit {
	return slices.DeleteFunc(hits, func(h memory.Hit) bool {
		return h.EntryID != "" && slices.ContainsFunc(others, func(o memory.Hit) bool { return o.EntryID == h.EntryID })
	})
}
