package team_test

import (
	"slices"
	"strings"
	"testing"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/forget"
	"agentflow/app/share"
	"agentflow/app/team"
	"agentflow/internal/testing/apptest"
	"agentflow/internal/testing/bytesearch"
	"agentflow/internal/testing/pgtest"

	"github.com/jackc/pgx/v5"
)

// TestTeamPurge: a purge through a server removes the text from the repositories and the
// folders of all servers, and from the remote's ref. Of PostgreSQL's files only the
// write-ahead log still holds the text, and the purge says so.
func TestTeamPurge(t *testing.T) {
	database := pgtest.Started(t)
	w := newTeamOn(t, apptest.Must(database.Database(t.Context()))(t), "shop")
	a, b := w.server().Repositories[0], w.server().Repositories[0]
	ada := w.caller(w.server(), team.TokenRequest{Name: "Ada", Writes: true})
	gone := apptest.StoredBy(t, asCaller(t, a, ada), "The okapi is asleep.")
	apptest.StoredBy(t, asCaller(t, a, ada), "The wombat is awake.")
	held := func(r app.Repository) string {
		t.Helper()
		apptest.Must(0, team.Refresh(t.Context(), r.Memory))(t)
		s := apptest.Must(share.OpenToShare(t.Context(), r.Memory.Silent()))(t)
		return w.git(s.CommonDir, "cat-file", "--batch-all-objects", "--batch")
	}
	for _, r := range []app.Repository{a, b} {
		if !strings.Contains(held(r), "okapi is asleep") {
			t.Fatal("the text stands nowhere: this test sees nothing")
		}
	}
	inDatabase := func() []string {
		t.Helper()
		c := apptest.Must(pgx.Connect(t.Context(), database.DSN("postgres")))(t)
		defer c.Close(t.Context())
		apptest.Must(c.Exec(t.Context(), "CHECKPOINT"))(t)
		return apptest.Must(bytesearch.Find("okapi is asleep", database.Data()))(t)
	}
	isLog := func(path string) bool { return strings.Contains(path, "pg_wal") }
	if !slices.ContainsFunc(inDatabase(), func(path string) bool { return !isLog(path) }) {
		t.Fatal("the database's tables do not hold the text: this test sees nothing")
	}
	plan := apptest.Must(forget.PlanForget(t.Context(), asCaller(t, a, ada), forget.Request{IDs: []string{gone}, Purge: true}))(t)
	done := apptest.Must(forget.ApplyForget(t.Context(), asCaller(t, a, ada), plan))(t)
	if !slices.ContainsFunc(done.Forgotten.Left, func(u api.Unreached) bool { return strings.Contains(u.Place, "write-ahead log") }) {
		t.Errorf("the purge does not name the write-ahead log: %+v", done.Forgotten.Left)
	}
	for name, r := range map[string]app.Repository{"first": a, "second": b} {
		text := held(r)
		if gone, kept := !strings.Contains(text, "okapi"), strings.Contains(text, "wombat is awake"); !gone || !kept {
			t.Errorf("the %s server: the purged text is gone %v, the other is kept %v", name, gone, kept)
		}
	}
	if log := w.git(w.remotes["shop"], "log", "-p", "refs/agentflow/memory"); strings.Contains(log, "okapi") || !strings.Contains(log, "wombat") {
		t.Errorf("the remote's ref leads to\n%s", log)
	}
	if left := slices.DeleteFunc(inDatabase(), isLog); len(left) > 0 {
		t.Errorf("PostgreSQL has the text in %q", left)
	}
}
