package propose_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"agentflow/app"
	"agentflow/app/agent"
	"agentflow/app/api"
	"agentflow/app/consolidate"
	"agentflow/app/fact"
	"agentflow/app/forget"
	applist "agentflow/app/list"
	"agentflow/app/propose"
	"agentflow/internal/propose/proposals"
	"agentflow/internal/testing/apptest"
	"agentflow/memory"
	"agentflow/memory/changeset"
	"agentflow/memory/markdown"
)

func waiting(t *testing.T, m *app.Memory) []api.Proposal {
	t.Helper()
	res, err := propose.Review(t.Context(), m, propose.ReviewRequest{})
	if err != nil || len(res.Degraded) > 0 {
		t.Fatal(res.Degraded, err)
	}
	return res.Review.Proposals
}

// noted adds proposals to the list, as a session does.
func noted(t *testing.T, m *app.Memory, list ...proposals.Proposal) {
	t.Helper()
	o := m.Begin(t.Context())
	s, err := o.OpenToWrite(t.Context())
	if err == nil {
		err = propose.ChangeProposals(t.Context(), s, time.Now(), func(p *proposals.List) bool {
			for _, w := range list {
				p.Add(w)
			}
			return true
		})
	}
	if err != nil {
		t.Fatal(err)
	}
}

func correction(text string) proposals.Proposal {
	return proposals.Proposal{ID: proposals.ID("fact", text), Kind: propose.FromCorrection, Text: text, Sentence: "no, " + text, At: time.Now()}
}

// hold reports whether the fact with an id is live, and whether a person states it.
func hold(t *testing.T, m *app.Memory, id string) (holds, stated bool) {
	t.Helper()
	list, err := applist.List(t.Context(), m, applist.Request{})
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(list.Facts, func(f api.Fact) bool { return f.ID == id })
	if i < 0 {
		return false, false
	}
	f := list.Facts[i]
	return true, memory.Fact{Text: f.Text, Source: f.Source, Agent: f.Agent, Edited: f.Edited}.Stated()
}

func TestReview(t *testing.T) {
	m := apptest.NewRepository(t).Memory()
	apptest.Stored(t, agent.NewAgentSession(m, fact.Agent{Name: "robot"}), fact.Change{Text: new("The parser is recursive.")})
	noted(t, m, correction("We never deploy on Fridays."), correction("Use tabs, not spaces."), correction("Say please."))
	list := waiting(t, m)
	if len(list) != 4 || list[0].Text != "Say please." || list[3].Kind != "agent" || list[3].Agent != "robot" {
		t.Fatalf("%+v", list)
	}
	if _, stated := hold(t, m, list[3].ID); stated {
		t.Error("what an agent stored is stated")
	}

	done, err := propose.AcceptProposals(t.Context(), m, propose.AcceptRequest{IDs: []string{list[2].ID, memory.ShortID(list[3].ID)}})
	if err != nil || len(done.Reviewed) != 2 || done.Reviewed[1].Fact != list[3].ID {
		t.Fatalf("%+v, %v", done, err)
	}
	for _, r := range done.Reviewed {
		if holds, stated := hold(t, m, r.Fact); !holds || !stated {
			t.Errorf("%+v: holds %v, stated %v", r, holds, stated)
		}
	}
	fact, err := applist.Show(t.Context(), m, applist.ShowRequest{Ref: done.Reviewed[0].Fact})
	if err != nil || fact.Fact.Reason != "no, We never deploy on Fridays." {
		t.Errorf("the sentence is lost: %+v, %v", fact, err)
	}
	edited, err := propose.AcceptProposals(t.Context(), m, propose.AcceptRequest{IDs: []string{list[1].ID}, Text: "Indent with tabs."})
	if err != nil || edited.Reviewed[0].Text != "Indent with tabs." {
		t.Errorf("%+v, %v", edited, err)
	}
	if _, err := propose.DropProposals(t.Context(), m, []string{list[0].ID}); err != nil {
		t.Error(err)
	}
	noted(t, m, correction("Say please."), correction("Use tabs, not spaces."))
	if list := waiting(t, m); len(list) != 0 {
		t.Errorf("it comes back: %+v", list)
	}
	_, err = propose.AcceptProposals(t.Context(), m, propose.AcceptRequest{IDs: []string{list[0].ID}})
	apptest.WantKind(t, err, app.KindNotFound)
	_, err = propose.AcceptProposals(t.Context(), m, propose.AcceptRequest{})
	apptest.WantKind(t, err, app.KindUsage)
}

