package propose_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"agentflow/app"
	"agentflow/app/agent"
	"agentflow/app/api"
	appconsolidate "agentflow/app/consolidate"
	"agentflow/app/fact"
	"agentflow/app/list"
	"agentflow/app/recall"
	"agentflow/internal/consolidate"
	"agentflow/internal/testing/apptest"
	"agentflow/memory"
)

// victim is a memory that a person wrote.
type victim struct {
	*apptest.Place
	m      *app.Memory
	ids    []string
	facts  map[string]api.Fact // as the person wrote them, by id
	memory string              // MEMORY.md, likewise
}

func newVictim(t *testing.T, settings string) *victim {
	p := apptest.NewRepository(t)
	p.Settings(settings)
	v := &victim{Place: p, m: p.Memory()}
	p.Write(".agentflow/memory/MEMORY.md", "# Memory\n\nWritten by hand.\n\n- Never push on Fridays.\n")
	for n, f := range []fact.Change{
		{Text: apptest.Ptr("The staging database runs on port 5432."), Key: apptest.Ptr("db.port")},
		{Text: apptest.Ptr("Deploys need two approvals."), Key: apptest.Ptr("deploy.approvals"), Importance: apptest.Ptr(0.9)},
		{Text: apptest.Ptr("Secrets live in the vault of the platform team."), Tags: apptest.Ptr([]string{"vault"})},
		{Text: apptest.Ptr("The release branch is frozen in December."), Key: apptest.Ptr("freeze"), Category: apptest.Ptr("release")},
		{Text: apptest.Ptr("Staging deploys use the blue database cluster."), Importance: apptest.Ptr(0.3)},
	} {
		done := apptest.Must(fact.Remember(t.Context(), v.m, fact.RememberRequest{Change: f}))(t)
		v.ids = append(v.ids, done.Fact.ID)
		if n == 4 {
			apptest.Must(fact.Pin(t.Context(), v.m, fact.PinRequest{IDs: []string{done.Fact.ID}, Pinned: true}))(t)
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
	for _, f := range apptest.Must(list.List(v.T.Context(), v.m, list.Request{State: list.AllFacts}))(v.T).Facts {
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
	s, err := v.m.Silent().OpenRecovered(ctx)
	if err != nil {
		v.T.Fatal(err)
	}
	c, r := s.Settings.Consolidate, s.Settings.Retention
	in := consolidate.Input{Now: time.Now().AddDate(0, 0, days), Options: consolidate.Options{FoldAfter: c.FoldAfter, PromoteRuns: c.PromoteRuns,
		PromoteImportance: c.PromoteImportance, MaxFacts: r.MaxFacts, MaxAge: r.MaxAge, MinImportance: r.MinImportance}}
	return apptest.Must(appconsolidate.ConsolidateMemory(ctx, s, &in, false, nil))(v.T)
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
			agent := func(n int) *agent.AgentSession {
				return agent.NewAgentSession(v.m, fact.Agent{Name: "robot", Session: fmt.Sprint("s", n), Run: []string{"", memory.ByHand, v.ids[0]}[n%3]})
			}
			for n, id := range v.ids {
				was := v.facts[id]
				a := agent(n)
				apptest.Stored(t, a, fact.Change{Text: apptest.Ptr("Robot: " + was.Text + " No longer."), Key: &was.Key, Importance: apptest.Ptr(1.0), Category: &was.Category})
				apptest.Stored(t, a, fact.Change{Text: apptest.Ptr(was.Text), Key: apptest.Ptr("robot"), Importance: apptest.Ptr(1.0)})
				for _, err := range []error{
					apptest.ErrOf(a.Remember(t.Context(), fact.RememberRequest{Change: apptest.Text("Robot instead."), Supersedes: id})),
					apptest.ErrOf(a.Remember(t.Context(), fact.RememberRequest{Change: fact.Change{Text: apptest.Ptr("Robot pins."), Tags: apptest.Ptr([]string{"pinned"}), Importance: apptest.Ptr(1.0)}})),
					apptest.ErrOf(a.Edit(t.Context(), fact.EditRequest{ID: id, Change: apptest.Text("Robot.")})),
					apptest.ErrOf(a.Edit(t.Context(), fact.EditRequest{ID: id, Change: fact.Change{Importance: apptest.Ptr(0.0), Expires: apptest.Ptr(time.Now().Add(time.Hour))}})),
					apptest.ErrOf(a.Forget(t.Context(), id)),
				} {
					apptest.WantKind(t, err, app.KindRefused)
				}
			}
			flood := 200
			if name != "defaults" {
				flood = 40
			}
			for n := range flood { // one text in many wordings, by many sessions
				a := agent(n)
				words := []string{"Robot", "robots", "the robot", "Robot:"}[random.IntN(4)] + " says staging deploys database port cluster approvals " + strings.Repeat("now ", n%7) + fmt.Sprint(n%40)
				done, err := a.Remember(t.Context(), fact.RememberRequest{Change: fact.Change{Text: &words, Key: apptest.Ptr([]string{"db.port", "freeze", ""}[n%3]), Importance: apptest.Ptr(1.0)}})
				if err != nil {
					t.Fatal(err)
				}
				if n%10 == 0 && !done.Fact.Existing {
					apptest.Must(a.Edit(t.Context(), fact.EditRequest{ID: done.Fact.ID, Change: fact.Change{Importance: apptest.Ptr(1.0), Tags: apptest.Ptr([]string{"ops"})}}))(t)
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
	p := apptest.NewRepository(t)
	v := &victim{Place: p, m: p.Memory()}
	a := agent.NewAgentSession(v.m, fact.Agent{Name: "robot"})
	apptest.Stored(t, a, fact.Change{Text: apptest.Ptr("The port is 80."), Key: apptest.Ptr("port"), Tags: apptest.Ptr([]string{"robot"})})
	mine := apptest.Must(fact.Remember(t.Context(), v.m, fact.RememberRequest{Change: fact.Change{Text: apptest.Ptr("the port is 80"), Importance: apptest.Ptr(0.9)}}))(t).Fact
	if mine.Existing || mine.Source != memory.ByHand {
		t.Fatalf("%+v", mine)
	}
	apptest.WantKind(t, apptest.ErrOf(a.Forget(t.Context(), mine.ID)), app.KindRefused)
	v.consolidate(0)
	list := apptest.Must(list.List(t.Context(), v.m, list.Request{State: list.AllFacts}))(t).Facts
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
		res := apptest.Must(recall.Recall(t.Context(), v.m, recall.Request{Task: task}))(t)
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
