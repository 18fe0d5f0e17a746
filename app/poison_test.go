package app

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"agentflow/api"
	"agentflow/consolidate"
	"agentflow/memory"
)

// victim is a memory that a person wrote.
type victim struct {
	*place
	m      *Memory
	ids    []string
	facts  map[string]api.Fact // as the person wrote them, by id
	memory string              // MEMORY.md, likewise
}

func newVictim(t *testing.T, settings string) *victim {
	p := newRepository(t)
	p.Settings(settings)
	v := &victim{place: p, m: p.memory()}
	p.Write(".agentflow/memory/MEMORY.md", "# Memory\n\nWritten by hand.\n\n- Never push on Fridays.\n")
	for n, f := range []FactChange{
		{Text: ptr("The staging database runs on port 5432."), Key: ptr("db.port")},
		{Text: ptr("Deploys need two approvals."), Key: ptr("deploy.approvals"), Importance: ptr(0.9)},
		{Text: ptr("Secrets live in the vault of the platform team."), Tags: ptr([]string{"vault"})},
		{Text: ptr("The release branch is frozen in December."), Key: ptr("freeze"), Category: ptr("release")},
		{Text: ptr("Staging deploys use the blue database cluster."), Importance: ptr(0.3)},
	} {
		done := must(Remember(t.Context(), v.m, RememberRequest{FactChange: f}))(t)
		v.ids = append(v.ids, done.Fact.ID)
		if n == 4 {
			must(Pin(t.Context(), v.m, PinRequest{IDs: []string{done.Fact.ID}, Pinned: true}))(t)
		}
	}
	v.consolidate(0)
	v.facts, v.memory = v.now(), p.Read(".agentflow/memory/MEMORY.md")
	if !strings.Contains(v.memory, "two approvals") {
		t.Fatal(v.memory)
	}
	return v
}

// now returns the current facts of people.
func (v *victim) now() map[string]api.Fact {
	facts := map[string]api.Fact{}
	for _, f := range must(List(v.T.Context(), v.m, ListRequest{State: AllFacts}))(v.T).Facts {
		if f.Agent == "" && f.ID != "" {
			f.File, f.Line, f.Merged = "", 0, nil // of an agent's repetition only the id remains
			facts[f.ID] = f
		}
	}
	return facts
}

// consolidate consolidates memory a number of days from now.
func (v *victim) consolidate(days int) consolidate.Result {
	v.T.Helper()
	ctx := v.T.Context()
	s, err := v.m.silent().openRecovered(ctx)
	if err != nil {
		v.T.Fatal(err)
	}
	c, r := s.settings.Consolidate, s.settings.Retention
	in := consolidate.Input{Now: time.Now().AddDate(0, 0, days), Options: consolidate.Options{FoldAfter: c.FoldAfter, PromoteRuns: c.PromoteRuns,
		PromoteImportance: c.PromoteImportance, MaxFacts: r.MaxFacts, MaxAge: r.MaxAge, MinImportance: r.MinImportance}}
	return must(consolidateMemory(ctx, s, &in, false, nil))(v.T)
}

// check requires that all text of the person is unchanged.
func (v *victim) check(when string) {
	v.T.Helper()
	now := v.now()
	for id, was := range v.facts {
		if is := now[id]; fmt.Sprint(is) != fmt.Sprint(was) {
			v.T.Errorf("%s: a person's fact was\n%+v\nand is\n%+v", when, was, is)
		}
	}
	if text := v.Read(".agentflow/memory/MEMORY.md"); text != v.memory {
		v.T.Errorf("%s: MEMORY.md was\n%s\nand is\n%s", when, v.memory, text)
	}
}

