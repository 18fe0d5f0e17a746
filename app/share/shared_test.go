package share_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentflow/app"
	"agentflow/app/agent"
	"agentflow/app/consolidate"
	appfact "agentflow/app/fact"
	"agentflow/app/forget"
	"agentflow/app/list"
	"agentflow/app/recall"
	"agentflow/app/search"
	"agentflow/internal/testing/apptest"
	"agentflow/memory"
	"agentflow/memory/retrieval"
)

func same(a, b map[string]string) bool {
	if len(a) != len(b) {
		return false
	}
	for k, v := range a {
		if b[k] != v {
			return false
		}
	}
	return true
}

// TestContradictionsOfPeople: facts of several people with the same key are all kept, with
// their authors. Consolidation strikes none of them, and strikes nothing because of them.
func TestContradictionsOfPeople(t *testing.T) {
	all, places := apptest.People(t, "Ada", "Bob", "Cy")
	ada, bob, cy := all[0], all[1], all[2]
	apptest.Tell(t, ada, "The port is 1.", "port")
	apptest.Tell(t, ada, "We deploy on Mondays.", "deploy.day")
	apptest.Tell(t, ada, "The host is okapi.", "host")
	apptest.SyncAll(t, all...)
	mine := apptest.Must(appfact.Remember(t.Context(), bob, appfact.RememberRequest{Change: appfact.Change{Text: new("The port is 2."), Key: new("port")}}))(t)
	if len(mine.SameKey) != 1 || mine.SameKey[0].Author != "Ada" || mine.SameKey[0].Text != "The port is 1." || mine.Fact.SameKey[0] != mine.SameKey[0].ID {
		t.Errorf("Bob is told of %+v", mine.SameKey)
	}
	if same := apptest.Must(appfact.Remember(t.Context(), bob, appfact.RememberRequest{Change: appfact.Change{Text: new("The host is okapi."), Key: new("host")}}))(t).SameKey; len(same) > 0 {
		t.Errorf("who says the same contradicts: %+v", same)
	}
	apptest.Tell(t, cy, "We deploy on Fridays.", "deploy.day")
	apptest.SyncAll(t, all...)
	for name, m := range map[string]*app.Memory{"Ada": ada, "Bob": bob, "Cy": cy} {
		res := apptest.Must(list.Contradictions(t.Context(), m, appfact.ContradictionsRequest{Limit: 9, Most: 9}))(t)
		if res.Total != 2 || res.Groups[0].Key != "deploy.day" || len(res.Groups[0].Facts) != 2 || res.Groups[1].Key != "port" || len(res.Groups[1].Facts) != 2 {
			t.Fatalf("%s sees %+v", name, res.Groups)
		}
		authors := res.Groups[1].Facts[0].Author + "/" + res.Groups[1].Facts[1].Author
		if want := map[string]string{"Ada": "Bob/", "Bob": "/Ada", "Cy": "Bob/Ada"}[name]; authors != want {
			t.Errorf("%s: the port is said by %q", name, authors)
		}
	}
	shared := filepath.Join(places[1].Repo, ".agentflow/shared")
	before := apptest.Texts(t, shared)
	apptest.Must(consolidate.Consolidate(t.Context(), bob, consolidate.Request{}))(t)
	if !same(before, apptest.Texts(t, shared)) {
		t.Error("consolidation changed what others share")
	}
	apptest.SyncAll(t, all...)
	for _, m := range all {
		if got := apptest.Must(list.Contradictions(t.Context(), m, appfact.ContradictionsRequest{Limit: 9, Most: 9}))(t); got.Total != 2 {
			t.Errorf("something was settled by itself: %+v", got.Groups)
		}
		if struck := apptest.Must(list.List(t.Context(), m, list.Request{State: list.StruckFacts}))(t); struck.Total > 0 {
			t.Errorf("something was struck: %+v", struck.Facts)
		}
	}
}

