package app

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"agentflow/memory"
	"agentflow/memory/markdown"
)

// besideHits holds the hits of one memory for a query.
type besideHits struct {
	label    string // prefix of the paths of the hits
	hits     []memory.Hit
	files    []memory.LikelyFile
	degraded []string
}

// Names of the memories that can answer too late.
const (
	ownName    = "this memory"
	globalName = "your own memory"
	teamName   = "the team's server"
)

// askBeside starts a search of each of the other memories, and of the team's server. Each of the
// returned functions waits for one of the searches.
func askBeside(s *openMemory, g *gathering, q memory.Query) (waits []func() (besideHits, error, bool)) {
	q.Namespaces, q.Files, q.Beside = []string{memory.TeamNamespace}, 0, true
	forAll := q
	forAll.Filter.Namespace = memory.TeamNamespace
	ask := func(other Repository, q memory.Query) {
		waits = append(waits, begin(g, other.Name, func(ctx context.Context) (besideHits, error) { return askRepository(ctx, other, q) }))
	}
	if s.settings.Team.URL != "" {
		waits = append(waits, begin(g, teamName, func(ctx context.Context) (besideHits, error) { return askTeam(ctx, s, q) }))
	}
	for _, other := range s.beside {
		ask(other, q)
	}
	if len(s.beside) == 0 && (q.Filter.Namespace == "" || q.Filter.Namespace == memory.TeamNamespace) {
		for _, other := range s.others {
			ask(other, forAll)
		}
	}
	return waits
}

// askGlobal searches the user's own memory. First it writes the entries that other commands left in
// the log of that memory.
func askGlobal(ctx context.Context, s *openMemory, q memory.Query) (besideHits, error) {
	report, err := s.store.Settle(ctx)
	tellReport(s, report, err)
	q.Namespaces, q.Files, q.Beside = []string{memory.GlobalNamespace}, 0, true
	out, err := searchOne(ctx, s, q, nil)
	out.label = memory.GlobalLabel
	return out, ofGlobal(err)
}

// ofGlobal adds to an error that it comes from the user's own memory.
func ofGlobal(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("asking your own memory: %w", err)
}

func setRepository(hits []memory.Hit, name string) {
	for i := range hits {
		hits[i].Repository = name
	}
}

// inAny tries a memory, and then each of the other memories in turn until one has the item.
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

// askRepository searches the memory of a repository for another memory's query.
func askRepository(ctx context.Context, r Repository, q memory.Query) (out besideHits, err error) {
	s, err := r.Memory.silent().openToRead(ctx)
	if err == nil {
		out, err = searchOne(ctx, s, q, nil)
	}
	out.label = r.Name + ":"
	setRepository(out.hits, r.Name)
	if err != nil && AsError(err).Kind == KindNoPlace {
		return out, nil
	}
	if err != nil {
		err = fmt.Errorf("asking the memory of %s: %w", r.Name, err)
	}
	return out, err
}

// InRepository returns a hit of a search of All with the path that it has in its repository.
func InRepository(h memory.Hit) memory.Hit {
	if h.Repository != "" {
		h.Path = strings.TrimPrefix(h.Path, h.Repository+":")
	}
	return h
}

// unknown returns the hits that are not copies of a hit in others. Several memories can hold an
// entry that one clone shares.
func unknown(hits, others []memory.Hit) []memory.Hit {
	return slices.DeleteFunc(hits, func(h memory.Hit) bool {
		id := markdown.NamedHit(h).EntryID // the id is without the repository's name, as a team's server reports it
		return id != "" && slices.ContainsFunc(others, func(o memory.Hit) bool { return markdown.NamedHit(o).EntryID == id })
	})
}