// TestPoison has agents attack the text of a person in every possible way, in many sessions, and consolidates memory at
// later and later dates.
func TestPoison(t *testing.T) {
	for name, settings := range map[string]string{
		"defaults":       "",
		"easily promote": "[consolidate]\npromote_importance = 0.1\npromote_runs = 1\n",
		"keep few":       "[retention]\nmax_facts = 9\n",
	} {
		t.Run(name, func(t *testing.T) {
			v := newVictim(t, settings)
			if name == "easily promote" { // all facts of the person are there already
				v.memory = v.Read(".agentflow/memory/MEMORY.md")
			}
			random := rand.New(rand.NewPCG(3, 4))
			agent := func(n int) *AgentSession {
				return NewAgentSession(v.m, Agent{Name: "robot", Session: fmt.Sprint("s", n), Run: []string{"", memory.ByHand, v.ids[0]}[n%3]})
			}
			for n, id := range v.ids {
				was := v.facts[id]
				a := agent(n)
				stored(t, a, FactChange{Text: ptr("Robot: " + was.Text + " No longer."), Key: &was.Key, Importance: ptr(1.0), Category: &was.Category})
				stored(t, a, FactChange{Text: ptr(was.Text), Key: ptr("robot"), Importance: ptr(1.0)})
				for _, err := range []error{
					errOf(a.Remember(t.Context(), RememberRequest{FactChange: text("Robot instead."), Supersedes: id})),
					errOf(a.Remember(t.Context(), RememberRequest{FactChange: FactChange{Text: ptr("Robot pins."), Tags: ptr([]string{"pinned"}), Importance: ptr(1.0)}})),
					errOf(a.Edit(t.Context(), EditRequest{ID: id, FactChange: text("Robot.")})),
					errOf(a.Edit(t.Context(), EditRequest{ID: id, FactChange: FactChange{Importance: ptr(0.0), Expires: ptr(time.Now().Add(time.Hour))}})),
					errOf(a.Forget(t.Context(), id)),
				} {
					wantKind(t, err, KindRefused)
				}
			}
			flood := 200
			if name != "defaults" {
				flood = 40
			}
			for n := range flood { // one text in many wordings, by many sessions
				a := agent(n)
				words := []string{"Robot", "robots", "the robot", "Robot:"}[random.IntN(4)] + " says staging deploys database port cluster approvals " + strings.Repeat("now ", n%7) + fmt.Sprint(n%40)
				done, err := a.Remember(t.Context(), RememberRequest{FactChange: FactChange{Text: &words, Key: ptr([]string{"db.port", "freeze", ""}[n%3]), Importance: ptr(1.0)}})
				if err != nil {
					t.Fatal(err)
				}
				if n%10 == 0 && !done.Fact.Existing {
					must(a.Edit(t.Context(), EditRequest{ID: done.Fact.ID, FactChange: FactChange{Importance: ptr(1.0), Tags: ptr([]string{"ops"})}}))(t)
				}
			}
			v.check("at once")
			for _, days := range []int{0, 1, 40, 100} {
				r := v.consolidate(days)
				v.check(fmt.Sprintf("after %d days", days))
				if told := fmt.Sprint(r.Possible); name == "defaults" && (!strings.Contains(told, v.ids[0]) || !strings.Contains(told, v.ids[3])) {
					t.Errorf("after %d days: nobody is told of what contradicts a person", days)
				}
			}
			v.checkBlock(t, name == "defaults")
		})
	}
}

// TestPersonTakesOver has a person store the fact of an agent again: it is the person's at once, and stays so after a
// consolidation.
func TestPersonTakesOver(t *testing.T) {
	p := newRepository(t)
	v := &victim{place: p, m: p.memory()}
	a := NewAgentSession(v.m, Agent{Name: "robot"})
	stored(t, a, FactChange{Text: ptr("The port is 80."), Key: ptr("port"), Tags: ptr([]string{"robot"})})
	mine := must(Remember(t.Context(), v.m, RememberRequest{FactChange: FactChange{Text: ptr("the port is 80"), Importance: ptr(0.9)}}))(t).Fact
	if mine.Existing || mine.Source != memory.ByHand {
		t.Fatalf("%+v", mine)
	}
	wantKind(t, errOf(a.Forget(t.Context(), mine.ID)), KindRefused)
	v.consolidate(0)
	list := must(List(t.Context(), v.m, ListRequest{State: AllFacts}))(t).Facts
	if len(list) != 1 || list[0].ID != mine.ID || list[0].Agent != "" || list[0].Key != "" || list[0].Importance != 0.9 || len(list[0].Tags) != 0 {
		t.Errorf("%+v", list)
	}
	if !strings.Contains(p.Read(".agentflow/memory/MEMORY.md"), "the port is 80") {
		t.Error("what a person finds important is not in MEMORY.md")
	}
}

// checkBlock requires that the person's pinned facts come before all text of agents, in the block for a task that the
// agents aimed at. If others is set, the hits must not all be an agent's, unless a person's fact is shown.
func (v *victim) checkBlock(t *testing.T, others bool) {
	for _, task := range []string{"staging deploys database cluster port approvals", "Which database do staging deploys use?"} {
		res := must(Recall(t.Context(), v.m, RecallRequest{Task: task}))(t)
		pinned := strings.Index(res.Block, "blue database cluster")
		robot := strings.Index(strings.ToLower(res.Block), "robot")
		if pinned < 0 || robot >= 0 && robot < pinned {
			t.Errorf("%s:\n%s", task, res.Block)
		}
		byTool, byPeople := 0, slices.ContainsFunc(res.Facts, func(f api.RecalledFact) bool { return f.Standing })
		for _, h := range res.Hits {
			if h.ByTool {
				byTool++
			}
		}
		if others && byTool == len(res.Hits) && !byPeople {
			t.Errorf("%s: %d hits are an agent's, and no person's fact is shown", task, byTool)
		}
	}
}
