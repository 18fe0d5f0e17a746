package search

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"agentflow/app"
	"agentflow/app/standing"
	"agentflow/internal/gather"
	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/memory/retrieval"
)

// besideHits holds the hits of one memory for a query.
type besideHits struct {
	label    string // prefix of the paths of the hits
	hits     []retrieval.Hit
	files    []retrieval.LikelyFile
	degraded []string
}

// Names of the memories that can answer too late.
const (
	OwnName  = "this memory"
	TeamName = "the team's server"
)

// askBeside starts a search of each of the other memories, and of the team's server. Each of the
// returned functions waits for one of the searches.
func askBeside(s *app.Repo, g *gather.Parts, q retrieval.Query) (waits []func() (besideHits, error, bool)) {
	q.Namespaces, q.Files, q.Beside = []string{memory.TeamNamespace}, 0, true
	forAll := q
	forAll.Filter.Namespace = memory.TeamNamespace
	ask := func(other app.Repository, q retrieval.Query) {
		waits = append(waits, gather.Begin(g, other.Name, func(ctx context.Context) (besideHits, error) { return askRepository(ctx, other, q) }))
	}
	if s.Settings.Team.URL != "" {
		waits = append(waits, gather.Begin(g, TeamName, func(ctx context.Context) (besideHits, error) { return askTeam(ctx, s, q) }))
	}
	for _, other := range s.Beside {
		ask(other, q)
	}
	if len(s.Beside) == 0 && (q.Filter.Namespace == "" || q.Filter.Namespace == memory.TeamNamespace) {
		for _, other := range s.Others {
			ask(other, forAll)
		}
	}
	return waits
}

// askGlobal searches the user's own memory. First it writes the entries that other commands left in
// the log of that memory.
func askGlobal(ctx context.Context, s *app.Repo, q retrieval.Query) (besideHits, error) {
	report, err := s.Store.Settle(ctx)
	app.TellReport(s, report, err)
	q.Namespaces, q.Files, q.Beside = []string{memory.GlobalNamespace}, 0, true
	out, err := askMemory(ctx, s, q, nil)
	out.label = memory.GlobalLabel
	return out, standing.OfGlobal(err)
}

func setRepository(hits []retrieval.Hit, name string) {
	for i := range hits {
		hits[i].Repository = name
	}
}

// InAny tries a memory, and then each of the other memories in turn until one has the item.
func InAny[Result any](m *app.Memory, ask func(*app.Memory) (Result, error)) (Result, error) {
	res, err := ask(m)
	for _, other := range slices.Concat(m.Beside, m.Others) {
		if err == nil || app.AsError(err).Kind != app.KindNotFound && app.AsError(err).Kind != app.KindNoPlace {
			break
		}
		res, err = ask(other.Memory)
	}
	return res, err
}

// askRepository searches the memory of a repository for another memory's query.
func askRepository(ctx context.Context, r app.Repository, q retrieval.Query) (out besideHits, err error) {
	s, err := r.Memory.Silent().OpenToRead(ctx)
	if err == nil {
		out, err = askMemory(ctx, s, q, nil)
	}
	out.label = r.Name + ":"
	setRepository(out.hits, r.Name)
	if err != nil && app.AsError(err).Kind == app.KindNoPlace {
		return out, nil
	}
	if err != nil {
		err = fmt.Errorf("asking the memory of %s: %w", r.Name, err)
	}
	return out, err
}

// InRepository returns a hit of a search of All with the path that it has in its repository.
func InRepository(h retrieval.Hit) retrieval.Hit {
	if h.Repository != "" {
		h.Path = strings.TrimPrefix(h.Path, h.Repository+":")
	}
	return h
}

// unknown returns the hits that are not copies of a hit in others. Several memories can hold an
// entry that one clone shares.
func unknown(hits, others []retrieval.Hit) []retrieval.Hit {
	return slices.DeleteFunc(hits, func(h retrieval.Hit) bool {
		id := markdown.NamedHit(h).EntryID // the id is without the repository's name, as a team's server reports it
		return id != "" && slices.ContainsFunc(others, func(o retrieval.Hit) bool { return markdown.NamedHit(o).EntryID == id })
	})
}
