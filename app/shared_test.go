package app

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentflow/memory"
	"agentflow/share"
)

// people returns clones of one remote that share their memories, named after their users.
func people(t *testing.T, names ...string) (list []*Memory, places []*place) {
	t.Helper()
	remote := filepath.Join(t.TempDir(), "remote.git")
	for _, name := range names {
		p := newRepository(t)
		if len(list) == 0 {
			p.Git("init", "-q", "--bare", remote)
		}
		p.Git("config", "user.name", name)
		p.Git("remote", "add", "origin", remote)
		m := p.memory()
		plan := must(PlanShare(t.Context(), m, ShareRequest{What: share.All}))(t)
		must(ApplyShare(t.Context(), m, plan))(t)
		list, places = append(list, m), append(places, p)
	}
	return list, places
}

// sync syncs all clones until each has the memory of the others.
func syncAll(t *testing.T, list ...*Memory) {
	t.Helper()
	for range 2 {
		for _, m := range list {
			must(Sync(t.Context(), m, SyncRequest{}))(t)
		}
	}
}

// tell stores a fact and returns its id.
func tell(t *testing.T, m *Memory, text, key string) string {
	t.Helper()
	return must(Remember(t.Context(), m, RememberRequest{FactChange: FactChange{Text: &text, Key: &key}}))(t).Fact.ID
}

// texts returns the texts of all files below a folder, by name.
func texts(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			var text []byte
			text, err = os.ReadFile(path)
			found[path] = string(text)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

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
	all, places := people(t, "Ada", "Bob", "Cy")
	ada, bob, cy := all[0], all[1], all[2]
	tell(t, ada, "The port is 1.", "port")
	tell(t, ada, "We deploy on Mondays.", "deploy.day")
	tell(t, ada, "The host is okapi.", "host")
	syncAll(t, all...)
	mine := must(Remember(t.Context(), bob, RememberRequest{FactChange: FactChange{Text: new("The port is 2."), Key: new("port")}}))(t)
	if len(mine.SameKey) != 1 || mine.SameKey[0].Author != "Ada" || mine.SameKey[0].Text != "The port is 1." || mine.Fact.SameKey[0] != mine.SameKey[0].ID {
		t.Errorf("Bob is told of %+v", mine.SameKey)
	}
	if same := must(Remember(t.Context(), bob, RememberRequest{FactChange: FactChange{Text: new("The host is okapi."), Key: new("host")}}))(t).SameKey; len(same) > 0 {
		t.Errorf("who says the same contradicts: %+v", same)
	}
	tell(t, cy, "We deploy on Fridays.", "deploy.day")
	syncAll(t, all...)
	for name, m := range map[string]*Memory{"Ada": ada, "Bob": bob, "Cy": cy} {
		res := must(Contradictions(t.Context(), m, ContradictionsRequest{Limit: 9, Most: 9}))(t)
		if res.Total != 2 || res.Groups[0].Key != "deploy.day" || len(res.Groups[0].Facts) != 2 || res.Groups[1].Key != "port" || len(res.Groups[1].Facts) != 2 {
			t.Fatalf("%s sees %+v", name, res.Groups)
		}
		authors := res.Groups[1].Facts[0].Author + "/" + res.Groups[1].Facts[1].Author
		if want := map[string]string{"Ada": "Bob/", "Bob": "/Ada", "Cy": "Bob/Ada"}[name]; authors != want {
			t.Errorf("%s: the port is said by %q", name, authors)
		}
	}
	shared := filepath.Join(places[1].Repo, ".agentflow/shared")
	before := texts(t, shared)
	must(Consolidate(t.Context(), bob, ConsolidateRequest{}))(t)
	if !same(before, texts(t, shared)) {
		t.Error("consolidation changed what others share")
	}
	syncAll(t, all...)
	for _, m := range all {
		if got := must(Contradictions(t.Context(), m, ContradictionsRequest{Limit: 9, Most: 9}))(t); got.Total != 2 {
			t.Errorf("something was settled by itself: %+v", got.Groups)
		}
		if struck := must(List(t.Context(), m, ListRequest{State: StruckFacts}))(t); struck.Total > 0 {
			t.Errorf("something was struck: %+v", struck.Facts)
		}
	}
}

