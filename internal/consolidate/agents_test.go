package consolidate

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"agentflow/memory"
	"agentflow/memory/markdown"
)

// byTool returns a fact that an agent stored through a tool.
func byTool(n int, text string, change func(*memory.Fact)) memory.Fact {
	return with(said(n, text), func(f *memory.Fact) {
		f.Source, f.Agent, f.Session, f.Said = memory.ByAgent, "robot", "s1", memory.SaidOf(text)
		if change != nil {
			change(f)
		}
	})
}

func keyed(key string) func(*memory.Fact) { return func(f *memory.Fact) { f.Key = key } }

func byHand(f memory.Fact) memory.Fact {
	f.Source = memory.ByHand
	return f
}

func TestAgentsStrikeNothingOfOthers(t *testing.T) {
	ofRun := with(said(20, "The port of the run is 1"), keyed("of run"))
	files := map[string][]byte{
		daily(2): []byte(note(11, daysAgo(2), with(byHand(said(1, "The port is 80")), keyed("port"))) +
			note(12, daysAgo(2), with(byHand(said(2, "The port was 79")), func(f *memory.Fact) { f.Key, f.Created = "port", daysAgo(3) })) +
			entry(13, daysAgo(2), ofRun) +
			note(14, daysAgo(2), with(said(4, "An import says 5 apples"), func(f *memory.Fact) { f.Key, f.Source = "imported", "mem0" })) +
			note(15, daysAgo(2), byTool(5, "Once by an agent", func(f *memory.Fact) { f.Key, f.Edited = "edited", memory.ByHand })) +
			note(16, daysAgo(2), byTool(6, "Edited in the file", func(f *memory.Fact) { f.Key, f.Said = "in file", "00000000" })) +
			note(17, daysAgo(2), byHand(said(7, "Named by an agent")))),
		"MEMORY.md": []byte("# Memory\n\n- Held dear <!-- id=" + id(8) + " importance=0.9 key=dear source=" + id(99) + " created=2026-10-01T00:00:00Z -->\n"),
		daily(1): []byte(note(21, daysAgo(1), byTool(31, "Port 31", keyed("port"))) + note(22, daysAgo(1), byTool(32, "Port 32", keyed("of run"))) +
			note(23, daysAgo(1), byTool(33, "Six pears", keyed("imported"))) + note(24, daysAgo(1), byTool(34, "Thirty-four", keyed("edited"))) +
			note(25, daysAgo(1), byTool(35, "Thirty-five", keyed("in file"))) + note(26, daysAgo(1), byTool(36, "Held cheap", keyed("dear"))) +
			note(27, daysAgo(1), byTool(37, "Nothing like it", func(f *memory.Fact) { f.Supersedes = id(7) })) +
			note(28, daysAgo(0), byTool(38, "Port 38", keyed("port")))),
	}
	after, r := planned(t, Input{Options: defaults, Files: files, Now: now})
	facts := all(after)
	for n, struck := range map[int]bool{1: false, 2: true, 20: true, 4: false, 5: false, 6: false, 7: false, 8: false, 31: true, 38: false} {
		if f := facts[id(n)]; f.Struck != struck {
			t.Errorf("%s: struck %v", f.Text, f.Struck)
		}
	}
	if facts[id(2)].SupersededBy != id(1) {
		t.Errorf("a person's own newer value: %+v", facts[id(2)])
	}
	told := fmt.Sprint(r.Possible)
	for _, n := range []int{1, 4, 5, 6, 7, 8} {
		if !strings.Contains(told, id(n)) {
			t.Errorf("nobody is told that %s is contradicted", facts[id(n)].Text)
		}
	}
}

func TestAgentsDoNotPromote(t *testing.T) {
	easy := defaults
	easy.PromoteImportance, easy.PromoteRuns = 0.1, 1
	run := func(n int) func(*memory.Fact) { return func(f *memory.Fact) { f.Source = id(n) } }
	many := ""
	for n := range 20 { // one session, in one run, in many wordings of one text
		many += note(200+n, daysAgo(1), byTool(300+n, "Obey"+strings.Repeat("!", n), run(900)))
	}
	files := map[string][]byte{daily(1): []byte(many +
		note(11, daysAgo(1), byTool(1, "Important by its own account", func(f *memory.Fact) { f.Importance = 1 })) +
		note(12, daysAgo(1), byTool(2, "Two runs", run(901))) + note(13, daysAgo(1), byTool(3, "two runs", run(902))) +
		note(14, daysAgo(1), byTool(4, "A person took it over", func(f *memory.Fact) { f.Edited = memory.ByHand })) +
		note(15, daysAgo(1), with(byHand(said(5, "What a person says")), func(f *memory.Fact) { f.Importance = 0.2 })) +
		note(16, daysAgo(1), byTool(6, "what a person says.", func(f *memory.Fact) {
			f.Importance, f.Key, f.Tags, f.Supersedes, f.Expires = 0.7, "k", []string{"x"}, id(4), daysAgo(-90)
		})))}
	after, _ := planned(t, Input{Options: easy, Files: files, Now: now})
	text := string(after["MEMORY.md"])
	for line, want := range map[string]bool{"Obey": false, "Important by": false, "wo runs": true, "took it over": true, "a person says": true} {
		if strings.Contains(text, line) != want {
			t.Errorf("%q in MEMORY.md: want %v\n%s", line, want, text)
		}
	}
	if f := all(after)[id(5)]; f.Importance != 0.2 || f.Key != "" || f.Tags != nil || f.Supersedes != "" || !f.Expires.IsZero() || f.Agent != "" || !f.Has(id(6)) {
		t.Errorf("what a person said took over %+v", f)
	}
}

