package index

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"agentflow/index/rank"
	"agentflow/memory"
	"agentflow/memory/retrieval"
)

// ranked returns the small index for the tests of the order of hits.
func ranked(t testing.TB) *DB {
	s := newStore(t)
	old := day.AddDate(0, -4, 0)
	s.put("2026-07-21.md", entry("old", old, "Fix the flaky login test", "The clock in auth/session.go was real."))
	s.put("2026-11-20.md", entry("new", day.AddDate(0, 0, -1), "Fix the flaky login test again", "The clock in auth/session.go was real.")+
		entry("parse", day.AddDate(0, 0, -1), "Speed up parseConfig", "It read the file twice; max_size is 4."))
	s.put("2026-11-21.md", entry("cjk", day, "登录测试不稳定", "修复了时钟。")+
		entry("deploy", day, "Deploy the web site", "Terraform plan, then apply. The lint stage is skipped."))
	s.put("MEMORY.md", "# Facts\n\nThe site is deployed on Fridays.\n")
	d := s.open(Options{})
	s.sync(d)
	return d
}

func TestRanking(t *testing.T) {
	d := ranked(t)
	for _, c := range []struct{ query, want string }{
		{"flaky login", "Fix the flaky login test again|Fix the flaky login test"},
		{"why is the login test flaky?", "Fix the flaky login test again|Fix the flaky login test"},
		{"session.go", "Fix the flaky login test again|Fix the flaky login test"},
		{"parse config", "Speed up parseConfig"},
		{"parseConfig", "Speed up parseConfig"},
		{"MaxSize", "Speed up parseConfig"},
		{"登录", "登录测试不稳定"},
		{"时钟 修复", "登录测试不稳定"},
		{"terraforming", "Deploy the web site"},
		{"terraform", "Deploy the web site"},
		{"quantum entanglement of zebras", ""},
		{"translate the whole handbook into Finnish by the clock", ""}, // gated: "clock" by itself is noise
		{"\"NEAR(\" AND * OR ^flaky: login", "Fix the flaky login test again|Fix the flaky login test"},
	} {
		if got := headings(t, d, retrieval.Query{Text: c.query, Gate: true}); got != c.want {
			t.Errorf("%q finds %q, want %q", c.query, got, c.want)
		}
	}
}

func TestDecay(t *testing.T) {
	d := ranked(t)
	hits := search1(t, d, retrieval.Query{Text: "flaky login"})
	if len(hits) != 2 || hits[0].EntryID != "new" || hits[1].Explain.Decay > 0.75 || hits[0].Explain.Decay < 0.98 {
		t.Errorf("decay: %+v", hits)
	}
	if got := search1(t, d, retrieval.Query{Text: "fridays"}); len(got) != 1 || got[0].Explain.Decay != 1 {
		t.Errorf("MEMORY.md decays: %+v", got)
	}
}

func TestFilters(t *testing.T) {
	s := filled(t)
	s.put("2026-01-01.md", entry("hidden", day.AddDate(-1, 0, 0), "An old word of module", "module word thing number"))
	d := s.open(Options{})
	s.sync(d)
	// Hundreds of entries match better than the one that passes the filter.
	got := headings(t, d, retrieval.Query{Text: "module thing word", Filter: retrieval.Filter{Until: day.AddDate(0, -6, 0)}})
	if got != "An old word of module" {
		t.Errorf("until: %q", got)
	}
	for name, f := range map[string]retrieval.Filter{
		"since": {Since: day.Add(time.Second)}, "kind": {Kind: memory.KindNote}, "type": {Types: []memory.FactType{memory.Semantic}}, "tag": {Tags: []string{"x"}},
		"path": {Path: "a"}, "branch": {Branch: "other"},
	} {
		if got := headings(t, d, retrieval.Query{Text: "flaky login", Filter: f}); got != "" {
			t.Errorf("%s: found %q", name, got)
		}
	}
}

