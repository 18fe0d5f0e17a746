package factrank_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"agentflow/index/factrank"
	"agentflow/internal/eval/factset"
)

var facts = []factrank.Fact{
	{ID: "tests", Text: "Run the tests with `uv run pytest -q` before every commit."},
	{ID: "changelog", Text: "Every change that users notice gets a line in CHANGELOG.md."},
	{ID: "kafka", Text: "Kafka offsets are committed by hand in consumer.py, never automatically.", Paths: []string{"stream/**"}},
	{ID: "css", Text: "Colours only as CSS variables.", Under: []string{"Front end"}, Paths: []string{"web/**"}},
	{ID: "plan", Text: "The free plan has three seats."},
}

func ids(list []int) (names []string) {
	for _, i := range list {
		names = append(names, facts[i].ID)
	}
	return names
}

func TestSelect(t *testing.T) {
	m := factrank.New(facts)
	tokens := []int{10, 10, 10, 10, 10}
	for task, want := range map[string]string{
		"the consumer loses kafka offsets after a restart": "kafka",
		"How do I run the tests?":                          "tests",
		"How many seats has the free plan?":                "plan",
		"the colour of the button is wrong, fix the css":   "css",
	} {
		got := ids(m.Select(factrank.Task{Text: task}, tokens, 20))
		if len(got) != 2 || !slices.Contains(got, want) {
			t.Errorf("%q: %v, want two with %s", task, got, want)
		}
	}
	if got := m.Select(factrank.Task{Text: "Fix it"}, tokens, 9); len(got) != 0 {
		t.Errorf("%v shown in 9 tokens", got)
	}
}

// TestPaths checks that a fact ranks higher if the task touches the files that
// it is about.
func TestPaths(t *testing.T) {
	m := factrank.New(facts)
	text := "Make the retries configurable"
	without := m.Chances(factrank.Task{Text: text})
	files := m.Chances(factrank.Task{Text: text, Files: []factrank.File{{Path: "stream/retry.py", Chance: 0.8}}})
	if files[2] <= without[2] {
		t.Errorf("with the file %.3f, without %.3f", files[2], without[2])
	}
}

// TestStanding checks that pinned facts come first, and that among equals a
// used and newer fact does.
func TestStanding(t *testing.T) {
	now := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	same := factrank.Fact{Text: "Ask before you change the schema."}
	list := []factrank.Fact{same, same, same, {Text: "The coffee machine is on the second floor.", Pinned: true}}
	list[0].Time = now.AddDate(-2, 0, 0)
	list[1].Time = now.AddDate(-1, 0, 0)
	list[2].Time, list[2].Uses = now.AddDate(-2, 0, 0), 10
	task := factrank.Task{Text: "add a column to the schema", Now: now}
	got := factrank.New(list).Select(task, []int{1, 1, 1, 1}, 4)
	if want := []int{3, 2, 1, 0}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestRelevant(t *testing.T) {
	m := factrank.New(facts)
	task := factrank.Task{Text: "Kafka offsets in consumer.py are committed twice, fix it and add a test"}
	got := m.Relevant(task, nil)
	if !slices.Contains(ids(got), "kafka") {
		t.Errorf("%v, want kafka", ids(got))
	}
	if rest := m.Relevant(task, map[int]bool{2: true}); slices.Contains(rest, 2) {
		t.Error("it is shown twice")
	}
	if got := m.Relevant(factrank.Task{Text: "Write a limerick about a tired cat"}, nil); len(got) > 0 {
		t.Errorf("a limerick needs %v", ids(got))
	}
}

func TestEmpty(t *testing.T) {
	m := factrank.New(nil)
	if got := m.Chances(factrank.Task{Text: "x"}); len(got) != 0 {
		t.Errorf("%v", got)
	}
	if got := m.Select(factrank.Task{}, nil, 10); len(got) != 0 {
		t.Errorf("%v", got)
	}
}

func FuzzChances(f *testing.F) {
	f.Add("run the tests", "How do I test?", "web/**", "web/a.ts", 0.5)
	f.Add("", "\xff\x00", "[", "/", math.NaN())
	f.Add("测试 👍 don't", "ｆｕｌｌ `x", "{a,b}/**", "..", math.Inf(1))
	f.Fuzz(func(t *testing.T, fact, task, glob, path string, chance float64) {
		m := factrank.New([]factrank.Fact{{Text: fact, Paths: []string{glob}, Under: []string{task}}, {Text: task}, {}})
		q := factrank.Task{Text: task, Dir: path, Files: []factrank.File{{Path: path, Chance: chance}}}
		for i, c := range m.Chances(q) {
			if !(c >= 0 && c <= 1) {
				t.Errorf("fact %d has the chance %v", i, c)
			}
		}
		if got := m.Select(q, []int{1, 2, 0}, 2); len(got) > 3 {
			t.Errorf("%v", got)
		}
	})
}

func BenchmarkChances(b *testing.B) {
	set, err := factset.Load("../../testdata/facts/fit/plausible")
	if err != nil {
		b.Fatal(err)
	}
	var facts []factrank.Fact
	for _, f := range set.Facts {
		facts = append(facts, factrank.Fact{ID: f.ID, Text: f.Text, Under: f.Under, Paths: f.Paths})
	}
	task := factrank.Task{Text: set.Tasks[10].Text}
	for _, f := range set.Files[:10] {
		task.Files = append(task.Files, factrank.File{Path: f, Chance: 0.3})
	}
	b.Run("New", func(b *testing.B) {
		for b.Loop() {
			factrank.New(facts)
		}
	})
	m := factrank.New(facts)
	b.Run("Chances", func(b *testing.B) {
		for b.Loop() {
			m.Chances(task)
		}
	})
}
