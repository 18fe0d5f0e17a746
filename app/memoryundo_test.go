package app

import (
	"errors"
	"strings"
	"testing"
)

// undone plans and applies an undo.
func undone(t *testing.T, m *Memory, id string) MemoryUndoResult {
	t.Helper()
	plan, err := PlanMemoryUndo(t.Context(), m, MemoryUndoRequest{ID: id})
	if err != nil || !plan.DryRun || plan.Undo != "" {
		t.Fatalf("%+v, %v", plan, err)
	}
	done, err := ApplyMemoryUndo(t.Context(), m, plan)
	if err != nil || done.DryRun || done.Undo == "" || len(done.Degraded) > 0 {
		t.Fatalf("%+v, %v", done, err)
	}
	return done
}

// found reports whether a search finds a text.
func found(t *testing.T, m *Memory, words, text string) bool {
	t.Helper()
	res, err := Search(t.Context(), m, SearchRequest{Text: words, Limit: 10})
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
	p := newRepository(t)
	m, key := p.memory(), "deploy.day"
	_, err := PlanMemoryUndo(t.Context(), m, MemoryUndoRequest{})
	wantKind(t, err, KindNoPlace)
	if _, err := Init(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	_, err = PlanMemoryUndo(t.Context(), m, MemoryUndoRequest{})
	wantKind(t, err, KindNotFound)
	remembered(t, m, "Seals eat at dawn.")
	for _, text := range []string{"We deploy on Mondays.", "We deploy on Tuesdays."} {
		if _, err := Remember(t.Context(), m, RememberRequest{FactChange: FactChange{Text: &text, Key: &key}}); err != nil {
			t.Fatal(err)
		}
	}
	before := memoryText(t, p.Repo)
	done, err := Consolidate(t.Context(), m, ConsolidateRequest{})
	if err != nil || done.Undo == "" || memoryText(t, p.Repo) == before {
		t.Fatalf("%+v, %v", done, err)
	}
	after := memoryText(t, p.Repo)
	plan, err := PlanMemoryUndo(t.Context(), m, MemoryUndoRequest{})
	if err != nil || plan.Change.ID != done.Undo || plan.Change.Command != "consolidate" || len(plan.Files) != 1 || len(plan.AsBefore) != 1 || len(plan.Returns)+len(plan.Leaves)+len(plan.LeftOut) != 0 {
		t.Fatalf("%+v, %v", plan, err)
	}
	if memoryText(t, p.Repo) != after {
		t.Error("a plan changed memory")
	}
	if found(t, m, "deploy Mondays", "Mondays") {
		t.Error("a struck fact is found")
	}
	by := undone(t, m, "")
	if memoryText(t, p.Repo) != before || !found(t, m, "deploy Mondays", "Mondays") {
		t.Errorf("memory holds\n%s", memoryText(t, p.Repo))
	}
	_, err = PlanMemoryUndo(t.Context(), m, MemoryUndoRequest{ID: done.Undo})
	wantKind(t, err, KindRefused)
	if hint := AsError(err).Hint; !strings.Contains(hint, "agentflow memory undo "+by.Undo[len(by.Undo)-6:]) {
		t.Errorf("%v: %s", err, hint)
	}
	if last, err := PlanMemoryUndo(t.Context(), m, MemoryUndoRequest{}); err != nil || last.Change.Command != "remember" {
		t.Errorf("%+v, %v", last, err)
	}
	_, err = ApplyMemoryUndo(t.Context(), m, plan)
	if wantKind(t, err, KindRefused); !errors.Is(err, ErrPlanChanged) {
		t.Error(err)
	}
	undone(t, m, by.Undo)
	if memoryText(t, p.Repo) != after {
		t.Errorf("after the undo of the undo memory holds\n%s", memoryText(t, p.Repo))
	}
	list, err := MemoryChanges(t.Context(), m)
	if err != nil || len(list.Changes) != 6 || list.Changes[2].ID != done.Undo || list.Changes[2].Undone || !list.Changes[1].Undone || list.Changes[1].Undoes != done.Undo {
		t.Errorf("%+v, %v", list, err)
	}
	undone(t, m, "")
	if memoryText(t, p.Repo) != before {
		t.Errorf("memory holds\n%s", memoryText(t, p.Repo))
	}
}

// TestMemoryUndoOfRemembered takes back a fact that a person stored. Then the fact that it replaced holds again. The undo
// leaves out a fact that an agent stored later.
func TestMemoryUndoOfRemembered(t *testing.T) {
	p := newRepository(t)
	m, port := p.memory(), "The port is 6543."
	old := remembered(t, m, "The port is 5432.")
	before := memoryText(t, p.Repo)
	if _, err := Remember(t.Context(), m, RememberRequest{FactChange: FactChange{Text: &port}, Supersedes: old}); err != nil {
		t.Fatal(err)
	}
	after := memoryText(t, p.Repo)
	said := stored(t, NewAgentSession(m, Agent{Name: "robot"}), FactChange{Text: ptr("An agent says it.")})
	by := undone(t, m, "")
	if text := memoryText(t, p.Repo); len(by.Leaves) != 1 || len(by.AsBefore) != 1 || !strings.Contains(text, "An agent says it.") || found(t, m, "port", "6543") || !found(t, m, "port", "5432") {
		t.Errorf("%+v\n%s", by, text)
	}
	undone(t, m, by.Undo)
	forget, err := PlanForget(t.Context(), m, ForgetRequest{IDs: []string{said.Fact.ID}})
	if err == nil {
		_, err = ApplyForget(t.Context(), m, forget)
	}
	if text := memoryText(t, p.Repo); err != nil || text != after {
		t.Errorf("%v\n%s\nwant\n%s", err, text, after)
	}
	list, err := MemoryChanges(t.Context(), m)
	if err != nil || len(list.Changes) != 5 {
		t.Fatalf("%+v, %v", list, err)
	}
	undone(t, m, list.Changes[3].ID)
	if text := memoryText(t, p.Repo); text != before {
		t.Errorf("%s\nwant\n%s", text, before)
	}
	if done := undone(t, m, list.Changes[4].ID); len(done.Leaves) != 1 || found(t, m, "port", "5432") {
		t.Errorf("%+v", done)
	}
}

func TestMemoryUndoOfImport(t *testing.T) {
	p := newRepository(t)
	m := p.memory()
	remembered(t, m, "Seals eat at dawn.")
	p.Write("notes/topics.md", "- Badgers dig tunnels.\n- Otters swim upstream.\n")
	imported := func() string {
		t.Helper()
		in, err := Import(t.Context(), m, ImportRequest{Paths: []string{p.Repo + "/notes"}})
		if err != nil || len(in.Added) != 2 || in.Undo == "" {
			t.Fatalf("%+v, %v", in, err)
		}
		return in.Undo
	}
	before := memoryText(t, p.Repo)
	imported()
	if done := undone(t, m, ""); len(done.Leaves) != 2 || len(done.Returns) != 0 {
		t.Errorf("%+v", done)
	}
	if memoryText(t, p.Repo) != before || found(t, m, "badgers tunnels", "Badgers") {
		t.Errorf("memory holds\n%s", memoryText(t, p.Repo))
	}
	// It can be made again, and a fact of it that was forgotten stays away from the undo
	// of its undo.
	id := imported()
	list, err := List(t.Context(), m, ListRequest{Words: []string{"otters"}})
	if err != nil || len(list.Facts) != 1 {
		t.Fatalf("%+v, %v", list, err)
	}
	otters := list.Facts[0].ID
	first := undone(t, m, id[len(id)-8:])
	undone(t, m, first.Undo)
	forget := func(req ForgetRequest) {
		t.Helper()
		plan, err := PlanForget(t.Context(), m, req)
		if err == nil {
			_, err = ApplyForget(t.Context(), m, plan)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	forget(ForgetRequest{IDs: []string{otters}})
	after := memoryText(t, p.Repo)
	second := undone(t, m, id[len(id)-8:])
	undone(t, m, second.Undo)
	if memoryText(t, p.Repo) != after || found(t, m, "otters", "Otters") {
		t.Errorf("memory holds\n%s", memoryText(t, p.Repo))
	}
	forget(ForgetRequest{IDs: []string{otters}, Purge: true})
	third := undone(t, m, id[len(id)-8:])
	undone(t, m, third.Undo)
	p.Write("notes/topics.md", "")
	if p.holds("swim upstream") || memoryText(t, p.Repo) != after {
		t.Errorf("a purged text is somewhere; memory holds\n%s", memoryText(t, p.Repo))
	}
	// An edit at the same place refuses.
	p.Write(".agentflow/memory/MEMORY.md", strings.Replace(memoryText(t, p.Repo), "dig tunnels", "dig holes", 1))
	_, err = PlanMemoryUndo(t.Context(), m, MemoryUndoRequest{ID: id[len(id)-8:]})
	wantKind(t, err, KindRefused)
	if AsError(err).Hint == "" || !strings.Contains(err.Error(), "MEMORY.md") {
		t.Errorf("%v", err)
	}
}

func TestMemoryUndoOfYourOwn(t *testing.T) {
	p := newRepository(t)
	m := p.memory()
	remembered(t, m, "Seals eat at dawn.")
	in, err := Import(t.Context(), m, ImportRequest{Lines: strings.NewReader(`{"v":1,"kind":"fact","id":"0199aaaa-0000-7000-8000-00000000f001","text":"Badgers dig.","type":"semantic"}` + "\n"), Namespace: "global"})
	if err != nil || len(in.Added) != 1 || in.Undo == "" {
		t.Fatalf("%+v, %v", in, err)
	}
	done := undone(t, m, "")
	if done.Change.ID != in.Undo || len(done.Leaves) != 1 || !strings.HasPrefix(done.Leaves[0].File, "global:") || found(t, m, "badgers", "Badgers") {
		t.Errorf("%+v", done)
	}
	outside := newFolder(t)
	_, err = PlanMemoryUndo(t.Context(), outside.memory(), MemoryUndoRequest{ID: "f001"})
	wantKind(t, err, KindNoPlace)
	_, err = PlanMemoryUndo(t.Context(), m, MemoryUndoRequest{ID: "nothing"})
	wantKind(t, err, KindNotFound)
}
