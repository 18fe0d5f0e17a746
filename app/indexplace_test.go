package app_test

import (
	"slices"
	"strings"
	"testing"

	"agentflow/app"
	"agentflow/app/fact"
	"agentflow/app/search"
	"agentflow/app/setup"
	"agentflow/internal/testing/apptest"
	"agentflow/internal/testing/pgtest"
)

// TestIndexInADatabase checks that the memory of a clone is searched through PostgreSQL, and without it while it is
// down.
func TestIndexInADatabase(t *testing.T) {
	server := pgtest.Started(t)
	dsn, err := server.Database(t.Context())
	apptest.Must(dsn, err)(t)
	p := apptest.NewRepository(t)
	p.InDatabase(dsn)
	m := p.Memory()
	apptest.Must(fact.Remember(t.Context(), m, fact.RememberRequest{Change: fact.Change{Text: new("The okapi sleeps in the pantry.")}}))(t)
	found := func(m *app.Memory, warned bool) {
		t.Helper()
		r := apptest.Must(search.Search(t.Context(), m, search.SearchRequest{Text: "where does the okapi sleep", Limit: 5}))(t)
		said := slices.ContainsFunc(r.Degraded, func(why string) bool { return strings.Contains(why, "the index is kept in memory") })
		if len(r.Hits) == 0 || !strings.Contains(r.Hits[0].Text, "pantry") || said != warned {
			t.Errorf("%d hits; %q", len(r.Hits), r.Degraded)
		}
	}
	found(m, false)
	if s := apptest.Must(setup.Status(t.Context(), m, setup.StatusRequest{}))(t); s.Status.Index.State != "current" || !strings.HasPrefix(s.Status.Index.Path, "postgres://") || s.Status.Index.Chunks == 0 {
		t.Errorf("%+v", s.Status.Index)
	}
	apptest.Must(0, server.Kill())(t)
	found(m, true)
	found(p.Memory(), true)
	apptest.Must(0, server.Start(t.Context()))(t)
	found(m, false)
	found(p.Memory(), false)

	p.Env = slices.DeleteFunc(p.Env, func(v string) bool { return strings.HasPrefix(v, "AGENTFLOW_DSN=") })
	found(p.Memory(), true)
}