// TestOthersEntries: an entry of another clone is shown whole, with its author. Only its
// author can change it. Forget hides it until it is restored.
func TestOthersEntries(t *testing.T) {
	all, places := people(t, "Ada", "Bob")
	ada, bob := all[0], all[1]
	id := tell(t, ada, "The okapi sleeps in the pantry.", "okapi")
	tell(t, ada, "The wombat digs.", "")
	syncAll(t, all...)
	seen := func() (found []string) {
		t.Helper()
		search := must(Search(t.Context(), bob, SearchRequest{Text: "okapi pantry", Limit: 5}))(t)
		for _, h := range search.Hits {
			if strings.Contains(h.Text, "okapi") {
				found = append(found, "search")
			}
		}
		if block := must(Recall(t.Context(), bob, RecallRequest{Task: "where does the okapi sleep in the pantry"}))(t).Block; strings.Contains(block, "okapi sleeps") {
			found = append(found, "recall")
		}
		if _, err := Passage(t.Context(), bob, PassageRequest{Ref: id}); err == nil {
			found = append(found, "get")
		}
		if len(places[1].holding("okapi", filepath.Join(places[1].Repo, ".agentflow/shared"))) > 0 {
			found = append(found, "files")
		}
		return found
	}
	res := must(Show(t.Context(), bob, ShowRequest{Ref: id[len(id)-6:]}))(t)
	if res.Fact == nil || res.Author != "Ada" || res.Fact.Author != "Ada" || !strings.HasPrefix(res.Place, "shared/ada-") || res.Run.Author != "Ada" {
		t.Errorf("shown: %+v", res)
	}
	got := must(Passage(t.Context(), bob, PassageRequest{Ref: id}))(t)
	if got.Author != "Ada" || !strings.Contains(got.Text, "okapi") {
		t.Errorf("read: %+v", got)
	}
	if again := must(Passage(t.Context(), bob, PassageRequest{File: got.File, From: got.From, To: got.To}))(t); again.Text != got.Text {
		t.Errorf("read by its place: %+v", again)
	}
	for _, name := range []string{"shared/../memory/MEMORY.md", "shared/ada-00000000/x.md", "shared/authors.json"} {
		if _, err := Passage(t.Context(), bob, PassageRequest{File: name}); err == nil {
			t.Errorf("%s is read", name)
		}
	}
	text := "The okapi is awake."
	agent := NewAgentSession(bob, Agent{Name: "claude"})
	for what, do := range map[string]func() error{
		"edit": func() error {
			_, err := Edit(t.Context(), bob, EditRequest{ID: id, FactChange: FactChange{Text: &text}})
			return err
		},
		"pin": func() error { _, err := Pin(t.Context(), bob, PinRequest{IDs: []string{id}, Pinned: true}); return err },
		"strike": func() error {
			_, err := Remember(t.Context(), bob, RememberRequest{FactChange: FactChange{Text: &text}, Supersedes: id})
			return err
		},
		"agent": func() error { _, err := agent.Forget(t.Context(), id); return err },
		"diff":  func() error { _, err := Diff(t.Context(), bob, DiffRequest{Run: id}); return err },
	} {
		if err := do(); err == nil || AsError(err).Kind != KindRefused || !strings.Contains(err.Error(), `"Ada" shares`) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if s := seen(); strings.Join(s, " ") != "search recall get files" {
		t.Errorf("Bob sees it in %v", s)
	}
	plan := must(PlanForget(t.Context(), bob, ForgetRequest{IDs: []string{id}}))(t)
	if others, machines := plan.Others(); others != 1 || machines != 0 || plan.Targets[0].Author != "Ada" {
		t.Errorf("%+v", plan.Targets)
	}
	done := must(ApplyForget(t.Context(), bob, plan))(t)
	if len(done.Forgotten.Hidden) != 1 || len(done.Forgotten.Forgotten) != 0 {
		t.Errorf("%+v", done.Forgotten)
	}
	if s := seen(); len(s) > 0 {
		t.Errorf("it is hidden, and Bob sees it in %v", s)
	}
	tell(t, ada, "The capybara swims.", "")
	syncAll(t, all...)
	if err := os.RemoveAll(filepath.Join(places[1].Repo, ".agentflow/shared")); err != nil {
		t.Fatal(err)
	}
	syncAll(t, all...)
	if s := seen(); len(s) > 0 {
		t.Errorf("after syncs Bob sees it in %v", s)
	}
	if hits := must(Search(t.Context(), bob, SearchRequest{Text: "capybara swims", Limit: 5}))(t).Hits; len(hits) != 1 {
		t.Errorf("what is new: %+v", hits)
	}
	if lost := must(Lost(t.Context(), bob))(t).Lost; len(lost) != 1 || lost[0].ID != id {
		t.Errorf("what can be brought back: %+v", lost)
	}
	if back := must(Restore(t.Context(), bob, RestoreRequest{IDs: []string{id[len(id)-6:]}}))(t).Restored; len(back) != 1 || back[0].ID != id {
		t.Errorf("%+v", back)
	}
	if s := seen(); strings.Join(s, " ") != "search recall get files" {
		t.Errorf("restored, Bob sees it in %v", s)
	}
	if hits := must(Search(t.Context(), ada, SearchRequest{Text: "okapi pantry", Limit: 5}))(t).Hits; len(hits) == 0 {
		t.Error("Ada has lost it")
	}
}

// TestPurgeOfOthers: a purge of another clone's item hides it, and reports that it does not
// reach that clone and what to do.
func TestPurgeOfOthers(t *testing.T) {
	all, _ := people(t, "Ada", "Bob")
	id := tell(t, all[0], "The okapi sleeps in the pantry.", "")
	syncAll(t, all...)
	ctx, events := heard(t.Context())
	plan := must(PlanForget(ctx, all[1], ForgetRequest{IDs: []string{id}, Purge: true}))(t)
	must(ApplyForget(ctx, all[1], plan))(t)
	said := ""
	for _, e := range *events {
		said += e.Text + "\n"
	}
	if !strings.Contains(said, `--purge does not reach it: "Ada" shares it`) || !strings.Contains(said, `ask "Ada" to run 'agentflow forget --purge`) {
		t.Errorf("it says %s", said)
	}
	if hits := must(Search(context.Background(), all[1], SearchRequest{Text: "okapi pantry", Limit: 5}))(t).Hits; len(hits) > 0 {
		t.Errorf("%+v", hits)
	}
}

// TestTeamNamespace: a fact for all of a team's repositories is found in this one like the
// project's facts, alone if the search names the namespace, and in the clones that share it. Agents
// store none unless the user's settings let them write beyond the repository.
func TestTeamNamespace(t *testing.T) {
	all, places := people(t, "Ada", "Bob")
	must(Remember(t.Context(), all[0], RememberRequest{FactChange: FactChange{Text: new("Okapis are reviewed by two."), Namespace: new("team")}}))(t)
	must(Remember(t.Context(), all[0], RememberRequest{FactChange: FactChange{Text: new("Okapis live in the pantry.")}}))(t)
	must(Remember(t.Context(), all[0], RememberRequest{FactChange: FactChange{Text: new("Okapis are drawn here."), Namespace: new("branch/x")}}))(t)
	syncAll(t, all...)
	for i, m := range all {
		found := func(req SearchRequest) (texts string) {
			t.Helper()
			req.Text, req.Limit = "okapis", 9
			for _, h := range must(Search(t.Context(), m, req))(t).Hits {
				texts += h.Text + "\n"
			}
			return texts
		}
		if both := found(SearchRequest{}); !strings.Contains(both, "reviewed") || !strings.Contains(both, "pantry") || strings.Contains(both, "drawn") {
			t.Errorf("%d finds %s", i, both)
		}
		if team := found(SearchRequest{Namespaces: []string{"team"}}); !strings.Contains(team, "reviewed") || strings.Contains(team, "drawn") {
			t.Errorf("%d finds with the team's namespace %s", i, team)
		}
		if team := found(SearchRequest{Filter: memory.Filter{Namespace: memory.TeamNamespace}}); !strings.Contains(team, "reviewed") || strings.Contains(team, "pantry") {
			t.Errorf("%d finds of the team alone %s", i, team)
		}
		list := must(List(t.Context(), m, ListRequest{Namespace: "team"}))(t)
		if list.Total != 1 || list.Facts[0].Namespace != "team" || list.Facts[0].Author != []string{"", "Ada"}[i] {
			t.Errorf("%d lists %+v", i, list.Facts)
		}
	}
	agent := NewAgentSession(all[1], Agent{Name: "claude"})
	change := FactChange{Text: new("Agents decide."), Namespace: new("team")}
	_, err := agent.Remember(t.Context(), RememberRequest{FactChange: change})
	wantKind(t, err, KindRefused)
	fact := must(agent.Remember(t.Context(), RememberRequest{FactChange: FactChange{Text: new("Agents ask.")}}))(t).Fact
	_, err = agent.Edit(t.Context(), EditRequest{ID: fact.ID, FactChange: FactChange{Namespace: new("team")}})
	wantKind(t, err, KindRefused)
	places[1].Settings("[tools]\nglobal = true\n")
	must(agent.Remember(t.Context(), RememberRequest{FactChange: change}))(t)
}
