package app

import (
	"slices"
	"strings"
	"testing"

	"agentflow/internal/testing/pgtest"
)

// inDatabase keeps the index of a place in a database.
func (p *place) inDatabase(dsn string) {
	p.Settings("[index]\nstore = \"postgres\"\n")
	p.Env = append(p.Env, "AGENTFLOW_DSN="+dsn)
}

// TestIndexInADatabase checks that the memory of a clone is searched through PostgreSQL, and without it while it is
// down.
func TestIndexInADatabase(t *testing.T) {
	server := pgtest.Started(t)
	dsn, err := server.Database(t.Context())
	must(dsn, err)(t)
	p := newRepository(t)
	p.inDatabase(dsn)
	m := p.memory()
	must(Remember(t.Context(), m, RememberRequest{FactChange: FactChange{Text: new("The okapi sleeps in the pantry.")}}))(t)
	found := func(m *Memory, warned bool) {
		t.Helper()
		r := must(Search(t.Context(), m, SearchRequest{Text: "where does the okapi sleep", Limit: 5}))(t)
		said := slices.ContainsFunc(r.Degraded, func(why string) bool { return strings.Contains(why, "the index is kept in memory") })
		if len(r.Hits) == 0 || !strings.Contains(r.Hits[0].Text, "pantry") || said != warned {
			t.Errorf("%d hits; %q", len(r.Hits), r.Degraded)
		}
	}
	found(m, false)
	if s := must(Status(t.Context(), m, StatusRequest{}))(t); s.Status.Index.State != "current" || !strings.HasPrefix(s.Status.Index.Path, "postgres://") || s.Status.Index.Chunks == 0 {
		t.Errorf("%+v", s.Status.Index)
	}
	must(0, server.Kill())(t)
	found(m, true)
	found(p.memory(), true)
	must(0, server.Start(t.Context()))(t)
	found(m, false)
	found(p.memory(), false)

	p.Env = slices.DeleteFunc(p.Env, func(v string) bool { return strings.HasPrefix(v, "AGENTFLOW_DSN=") })
	found(p.memory(), true)
}