// TestLines checks that a hit's lines are those of its text in the file, also
// after an edit above moved it.
func TestLines(t *testing.T) {
	s := newStore(t)
	text := entry("a", day, "First thing", "alpha") + entry("b", day, "Second thing", "beta") + "Some words by hand about gamma.\n"
	s.put("f.md", text)
	d := s.open(Options{})
	s.sync(d)
	for range 2 {
		src, err := os.ReadFile(s.file("f.md"))
		must(t, err)
		all := strings.SplitAfter(string(src), "\n")
		for _, q := range []string{"alpha", "beta", "gamma"} {
			hits := search1(t, d, retrieval.Query{Text: q})
			if len(hits) != 1 {
				t.Fatalf("%s: %d hits", q, len(hits))
			}
			h := hits[0]
			there := strings.Join(all[h.StartLine-1:h.EndLine], "")
			if !strings.Contains(h.Text, q) || strings.TrimSpace(there) != strings.TrimSpace(h.Text) {
				t.Errorf("%s at %d-%d: %q, the file has %q", q, h.StartLine, h.EndLine, h.Text, there)
			}
		}
		s.put("f.md", "A line put before.\n\n"+text)
		s.sync(d)
	}
	check(t, s)
}

// TestSameEveryTime asks many times, of one index and of one built afresh.
func TestSameEveryTime(t *testing.T) {
	s := filled(t)
	d := s.open(Options{})
	s.sync(d)
	q := retrieval.Query{Text: "module thing word were touched", Limit: 20}
	want := search1(t, d, q)
	if len(want) != 20 {
		t.Fatalf("%d hits", len(want))
	}
	for range 5 {
		if got := search1(t, d, q); !reflect.DeepEqual(got, want) {
			t.Fatal("another order")
		}
	}
	_, err := d.Rebuild(t.Context(), s.source())
	must(t, err)
	if got := search1(t, d, q); !reflect.DeepEqual(got, want) {
		t.Fatal("another order after a rebuild")
	}
}

func FuzzQuery(f *testing.F) {
	for _, s := range []string{`"`, "a AND", "NEAR(a b)", "col:x", "x*", "-a +b", "\x00", "登", "a\"b", "'; DROP TABLE chunks;--", "{", "ß ﬁ ǅ İ"} {
		f.Add(s)
	}
	s := filled(f)
	d := s.open(Options{})
	s.sync(d)
	f.Fuzz(func(t *testing.T, text string) {
		for _, gate := range []bool{false, true} {
			if _, err := d.Search(t.Context(), retrieval.Query{Text: text, Gate: gate, Now: day}); err != nil {
				t.Fatalf("%q: %v", text, err)
			}
		}
		hits, err := d.Search(t.Context(), retrieval.Query{Text: text + " flaky login", Now: day})
		if err != nil {
			t.Fatal(err)
		}
		if len([]rune(text)) < 100 && !strings.Contains(text, "\n") && len(hits) == 0 {
			t.Fatalf("%q hides the words beside it: %v", text, fmt.Sprint(rank.Terms(text+" flaky login")))
		}
	})
}

// TestShortNumbers: a short number alone finds nothing, such as the 2 of a file's name. Beside
// another word it counts.
func TestShortNumbers(t *testing.T) {
	s := newStore(t)
	s.put("2026-11-20.md", entry("lib", day, "Add the library", "It is in libfoo.so.2 now.")+
		entry("one", day, "Ship phase 1", "It was late.")+entry("two", day, "Ship phase 2", "It was late."))
	d := s.open(Options{})
	s.sync(d)
	for query, want := range map[string]string{"2": "", "12 and 2": "", "libfoo.so.2": "Add the library"} {
		if got := headings(t, d, retrieval.Query{Text: query}); got != want {
			t.Errorf("%q finds %q, want %q", query, got, want)
		}
	}
	if got := search1(t, d, retrieval.Query{Text: "phase 2"}); len(got) != 2 || got[0].EntryID != "two" {
		t.Errorf("phase 2: %+v", got)
	}
}