// Memory is opened once for all accepted proposals, so the bad setting is reported once.
func TestAcceptOpensMemoryOnce(t *testing.T) {
	p := apptest.NewRepository(t)
	m := p.Memory()
	gone := apptest.Remembered(t, m, "The parser needs yacc.")
	said := apptest.Stored(t, agent.NewAgentSession(m, fact.Agent{Name: "robot"}), fact.Change{Text: new("The parser is recursive.")}).Fact.ID
	noted(t, m, correction("We never deploy on Fridays."), correction("Say please."), proposals.Proposal{ID: memory.HashID("gone"), Kind: propose.ForRetirement, Text: "The parser needs yacc.", Fact: gone, At: time.Now()})
	var ids []string
	for _, w := range waiting(t, m) {
		ids = append(ids, w.ID)
	}
	p.Write(".agentflow/config.toml", "odd = 1\n")
	ctx, events := apptest.Heard(t.Context())
	done, err := propose.AcceptProposals(ctx, m, propose.AcceptRequest{IDs: ids})
	if err != nil || len(done.Reviewed) != 4 || len(waiting(t, m)) != 0 {
		t.Fatalf("%+v, %v", done, err)
	}
	if holds, _ := hold(t, m, gone); holds {
		t.Error("the retired fact holds")
	}
	if holds, stated := hold(t, m, said); !holds || !stated {
		t.Error("the agent's fact is not the person's")
	}
	odd := slices.DeleteFunc(*events, func(e app.Event) bool { return !strings.Contains(e.Text, "odd") })
	if len(odd) != 1 {
		t.Errorf("memory was opened %d times: %+v", len(odd), odd)
	}
}

// One refusal leaves the others accepted, and is named.
func TestAcceptTheOthers(t *testing.T) {
	m := apptest.NewRepository(t).Memory()
	gone := apptest.Remembered(t, m, "The parser needs yacc.")
	retirement := func(id string) proposals.Proposal {
		return proposals.Proposal{ID: memory.HashID(id), Kind: propose.ForRetirement, Text: "The parser needs yacc.", Fact: gone, At: time.Now()}
	}
	noted(t, m, correction("Say please."), retirement("a second time"), retirement("at first"))
	var ids []string
	for _, w := range waiting(t, m) {
		ids = append(ids, w.ID)
	}
	done, err := propose.AcceptProposals(t.Context(), m, propose.AcceptRequest{IDs: ids})
	apptest.WantKind(t, err, app.KindNotFound)
	if len(done.Reviewed) != 2 || len(done.Refused) != 1 || !strings.Contains(done.Refused[0].Error(), memory.ShortID(ids[1])) || !strings.Contains(err.Error(), "1 of 3") {
		t.Errorf("%+v, %v", done, err)
	}
	if list := waiting(t, m); len(list) != 0 {
		t.Errorf("%+v wait", list)
	}
}