// TestOthersEntries: an entry of another clone is shown whole, with its author. Only its
// author can change it. Forget hides it until it is restored.
func TestOthersEntries(t *testing.T) {
	all, places := apptest.People(t, "Ada", "Bob")
	ada, bob := all[0], all[1]
	id := apptest.Tell(t, ada, "The okapi sleeps in the pantry.", "okapi")
	apptest.Tell(t, ada, "The wombat digs.", "")
	apptest.SyncAll(t, all...)
	seen := func() (found []string) {
		t.Helper()
		search := apptest.Must(search.Search(t.Context(), bob, search.SearchRequest{Text: "okapi pantry", Limit: 5}))(t)
		for _, h := range search.Hits {
			if strings.Contains(h.Text, "okapi") {
				found = append(found, "search")
			}
		}
		if block := apptest.Must(recall.Recall(t.Context(), bob, recall.Request{Task: "where does the okapi sleep in the pantry"}))(t).Block; strings.Contains(block, "okapi sleeps") {
			found = append(found, "recall")
		}
		if _, err := list.Passage(t.Context(), bob, list.PassageRequest{Ref: id}); err == nil {
			found = append(found, "get")
		}
		if len(places[1].Holding("okapi", filepath.Join(places[1].Repo, ".agentflow/shared"))) > 0 {
			found = append(found, "files")
		}
		return found
	}
	res := apptest.Must(list.Show(t.Context(), bob, list.ShowRequest{Ref: id[len(id)-6:]}))(t)
	if res.Fact == nil || res.Author != "Ada" || res.Fact.Author != "Ada" || !strings.HasPrefix(res.Place, "shared/ada-") || res.Run.Author != "Ada" {
		t.Errorf("shown: %+v", res)
	}
	got := apptest.Must(list.Passage(t.Context(), bob, list.PassageRequest{Ref: id}))(t)
	if got.Author != "Ada" || !strings.Contains(got.Text, "okapi") {
		t.Errorf("read: %+v", got)
	}
	if again := apptest.Must(list.Passage(t.Context(), bob, list.PassageRequest{File: got.File, From: got.From, To: got.To}))(t); again.Text != got.Text {
		t.Errorf("read by its place: %+v", again)
	}
	for _, name := range []string{"shared/../memory/MEMORY.md", "shared/ada-00000000/x.md", "shared/authors.json"} {
		if _, err := list.Passage(t.Context(), bob, list.PassageRequest{File: name}); err == nil {
			t.Errorf("%s is read", name)
		}
	}
	text := "The okapi is awake."
	agent := agent.NewAgentSession(bob, appfact.Agent{Name: "claude"})
	for what, do := range map[string]func() error{
		"edit": func() error {
			_, err := appfact.Edit(t.Context(), bob, appfact.EditRequest{ID: id, Change: appfact.Change{Text: &text}})
			return err
		},
		"pin": func() error {
			_, err := appfact.Pin(t.Context(), bob, appfact.PinRequest{IDs: []string{id}, Pinned: true})
			return err
		},
		"strike": func() error {
			_, err := appfact.Remember(t.Context(), bob, appfact.RememberRequest{Change: appfact.Change{Text: &text}, Supersedes: id})
			return err
		},
		"agent": func() error { _, err := agent.Forget(t.Context(), id); return err },
		"diff":  func() error { _, err := list.Diff(t.Context(), bob, list.DiffRequest{Run: id}); return err },
	} {
		if err := do(); err == nil || app.AsError(err).Kind != app.KindRefused || !strings.Contains(err.Error(), `"Ada" shares`) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if s := seen(); strings.Join(s, " ") != "search recall get files" {
		t.Errorf("Bob sees it in %v", s)
	}
	plan := apptest.Must(forget.PlanForget(t.Context(), bob, forget.Request{IDs: []string{id}}))(t)
	if others, machines := plan.Others(); others != 1 || machines != 0 || plan.Targets[0].Author != "Ada" {
		t.Errorf("%+v", plan.Targets)
	}
	done := apptest.Must(forget.ApplyForget(t.Context(), bob, plan))(t)
	if len(done.Forgotten.Hidden) != 1 || len(done.Forgotten.Forgotten) != 0 {
		t.Errorf("%+v", done.Forgotten)
	}
	if s := seen(); len(s) > 0 {
		t.Errorf("it is hidden, and Bob sees it in %v", s)
	}
	apptest.Tell(t, ada, "The capybara swims.", "")
	apptest.SyncAll(t, all...)
	if err := os.RemoveAll(filepath.Join(places[1].Repo, ".agentflow/shared")); err != nil {
		t.Fatal(err)
	}
	apptest.SyncAll(t, all...)
	if s := seen(); len(s) > 0 {
		t.Errorf("after syncs Bob sees it in %v", s)
	}
	if hits := apptest.Must(search.Search(t.Context(), bob, search.SearchRequest{Text: "capybara swims", Limit: 5}))(t).Hits; len(hits) != 1 {
		t.Errorf("what is new: %+v", hits)
	}
	if lost := apptest.Must(forget.Lost(t.Context(), bob))(t).Lost; len(lost) != 1 || lost[0].ID != id {
		t.Errorf("what can be brought back: %+v", lost)
	}
	if back := apptest.Must(forget.Restore(t.Context(), bob, forget.RestoreRequest{IDs: []string{id[len(id)-6:]}}))(t).Restored; len(back) != 1 || back[0].ID != id {
		t.Errorf("%+v", back)
	}
	if s := seen(); strings.Join(s, " ") != "search recall get files" {
		t.Errorf("restored, Bob sees it in %v", s)
	}
	if hits := apptest.Must(search.Search(t.Context(), ada, search.SearchRequest{Text: "okapi pantry", Limit: 5}))(t).Hits; len(hits) == 0 {
		t.Error("Ada has lost it")
	}
}

// TestPurgeOfOthers: a purge of another clone's item hides it, and reports that it does not
// reach that clone and what to do.
func TestPurgeOfOthers(t *testing.T) {
	all, _ := apptest.People(t, "Ada", "Bob")
	id := apptest.Tell(t, all[0], "The okapi sleeps in the pantry.", "")
	apptest.SyncAll(t, all...)
	ctx, events := apptest.Heard(t.Context())
	plan := apptest.Must(forget.PlanForget(ctx, all[1], forget.Request{IDs: []string{id}, Purge: true}))(t)
	apptest.Must(forget.ApplyForget(ctx, all[1], plan))(t)
	said := ""
	for _, e := range *events {
		said += e.Text + "\n"
	}
	if !strings.Contains(said, `--purge does not reach it: "Ada" shares it`) || !strings.Contains(said, `ask "Ada" to run 'agentflow forget --purge`) {
		t.Errorf("it says %s", said)
	}
	if hits := apptest.Must(search.Search(context.Background(), all[1], search.SearchRequest{Text: "okapi pantry", Limit: 5}))(t).Hits; len(hits) > 0 {
		t.Errorf("%+v", hits)
	}
}

// TestTeamNamespace: a fact for all of a team's repositories is found in this one like the
// project's facts, alone if the search names the namespace, and in the clones that share it. Agents
// store none unless the user's settings let them write beyond the repository.
func TestTeamNamespace(t *testing.T) {
	all, places := apptest.People(t, "Ada", "Bob")
	apptest.Must(appfact.Remember(t.Context(), all[0], appfact.RememberRequest{Change: appfact.Change{Text: new("Okapis are reviewed by two."), Namespace: new("team")}}))(t)
	apptest.Must(appfact.Remember(t.Context(), all[0], appfact.RememberRequest{Change: appfact.Change{Text: new("Okapis live in the pantry.")}}))(t)
	apptest.Must(appfact.Remember(t.Context(), all[0], appfact.RememberRequest{Change: appfact.Change{Text: new("Okapis are drawn here."), Namespace: new("branch/x")}}))(t)
	apptest.SyncAll(t, all...)
	for i, m := range all {
		found := func(req search.SearchRequest) (texts string) {
			t.Helper()
			req.Text, req.Limit = "okapis", 9
			for _, h := range apptest.Must(search.Search(t.Context(), m, req))(t).Hits {
				texts += h.Text + "\n"
			}
			return texts
		}
		if both := found(search.SearchRequest{}); !strings.Contains(both, "reviewed") || !strings.Contains(both, "pantry") || strings.Contains(both, "drawn") {
			t.Errorf("%d finds %s", i, both)
		}
		if team := found(search.SearchRequest{Namespaces: []string{"team"}}); !strings.Contains(team, "reviewed") || strings.Contains(team, "drawn") {
			t.Errorf("%d finds with the team's namespace %s", i, team)
		}
		if team := found(search.SearchRequest{Filter: retrieval.Filter{Namespace: memory.TeamNamespace}}); !strings.Contains(team, "reviewed") || strings.Contains(team, "pantry") {
			t.Errorf("%d finds of the team alone %s", i, team)
		}
		list := apptest.Must(list.List(t.Context(), m, list.Request{Namespace: "team"}))(t)
		if list.Total != 1 || list.Facts[0].Namespace != "team" || list.Facts[0].Author != []string{"", "Ada"}[i] {
			t.Errorf("%d lists %+v", i, list.Facts)
		}
	}
	agent := agent.NewAgentSession(all[1], appfact.Agent{Name: "claude"})
	change := appfact.Change{Text: new("Agents decide."), Namespace: new("team")}
	_, err := agent.Remember(t.Context(), appfact.RememberRequest{Change: change})
	apptest.WantKind(t, err, app.KindRefused)
	fact := apptest.Must(agent.Remember(t.Context(), appfact.RememberRequest{Change: appfact.Change{Text: new("Agents ask.")}}))(t).Fact
	_, err = agent.Edit(t.Context(), appfact.EditRequest{ID: fact.ID, Change: appfact.Change{Namespace: new("team")}})
	apptest.WantKind(t, err, app.KindRefused)
	places[1].Settings("[tools]\nglobal = true\n")
	apptest.Must(agent.Remember(t.Context(), appfact.RememberRequest{Change: change}))(t)
}