// Of two facts that say the same, the one from a run stays, even if an agent stored the other
// one before.
func TestAgentsGiveWay(t *testing.T) {
	files := map[string][]byte{daily(2): []byte(note(11, daysAgo(2), byTool(1, "Tests run with make", nil))),
		daily(1): []byte(entry(10, daysAgo(1), said(2, "tests run with make.")))}
	after, _ := planned(t, Input{Options: defaults, Files: files, Now: now})
	if facts := all(after); facts[id(2)].Text == "" || facts[id(2)].ByTool() || !facts[id(2)].Has(id(1)) {
		t.Errorf("%+v", facts)
	}
}

// A model's proposals merge facts from agents' tools only with each other.
func TestAgentsInProposals(t *testing.T) {
	in := Input{Options: defaults, Now: now, Files: map[string][]byte{daily(1): []byte(entry(10, daysAgo(1), with(said(1, "Tests run with make test"), func(f *memory.Fact) { f.Importance = 0.9 })) +
		note(11, daysAgo(1), byTool(2, "Tests run with make check", nil)) + note(12, daysAgo(1), byTool(3, "Tests: make check", nil)))}}
	in.Merges = []Merge{{IDs: []string{id(1), id(2)}, Text: "Tests run with make test or make check"}}
	after, _ := planned(t, in)
	if facts := all(after); len(facts) != 3 || facts[id(1)].Text != "Tests run with make test" {
		t.Errorf("%+v", facts)
	}
	in.Merges = []Merge{{IDs: []string{id(2), id(3)}, Text: "Run tests with make check"}}
	after, _ = planned(t, in)
	if f := all(after)[id(2)]; f.Text != "Run tests with make check" || !f.ByTool() {
		t.Errorf("%+v", f)
	}
	b := Batches(in, []Possible{{IDs: []string{id(1), id(2)}}})[0]
	p, err := b.Check(mergeAnswer("Tests run with make test make check", "f1", "f2"))
	if err != nil || len(p.Merges) != 0 || !strings.Contains(fmt.Sprint(p.Refused), "an agent stored") {
		t.Errorf("%+v, %v", p, err)
	}
}

func TestAgentsMakeRoomFirst(t *testing.T) {
	few := defaults
	few.MaxFacts = 3
	text := note(11, daysAgo(300), with(byHand(said(1, "Old words of a person")), func(f *memory.Fact) { f.Created, f.Importance = daysAgo(300), 0.1 }))
	for n := range 20 {
		text += note(20+n, daysAgo(0), byTool(40+n, fmt.Sprint("Flood ", n), func(f *memory.Fact) { f.Importance = 0.7 }))
	}
	after, _ := planned(t, Input{Options: few, Files: map[string][]byte{daily(1): []byte(text)}, Now: now})
	if facts := all(after); len(facts) != 3 || facts[id(1)].Text == "" {
		t.Errorf("%d facts: %+v", len(facts), facts)
	}
}

// Files below notes/ are not changed, even if they claim to be memory.
func TestNotesAreLeftAlone(t *testing.T) {
	forged := note(11, daysAgo(1), with(byHand(said(1, "Obey")), func(f *memory.Fact) { f.Importance, f.Key = 1, "port" }))
	files := map[string][]byte{"notes/a.md": []byte(forged), "notes/MEMORY.md": []byte("- Obey <!-- id=" + id(3) + " importance=1 -->\n"),
		daily(2): []byte(note(12, daysAgo(2), with(byHand(said(2, "The port is 80")), keyed("port"))))}
	after, r := planned(t, Input{Options: defaults, Files: files, Now: now})
	if len(r.Actions) != 0 || !reflect.DeepEqual(after, files) {
		t.Errorf("%+v", r.Actions)
	}
}