// An accepted proposal waits again after its effect is undone, and is settled when the undo is undone.
func TestUndoneProposalsWait(t *testing.T) {
	m := apptest.NewRepository(t).Memory()
	gone := apptest.Remembered(t, m, "The parser needs yacc.")
	noted(t, m, correction("We never deploy on Fridays."), proposals.Proposal{ID: memory.HashID("gone"), Kind: propose.ForRetirement, Text: "The parser needs yacc.", Fact: gone, At: time.Now()})
	for _, w := range waiting(t, m) {
		if _, err := propose.AcceptProposals(t.Context(), m, propose.AcceptRequest{IDs: []string{w.ID}}); err != nil {
			t.Fatal(err)
		}
		undo := func(id string) string {
			plan, err := forget.PlanMemoryUndo(t.Context(), m, forget.MemoryUndoRequest{ID: id})
			if err == nil {
				var res forget.MemoryUndoResult
				res, err = propose.ApplyMemoryUndo(t.Context(), m, plan)
				id = res.Undo
			}
			if err != nil {
				t.Fatal(w.Kind, err)
			}
			return id
		}
		id := undo("")
		if list := waiting(t, m); len(list) == 0 || list[0].ID != w.ID || list[0].Text != w.Text || list[0].Fact != w.Fact {
			t.Errorf("%s: %+v wait after the undo", w.Kind, list)
		}
		undo(id)
		if list := waiting(t, m); slices.ContainsFunc(list, func(p api.Proposal) bool { return p.ID == w.ID }) {
			t.Errorf("%s: %+v wait after the undo of the undo", w.Kind, list)
		}
	}
}

// A fact of an agent that is dropped is forgotten, and comes back with restore.
func TestDropAFactOfAnAgent(t *testing.T) {
	m := apptest.NewRepository(t).Memory()
	id := apptest.Stored(t, agent.NewAgentSession(m, fact.Agent{Name: "robot"}), fact.Change{Text: new("The parser is recursive.")}).Fact.ID
	if done, err := propose.DropProposals(t.Context(), m, []string{id}); err != nil || done.Reviewed[0].Fact != id {
		t.Fatalf("%+v, %v", done, err)
	}
	if holds, _ := hold(t, m, id); holds {
		t.Error("it holds still")
	}
	if _, err := forget.Restore(t.Context(), m, forget.RestoreRequest{IDs: []string{id}}); err != nil {
		t.Error(err)
	}
	if holds, _ := hold(t, m, id); !holds {
		t.Error("it did not come back")
	}
}

// An agent cannot accept a proposal: a fact that it stores in the words of one is still an agent's.
func TestAgentsAcceptNothing(t *testing.T) {
	m := apptest.NewRepository(t).Memory()
	noted(t, m, correction("We never deploy on Fridays."))
	a := agent.NewAgentSession(m, fact.Agent{Name: "robot"})
	id := apptest.Stored(t, a, fact.Change{Text: new("We never deploy on Fridays.")}).Fact.ID
	if _, err := a.Edit(t.Context(), fact.EditRequest{ID: id, Change: fact.Change{Accept: true}}); err != nil {
		t.Fatal(err)
	}
	if _, stated := hold(t, m, id); stated {
		t.Error("an agent made its fact a person's")
	}
	if list := waiting(t, m); len(list) != 2 {
		t.Errorf("%+v", list)
	}
}

// A purge reaches the sentence, and drops the proposal.
func TestPurgeOfAProposal(t *testing.T) {
	p := apptest.NewRepository(t)
	m := p.Memory()
	const secret = "The staging password of the okapi is Tuesday."
	id := apptest.Remembered(t, m, secret)
	noted(t, m, correction("Say please."), proposals.Proposal{ID: proposals.ID("fact", "x"), Kind: propose.FromCorrection, Text: secret, Sentence: secret, At: time.Now()})
	plan, err := forget.PlanForget(t.Context(), m, forget.Request{IDs: []string{id}, Purge: true})
	if err == nil {
		_, err = forget.ApplyForget(t.Context(), m, plan)
	}
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(p.Repo, ".git", "agentflow", "proposals.json"))
	if err != nil || strings.Contains(string(data), "okapi") {
		t.Errorf("%s, %v", data, err)
	}
	if list := waiting(t, m); len(list) != 1 || list[0].Text != "Say please." {
		t.Errorf("%+v", list)
	}
}

