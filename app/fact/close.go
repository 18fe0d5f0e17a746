package fact

import (
	"context"
	"slices"
	"time"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/lookup"
)

// CloseFacts lists the facts that Remember would report as close to the fact of a request. It
// changes nothing. Errors are those of Remember.
func CloseFacts(ctx context.Context, m *app.Memory, req RememberRequest) (res lookup.CloseFactsResult, err error) {
	o := m.Begin(ctx)
	defer o.End(&res.Degraded, &err)
	res.Close = []api.CloseFact{}
	now := time.Now()
	s, fact, err := newFact(ctx, o, req, o.OpenToWrite, now)
	if err != nil {
		return res, err
	}
	res.Close = lookup.CloseFacts(ctx, s, fact.Redacted(s.Redact.Text), now)
	return res, nil
}

// restate records that a person states a fact that memory already holds, and reports whether that
// changed the fact. A fact of an agent becomes the person's. The paths are added to its paths: a
// fact that was about all files is then about these paths only.
func restate(ctx context.Context, s *app.Repo, id string, paths []string) (f api.Fact, changed bool, err error) {
	item, err := lookup.Find(ctx, s, id)
	if err != nil {
		return f, false, err
	}
	old, err := item.Editable()
	if err != nil {
		return f, false, err
	}
	all := slices.Clone(old.Paths)
	for _, path := range paths {
		if !slices.Contains(all, path) {
			all = append(all, path)
		}
	}
	change := Change{Paths: &all, Accept: !item.Stated(old)}
	if !change.Accept && len(all) == len(old.Paths) {
		return f, false, nil
	}
	var done lookup.EditResult
	err = edit(ctx, s, old, change, signer{source: item.Source(old)}, &done)
	return done.Fact, err == nil, err
}
