package forget_test

import (
	"errors"
	"strings"
	"testing"

	"agentflow/app"
	"agentflow/app/agent"
	"agentflow/app/consolidate"
	"agentflow/app/fact"
	appforget "agentflow/app/forget"
	"agentflow/app/list"
	"agentflow/app/propose"
	"agentflow/app/purge"
	"agentflow/app/search"
	"agentflow/app/setup"
	"agentflow/app/transfer"
	"agentflow/internal/testing/apptest"
)

// undone plans and applies an undo.
func undone(t *testing.T, m *app.Memory, id string) appforget.MemoryUndoResult {
	t.Helper()
	plan, err := appforget.PlanMemoryUndo(t.Context(), m, appforget.MemoryUndoRequest{ID: id})
	if err != nil || !plan.DryRun || plan.Undo != "" {
		t.Fatalf("%+v, %v", plan, err)
	}
	done, err := propose.ApplyMemoryUndo(t.Context(), m, plan)
	if err != nil || done.DryRun || done.Undo == "" || len(done.Degraded) > 0 {
		t.Fatalf("%+v, %v", done, err)
	}
	return done
}

// found reports whether a search finds a text.
func found(t *testing.T, m *app.Memory, words, text string) bool {
	t.Helper()
	res, err := search.Search(t.Context(), m, search.SearchRequest{Text: words, Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range res.Hits {
		if strings.Contains(h.Text, text) {
			return true
		}
	}
	return false
}

func TestMemoryUndoOfConsolidation(t *testing.T) {
	p := apptest.NewRepository(t)
	m, key := p.Memory(), "deploy.day"
	_, err := appforget.PlanMemoryUndo(t.Context(), m, appforget.MemoryUndoRequest{})
	apptest.WantKind(t, err, app.KindNoPlace)
	if _, err := setup.Init(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	_, err = appforget.PlanMemoryUndo(t.Context(), m, appforget.MemoryUndoRequest{})
	apptest.WantKind(t, err, app.KindNotFound)
	apptest.Remembered(t, m, "Seals eat at dawn.")
	for _, text := range []string{"We deploy on Mondays.", "We deploy on Tuesdays."} {
		if _, err := fact.Remember(t.Context(), m, fact.RememberRequest{Change: fact.Change{Text: &text, Key: &key}}); err != nil {
			t.Fatal(err)
		}
	}
	before := apptest.MemoryText(t, p.Repo)
	done, err := consolidate.Consolidate(t.Context(), m, consolidate.Request{})
	if err != nil || done.Undo == "" || apptest.MemoryText(t, p.Repo) == before {
		t.Fatalf("%+v, %v", done, err)
	}
	after := apptest.MemoryText(t, p.Repo)
	plan, err := appforget.PlanMemoryUndo(t.Context(), m, appforget.MemoryUndoRequest{})
	if err != nil || plan.Change.ID != done.Undo || plan.Change.Command != "consolidate" || len(plan.Files) != 1 || len(plan.AsBefore) != 1 || len(plan.Returns)+len(plan.Leaves)+len(plan.LeftOut) != 0 {
		t.Fatalf("%+v, %v", plan, err)
	}
	if apptest.MemoryText(t, p.Repo) != after {
		t.Error("a plan changed memory")
	}
	if found(t, m, "deploy Mondays", "Mondays") {
		t.Error("a struck fact is found")
	}
	by := undone(t, m, "")
	if apptest.MemoryText(t, p.Repo) != before || !found(t, m, "deploy Mondays", "Mondays") {
		t.Errorf("memory holds\n%s", apptest.MemoryText(t, p.Repo))
	}
	_, err = appforget.PlanMemoryUndo(t.Context(), m, appforget.MemoryUndoRequest{ID: done.Undo})
	apptest.WantKind(t, err, app.KindRefused)
	if hint := app.AsError(err).Hint; !strings.Contains(hint, "agentflow memory undo "+by.Undo[len(by.Undo)-6:]) {
		t.Errorf("%v: %s", err, hint)
	}
	if last, err := appforget.PlanMemoryUndo(t.Context(), m, appforget.MemoryUndoRequest{}); err != nil || last.Change.Command != "remember" {
		t.Errorf("%+v, %v", last, err)
	}
	_, err = propose.ApplyMemoryUndo(t.Context(), m, plan)
	if apptest.WantKind(t, err, app.KindRefused); !errors.Is(err, purge.ErrPlanChanged) {
		t.Error(err)
	}
	undone(t, m, by.Undo)
	if apptest.MemoryText(t, p.Repo) != after {
		t.Errorf("after the undo of the undo memory holds\n%s", apptest.MemoryText(t, p.Repo))
	}
	list, err := appforget.MemoryChanges(t.Context(), m)
	if err != nil || len(list.Changes) != 6 || list.Changes[2].ID != done.Undo || list.Changes[2].Undone || !list.Changes[1].Undone || list.Changes[1].Undoes != done.Undo {
		t.Errorf("%+v, %v", list, err)
	}
	undone(t, m, "")
	if apptest.MemoryText(t, p.Repo) != before {
		t.Errorf("memory holds\n%s", apptest.MemoryText(t, p.Repo))
	}
}

// TestMemoryUndoOfRemembered takes back a fact that a person stored. Then the fact that it replaced holds again. The undo
// leaves out a fact that an agent stored later.
func TestMemoryUndoOfRemembered(t *testing.T) {
	p := apptest.NewRepository(t)
	m, port := p.Memory(), "The port is 6543."
	old := apptest.Remembered(t, m, "The port is 5432.")
	before := apptest.MemoryText(t, p.Repo)
	if _, err := fact.Remember(t.Context(), m, fact.RememberRequest{Change: fact.Change{Text: &port}, Supersedes: old}); err != nil {
		t.Fatal(err)
	}
	after := apptest.MemoryText(t, p.Repo)
	said := apptest.Stored(t, agent.NewAgentSession(m, fact.Agent{Name: "robot"}), fact.Change{Text: apptest.Ptr("An agent says it.")})
	by := undone(t, m, "")
	if text := apptest.MemoryText(t, p.Repo); len(by.Leaves) != 1 || len(by.AsBefore) != 1 || !strings.Contains(text, "An agent says it.") || found(t, m, "port", "6543") || !found(t, m, "port", "5432") {
		t.Errorf("%+v\n%s", by, text)
	}
	undone(t, m, by.Undo)
	forget, err := appforget.PlanForget(t.Context(), m, appforget.Request{IDs: []string{said.Fact.ID}})
	if err == nil {
		_, err = appforget.ApplyForget(t.Context(), m, forget)
	}
	if text := apptest.MemoryText(t, p.Repo); err != nil || text != after {
		t.Errorf("%v\n%s\nwant\n%s", err, text, after)
	}
	list, err := appforget.MemoryChanges(t.Context(), m)
	if err != nil || len(list.Changes) != 5 {
		t.Fatalf("%+v, %v", list, err)
	}
	undone(t, m, list.Changes[3].ID)
	if text := apptest.MemoryText(t, p.Repo); text != before {
		t.Errorf("%s\nwant\n%s", text, before)
	}
	if done := undone(t, m, list.Changes[4].ID); len(done.Leaves) != 1 || found(t, m, "port", "5432") {
		t.Errorf("%+v", done)
	}
}

func TestMemoryUndoOfImport(t *testing.T) {
	p := apptest.NewRepository(t)
	m := p.Memory()
	apptest.Remembered(t, m, "Seals eat at dawn.")
	p.Write("notes/topics.md", "- Badgers dig tunnels.\n- Otters swim upstream.\n")
	imported := func() string {
		t.Helper()
		in, err := transfer.Import(t.Context(), m, transfer.ImportRequest{Paths: []string{p.Repo + "/notes"}})
		if err != nil || len(in.Added) != 2 || in.Undo == "" {
			t.Fatalf("%+v, %v", in, err)
		}
		return in.Undo
	}
	before := apptest.MemoryText(t, p.Repo)
	imported()
	if done := undone(t, m, ""); len(done.Leaves) != 2 || len(done.Returns) != 0 {
		t.Errorf("%+v", done)
	}
	if apptest.MemoryText(t, p.Repo) != before || found(t, m, "badgers tunnels", "Badgers") {
		t.Errorf("memory holds\n%s", apptest.MemoryText(t, p.Repo))
	}
	// It can be made again, and a fact of it that was forgotten stays away from the undo
	// of its undo.
	id := imported()
	list, err := list.List(t.Context(), m, list.Request{Words: []string{"otters"}})
	if err != nil || len(list.Facts) != 1 {
		t.Fatalf("%+v, %v", list, err)
	}
	otters := list.Facts[0].ID
	first := undone(t, m, id[len(id)-8:])
	undone(t, m, first.Undo)
	forget := func(req appforget.Request) {
		t.Helper()
		plan, err := appforget.PlanForget(t.Context(), m, req)
		if err == nil {
			_, err = appforget.ApplyForget(t.Context(), m, plan)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	forget(appforget.Request{IDs: []string{otters}})
	after := apptest.MemoryText(t, p.Repo)
	second := undone(t, m, id[len(id)-8:])
	undone(t, m, second.Undo)
	if apptest.MemoryText(t, p.Repo) != after || found(t, m, "otters", "Otters") {
		t.Errorf("memory holds\n%s", apptest.MemoryText(t, p.Repo))
	}
	forget(appforget.Request{IDs: []string{otters}, Purge: true})
	third := undone(t, m, id[len(id)-8:])
	undone(t, m, third.Undo)
	p.Write("notes/topics.md", "")
	if p.Holds("swim upstream") || apptest.MemoryText(t, p.Repo) != after {
		t.Errorf("a purged text is somewhere; memory holds\n%s", apptest.MemoryText(t, p.Repo))
	}
	// An edit at the same place refuses.
	p.Write(".agentflow/memory/MEMORY.md", strings.Replace(apptest.MemoryText(t, p.Repo), "dig tunnels", "dig holes", 1))
	_, err = appforget.PlanMemoryUndo(t.Context(), m, appforget.MemoryUndoRequest{ID: id[len(id)-8:]})
	apptest.WantKind(t, err, app.KindRefused)
	if app.AsError(err).Hint == "" || !strings.Contains(err.Error(), "MEMORY.md") {
		t.Errorf("%v", err)
	}
}

func TestMemoryUndoOfYourOwn(t *testing.T) {
	p := apptest.NewRepository(t)
	m := p.Memory()
	apptest.Remembered(t, m, "Seals eat at dawn.")
	in, err := transfer.Import(t.Context(), m, transfer.ImportRequest{Lines: strings.NewReader(`{"v":1,"kind":"fact","id":"0199aaaa-0000-7000-8000-00000000f001","text":"Badgers dig.","type":"semantic"}` + "\n"), Namespace: "global"})
	if err != nil || len(in.Added) != 1 || in.Undo == "" {
		t.Fatalf("%+v, %v", in, err)
	}
	done := undone(t, m, "")
	if done.Change.ID != in.Undo || len(done.Leaves) != 1 || !strings.HasPrefix(done.Leaves[0].File, "global:") || found(t, m, "badgers", "Badgers") {
		t.Errorf("%+v", done)
	}
	outside := apptest.NewFolder(t)
	_, err = appforget.PlanMemoryUndo(t.Context(), outside.Memory(), appforget.MemoryUndoRequest{ID: "f001"})
	apptest.WantKind(t, err, app.KindNoPlace)
	_, err = appforget.PlanMemoryUndo(t.Context(), m, appforget.MemoryUndoRequest{ID: "nothing"})
	apptest.WantKind(t, err, app.KindNotFound)
}