// Many processes that add proposals at once lose none.
func TestProposalsAtOnce(t *testing.T) {
	p := apptest.NewRepository(t)
	p.Memory()
	done := make(chan struct{})
	for i := range 8 {
		go func() {
			defer func() { done <- struct{}{} }()
			noted(t, p.Memory(), correction("Use the tool number "+string(rune('a'+i))+"."))
		}()
	}
	for range 8 {
		<-done
	}
	if list := waiting(t, p.Memory()); len(list) != 8 {
		t.Errorf("%d proposals", len(list))
	}
}

// Consolidation proposes to retire facts that a newer fact denies, and long unused facts that name only missing files.
// No fact is removed before a person accepts.
func TestRetirementsAreProposed(t *testing.T) {
	p := apptest.NewRepository(t)
	m := p.Memory()
	long := time.Now().AddDate(0, 0, -300)
	p.Write("kept.go", "package a\n")
	old := []memory.Fact{
		{ID: "0199a1b2-0000-7000-8000-000000000001", Text: "Use pnpm, never npm", Created: long},
		{ID: "0199a1b2-0000-7000-8000-000000000002", Text: "The tokens are checked in auth/gone.go.", Created: long},
		{ID: "0199a1b2-0000-7000-8000-000000000003", Text: "The cookies of kept.go and auth/gone.go are signed.", Created: long},
		{ID: "0199a1b2-0000-7000-8000-000000000004", Text: "The notes of auth/never.go are elsewhere.", Created: long},
	}
	run := memory.Entry{ID: "0199a1b2-0000-7000-8000-000000000005", Kind: memory.KindRun, Time: long, Title: "Check tokens", Agent: "claude", Result: &memory.Result{Success: true}}
	run.Changes.Items = []changeset.Change{{Path: "auth/gone.go", Status: changeset.StatusAdded}, {Path: "kept.go", Status: changeset.StatusAdded}}
	text := string(markdown.FormatV2(run))
	for _, f := range old {
		f.Type, f.Importance, f.Source = memory.Semantic, 0.5, memory.ByHand
		text += string(markdown.FormatV2(memory.Entry{ID: "0199a1b2-0000-7000-8000-0000000001" + f.ID[34:], Kind: memory.KindNote, Time: long, Facts: []memory.Fact{f}}))
	}
	p.Write(".agentflow/memory/"+memory.DayFile(long), text)
	apptest.Remembered(t, m, "Use npm, pnpm was dropped")
	dry, err := consolidate.Consolidate(t.Context(), m, consolidate.Request{DryRun: true})
	if err != nil || dry.Proposed != 0 || len(waiting(t, m)) > 0 {
		t.Fatalf("%+v, %v", dry, err)
	}
	done, err := consolidate.Consolidate(t.Context(), m, consolidate.Request{})
	list := waiting(t, m)
	if err != nil || done.Proposed != 2 || len(list) != 2 || len(done.Degraded) > 0 {
		t.Fatalf("%+v, %v, %+v", done, err, list)
	}
	if list[0].Fact != old[1].ID || !strings.HasPrefix(list[0].Reason, "auth/gone.go is gone") || list[1].Fact != old[0].ID {
		t.Errorf("%+v", list)
	}
	for _, f := range old {
		if holds, _ := hold(t, m, f.ID); !holds {
			t.Errorf("%q went before anybody accepted it", f.Text)
		}
	}
	if _, err := propose.DropProposals(t.Context(), m, []string{list[0].ID}); err != nil {
		t.Fatal(err)
	}
	if _, err := propose.AcceptProposals(t.Context(), m, propose.AcceptRequest{IDs: []string{list[1].ID}}); err != nil {
		t.Fatal(err)
	}
	if holds, _ := hold(t, m, old[0].ID); holds {
		t.Error("an accepted retirement left the fact")
	}
	if holds, _ := hold(t, m, old[1].ID); !holds {
		t.Error("a dropped retirement took the fact out")
	}
	if done, err = consolidate.Consolidate(t.Context(), m, consolidate.Request{}); err != nil || done.Proposed != 0 {
		t.Errorf("again: %+v, %v", done, err)
	}
}