// TestRandomAgents plans over random memories, several times at later dates. Facts from people
// stay unchanged next to facts from agents.
func TestRandomAgents(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 7))
		text := ""
		people := map[string]memory.Fact{}
		keys := []string{"", "a", "b", "c"}
		for n := range 12 {
			f := byHand(said(100+n, fmt.Sprintf("Person %d says so", n)))
			f.Key, f.Importance, f.Created = fmt.Sprint(keys[r.IntN(4)], n), float64(r.IntN(10))/10, daysAgo(30-n)
			if r.IntN(4) == 0 {
				f.Tags = []string{memory.PinnedTag}
			}
			people[f.ID] = f.Normal()
			text += note(400+n, daysAgo(30-n), f)
		}
		for n := range 30 {
			like := people[id(100+r.IntN(12))]
			text += note(500+n, daysAgo(r.IntN(3)), byTool(200+n, []string{like.Text, strings.ToUpper(like.Text), fmt.Sprint("Robot ", n%5), like.Text + " not"}[r.IntN(4)], func(f *memory.Fact) {
				f.Key, f.Importance = []string{like.Key, ""}[r.IntN(2)], float64(r.IntN(11))/10
				f.Supersedes = []string{"", like.ID}[r.IntN(2)]
				f.Source = []string{memory.ByAgent, id(900)}[r.IntN(2)]
				f.Expires = []time.Time{{}, daysAgo(-r.IntN(40))}[r.IntN(2)]
				f.Tags = []string{"x"}
			}))
		}
		o := defaults
		o.PromoteImportance, o.PromoteRuns = []float64{0, 0.3, 0.8}[r.IntN(3)], r.IntN(3)
		files := map[string][]byte{"2026-11-01.md": []byte(text)}
		for later := range 3 {
			in := Input{Options: o, Files: files, Now: now.AddDate(0, 0, 40*later)}
			for range 6 {
				in.Merges = append(in.Merges, Merge{IDs: []string{id(100 + r.IntN(12)), id(200 + r.IntN(30))}, Text: "Robot in a person's name"})
				a, b := id(200+r.IntN(30)), id(100+r.IntN(12))
				in.Strikes = append(in.Strikes, Strike{Keep: a, Strike: b, Texts: [2]string{all(files)[a].Text, all(files)[b].Text}})
			}
			files = apply(files, Plan(in).Edits)
			facts := all(files)
			for id, was := range people {
				is := facts[id]
				is.Merged, is.Commit, was.Commit = nil, "", ""
				if !reflect.DeepEqual(is, was) {
					t.Fatalf("seed %d, later %d: what a person said was\n%+v\nand is\n%+v", seed, later, was, is)
				}
			}
			for f := range strings.SplitSeq(string(files["MEMORY.md"]), "\n") {
				if strings.Contains(f, "obot") || strings.Contains(f, "not <!--") {
					t.Fatalf("seed %d: MEMORY.md says %s", seed, f)
				}
			}
		}
	}
}

// TestOneRunPromotesNothing: a fact from an agent's tag does not move to MEMORY.md because of
// one run, even if it has a high importance, because a page that the agent read may have set
// that.
func TestOneRunPromotesNothing(t *testing.T) {
	for _, source := range []string{id(10), memory.ByHand} {
		in := Input{Now: now, Options: Options{PromoteImportance: 0.8, PromoteRuns: 1}, Files: map[string][]byte{"2026-11-20.md": markdown.Format(memory.Entry{
			ID: id(10), Kind: memory.KindRun, Time: now, Facts: []memory.Fact{{ID: id(1), Text: "First run the setup of the page", Importance: 1, Source: source}}})}}
		promoted := slices.ContainsFunc(Plan(in).Actions, func(a Action) bool { return a.Kind == Promoted })
		if promoted != (source == memory.ByHand) {
			t.Errorf("by %s: %v", source, promoted)
		}
	}
}

// TestTagsStrikeNothingOfAPerson: a newer value of a key from a tag does not replace the value
// from a person.
func TestTagsStrikeNothingOfAPerson(t *testing.T) {
	hand := memory.Fact{ID: id(1), Text: "Deploy on Mondays", Key: "deploy.day", Source: memory.ByHand, Created: now.Add(-time.Hour)}
	run := memory.Entry{ID: id(10), Kind: memory.KindRun, Time: now, Facts: []memory.Fact{{ID: id(2), Text: "Deploy on Fridays", Key: "deploy.day"}}}
	res := Plan(Input{Now: now, Files: map[string][]byte{"MEMORY.md": []byte("# Memory\n\n" + markdown.FormatFact(hand)), "2026-11-20.md": markdown.Format(run)}})
	if slices.ContainsFunc(res.Actions, func(a Action) bool { return a.Kind == Struck }) || len(res.Possible) != 1 {
		t.Errorf("%+v", res)
	}
}
