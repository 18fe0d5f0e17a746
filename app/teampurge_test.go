package app

import (
	"strings"
	"testing"
)

// TestTeamPurge: what is purged through a server is gone from the repositories and the
// folders of all servers, and the remote's ref does not lead to it.
func TestTeamPurge(t *testing.T) {
	w := newTeam(t, "shop")
	a, b := w.server().Repositories[0], w.server().Repositories[0]
	ada := w.caller(w.server(), TokenRequest{Name: "Ada", Writes: true})
	gone := storedBy(t, a.as(t, ada), "The okapi is asleep.")
	storedBy(t, a.as(t, ada), "The wombat is awake.")
	held := func(r Repository) string {
		t.Helper()
		must(0, r.Memory.refresh(t.Context()))(t)
		s := must(r.Memory.silent().openToShare(t.Context()))(t)
		return w.git(s.CommonDir, "cat-file", "--batch-all-objects", "--batch")
	}
	for _, r := range []Repository{a, b} {
		if !strings.Contains(held(r), "okapi is asleep") {
			t.Fatal("the text stands nowhere: this test sees nothing")
		}
	}
	plan := must(a.as(t, ada).PlanForget(t.Context(), ForgetRequest{IDs: []string{gone}, Purge: true}))(t)
	must(a.as(t, ada).ApplyForget(t.Context(), plan))(t)
	for name, r := range map[string]Repository{"first": a, "second": b} {
		text := held(r)
		if gone, kept := !strings.Contains(text, "okapi"), strings.Contains(text, "wombat is awake"); !gone || !kept {
			t.Errorf("the %s server: the purged text is gone %v, the other is kept %v", name, gone, kept)
		}
	}
	if log := w.git(w.remotes["shop"], "log", "-p", "refs/agentflow/memory"); strings.Contains(log, "okapi") || !strings.Contains(log, "wombat") {
		t.Errorf("the remote's ref leads to\n%s", log)
	}
}
