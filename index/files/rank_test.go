package files

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"agentflow/index/contents"
	"agentflow/index/question"
	"agentflow/memory/retrieval"
)

// task returns the query of a text.
func task(text string) *Query {
	return NewQuery(text, question.Read(text), func(question.Word) float64 { return 1 })
}

// inFilesOf returns the contents of 900 files in which a task is looked up. Each line is a path and what
// it has: words, words=, which it defines too, and symbols().
func inFilesOf(task string, lines ...string) *contents.Found {
	table := contents.NewTable()
	for i := range 900 - len(lines) {
		table.Put("filler/"+strconv.Itoa(i), contents.Doc{})
	}
	for _, line := range lines {
		name, text, _ := strings.Cut(line, ": ")
		table.Put(name, contents.Of([]byte(text)))
	}
	found := table.Find(Asked(question.Read(task)))
	return &found
}

// history makes a Window of entries "title: path path", the newest last.
func history(t testing.TB, q *Query, lines ...string) *Window {
	t.Helper()
	b := NewBlock()
	for i, line := range lines {
		title, paths, _ := strings.Cut(line, " -> ")
		b.Add(Entry{ID: int64(i), Date: int64(1000 + i), Title: title, Paths: strings.Fields(paths)})
	}
	w, err := ReadWindow(q, [][]byte{b.Encode()}, 1000)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// filler returns entries about other files.
func filler(n int) (lines []string) {
	for i := range n {
		lines = append(lines, "Other work -> other/o"+string(rune('a'+i%26))+".go")
	}
	return lines
}

// value returns the value of a feature for a path.
func value(t *testing.T, r *Ranked, feature, path string) float64 {
	t.Helper()
	for i, f := range features {
		if f.name == feature {
			p, ok := r.m.at[key(path)]
			if !ok {
				t.Fatalf("%s is not known", path)
			}
			return r.values[i][p]
		}
	}
	t.Fatalf("no feature %s", feature)
	return 0
}

// TestFeatures holds of each feature that it prefers the file that its formula
// means.
func TestFeatures(t *testing.T) {
	long := strings.Repeat("lorem ipsum dolor sit amet consectetur ", 9)
	inFiles := []string{"auth/good.go: func expired(); rest", "auth/long.go: calls expired() " + long, "new/good.go: func (t *Table) HalfLife() {}", "new/bad.go: HalfLife()"}
	for _, c := range []struct {
		feature, task string
		entries       []string
		found         []Voter
		good, bad     string
	}{
		{"relevance", "x", []string{"A -> good.go bad.go"}, []Voter{{[]string{"good.go"}, 0.9}, {[]string{"bad.go"}, 0.5}}, "good.go", "bad.go"},
		{"path", "session clock", []string{"A -> auth/session.go", "B -> auth/login.go"}, nil, "auth/session.go", "auth/login.go"},
		{"base", "session clock", []string{"A -> auth/session.go", "B -> session/login.go"}, nil, "auth/session.go", "session/login.go"},
		{"titles", "flaky login", []string{"The flaky login -> good.go", "Speed up the parser -> bad.go"}, nil, "good.go", "bad.go"},
		{"together", "x", []string{"A -> found.go good.go", "B -> bad.go"}, []Voter{{[]string{"found.go"}, 1}}, "good.go", "bad.go"},
		{"folder", "x", []string{"A -> auth/found.go auth/good.go web/bad.go"}, []Voter{{[]string{"auth/found.go"}, 1}}, "auth/good.go", "web/bad.go"},
		{"fresh", "x", []string{"A -> bad.go", "B -> good.go"}, nil, "good.go", "bad.go"},
		{"kind", "describe the flags", []string{"Describe the flags -> a.md", "Speed up -> b.go", "C -> good.md", "D -> bad.go"}, nil, "good.md", "bad.go"},
		{"kindOfType", "docs: more", []string{"docs: install -> a.md", "fix: speed -> b.go", "fix: x -> good.md", "fix: y -> bad.go"}, nil, "good.md", "bad.go"},
		{"scope", "fix(parser): x", []string{"feat(parser): a -> good.go", "feat(web): b -> bad.go"}, nil, "good.go", "bad.go"},
		{"holds", "expired", []string{"A -> auth/good.go auth/long.go"}, nil, "auth/good.go", "auth/long.go"},
		{"defines", "expired", []string{"A -> auth/good.go auth/long.go"}, nil, "auth/good.go", "auth/long.go"},
		{"opening", "expired", []string{"A -> auth/good.go auth/long.go"}, nil, "auth/good.go", "auth/long.go"},
		{"symbols", "slow HalfLife()", []string{"A -> new/bad.go"}, nil, "new/good.go", "new/bad.go"},
		{"quoted", "see new/good.go", []string{"A -> new/bad.go"}, nil, "new/good.go", "new/bad.go"},
		{"traced", "x\n\t/src/auth/good.go:12 +0x9\n\t/src/auth/long.go:3", []string{"A -> auth/good.go auth/long.go"}, nil, "auth/good.go", "auth/long.go"},
		{"dotted", "auth.good.expired", []string{"A -> auth/good.go auth/long.go"}, nil, "auth/good.go", "auth/long.go"},
		{"heat", "x", []string{"A -> good.go", "B -> good.go", "C -> bad.go"}, nil, "good.go", "bad.go"},
		{"source", "x", []string{"A -> good.go bad.md"}, nil, "good.go", "bad.md"},
		{"test", "x", []string{"A -> good_test.go bad.go"}, nil, "good_test.go", "bad.go"},
	} {
		q := task(c.task)
		r := Rank(history(t, q, c.entries...), c.found, inFilesOf(c.task, inFiles...), nil, Default())
		if good, bad := value(t, r, c.feature, c.good), value(t, r, c.feature, c.bad); !(good > bad) {
			t.Errorf("%s: %v for %s, %v for %s", c.feature, good, c.good, bad, c.bad)
		}
	}
	if len(features) != 20 {
		t.Error("a feature has no case")
	}
}

// TestScores: the score is the sum of the features' parts, the best file has
// weight 1, and missing, common and unknown files have none.
func TestScores(t *testing.T) {
	q := task("flaky login")
	entries := append(filler(60), "The flaky login -> auth/login.go gone.go", "Login -> web/page.ts")
	for range 20 {
		entries = append(entries, "Release -> CHANGELOG.md")
	}
	exists := func(path string) bool { return path != "gone.go" }
	r := Rank(history(t, q, entries...), []Voter{{[]string{"auth/login.go", "gone.go", "CHANGELOG.md"}, 1}}, nil, exists, Default())
	best := r.Best(3)
	if len(best) != 3 || best[0].Path != "auth/login.go" || best[1].Path != "web/page.ts" {
		t.Fatalf("%+v", best)
	}
	sum := 0.0
	for _, part := range best[0].Parts {
		sum += part
	}
	if math.Abs(sum-best[0].Score) > 1e-9 {
		t.Errorf("parts give %v, the score is %v", sum, best[0].Score)
	}
	if r.Weight("auth/login.go") != 1 || r.Weight("web/page.ts") >= 1 || r.Weight("web/page.ts") <= 0 {
		t.Errorf("weights %v, %v", r.Weight("auth/login.go"), r.Weight("web/page.ts"))
	}
	for _, path := range []string{"gone.go", "CHANGELOG.md", "never.go"} {
		if r.Weight(path) != 0 {
			t.Errorf("%s has weight %v", path, r.Weight(path))
		}
	}
	if all := r.Best(1000); len(all) != 28 || r.Best(0) == nil || len(r.Best(0)) != 0 {
		t.Errorf("%d files", len(all))
	}
	n := 0
	for path, x := range r.Candidates() {
		if n++; path == "auth/login.go" && x[0] != 1 {
			t.Errorf("%v", x)
		}
	}
	if n != 28 {
		t.Errorf("%d candidates", n)
	}
}

// TestHot: source code that many entries touch is named, but does not tell entries apart.
func TestHot(t *testing.T) {
	q := task("flaky login")
	entries := append(filler(60), "Login -> web/page.ts")
	for range 20 {
		entries = append(entries, "The flaky login -> auth/login.go")
	}
	r := Rank(history(t, q, entries...), nil, nil, nil, Default())
	if best := r.Best(2); len(best) != 2 || best[0].Path != "auth/login.go" || r.Chance("auth/login.go") == 0 {
		t.Errorf("%+v", best)
	}
	if r.Weight("auth/login.go") != 0 || r.Weight("web/page.ts") != 1 {
		t.Errorf("weights %v, %v", r.Weight("auth/login.go"), r.Weight("web/page.ts"))
	}
}

// TestWhy: the strongest reason for a file, in words of the task.
func TestWhy(t *testing.T) {
	for _, c := range []struct {
		task  string
		lines []string
		found []Voter
		path  string
		want  string
	}{
		{"drop IsExpired", []string{"A -> code.go"}, nil, "code.go", "defines IsExpired"},
		{"drop IsExpired", []string{"A -> guide.md"}, nil, "guide.md", "contains IsExpired"},
		{"sessions", []string{"A -> auth/session.go"}, nil, "auth/session.go", `"sessions" is in its path`},
		{"x", []string{"A -> a.go"}, []Voter{{[]string{"a.go"}, 1}, {[]string{"a.go"}, 0.6}, {[]string{"a.go"}, 0.1}}, "a.go", "2 similar tasks changed it"},
		{"x", []string{"A -> a.go b.go", "B -> a.go b.go"}, []Voter{{[]string{"a.go"}, 1}}, "b.go", "often changed together with a.go"},
		{"x", []string{"A -> a.go"}, nil, "a.go", ""},
	} {
		q := task(c.task)
		known := inFilesOf(c.task, "code.go: func IsExpired()", "guide.md: type IsExpired")
		r := Rank(history(t, q, append(filler(20), c.lines...)...), c.found, known, nil, Default())
		for _, f := range r.Best(30) {
			if f.Path == c.path && f.Why != c.want {
				t.Errorf("%s for %q: %s, want %s", c.path, c.task, f.Why, c.want)
			}
		}
	}
}

// TestSure: a file is sure because of its features, and not because there are few files.
func TestSure(t *testing.T) {
	q := task("x")
	r := Rank(history(t, q, "A -> a.go", "B -> b.go"), nil, nil, nil, Default())
	for _, f := range r.Best(2) {
		if f.Sure || f.Chance > 0.05 {
			t.Errorf("for nothing: %+v", f)
		}
	}
	q = task("the flaky login")
	r = Rank(history(t, q, "The flaky login -> auth/login.go", "B -> b.go"), []Voter{{[]string{"auth/login.go"}, 1}}, nil, nil, Default())
	if f := r.Best(1)[0]; !f.Sure || f.Path != "auth/login.go" || f.Chance > 1 {
		t.Errorf("%+v", f)
	}
}

// TestSureChance: a prompt shows files with a chance of 0.15 or more.
func TestSureChance(t *testing.T) {
	r := Rank(history(t, task("login"), "Login -> auth/login.go"), []Voter{{[]string{"auth/login.go"}, 1}}, nil, nil, Default())
	for chance, want := range map[float64]bool{0.14: false, 0.149: false, 0.151: true, 0.2: true} {
		r.list.all = 1 / chance
		if f := r.Best(1)[0]; f.Sure != want || math.Abs(f.Chance-chance) > 1e-9 {
			t.Errorf("chance %v: %+v", chance, f)
		}
	}
}

// TestInPassing: a document is named for a task that speaks of documents, or if it is likelier
// than not.
func TestInPassing(t *testing.T) {
	for _, c := range []struct {
		task, path string
		chance     float64
		want       bool
	}{
		{"split options", "docs/options.md", 0.4, true},
		{"split options", "CHANGES.rst", 0.2, true},
		{"split options", "doc/fd.1", 0.2, true},
		{"split options", "lib/v2.9", 0.2, false},
		{"split options", "lib/option.so.1", 0.2, false},
		{"add it to the man page", "doc/fd.1", 0.2, false},
		{"split options", "docs/options.md", 0.5, false},
		{"split options", "docs/conf.py", 0.2, false},
		{"split options", "requirements.txt", 0.2, false},
		{"Describe options in the docs", "docs/options.md", 0.2, false},
		{"Fix the README", "README.md", 0.2, false},
	} {
		if got := task(c.task).inPassing(retrieval.LikelyFile{Path: c.path, Chance: c.chance}); got != c.want {
			t.Errorf("%q, %s at %v: %v", c.task, c.path, c.chance, got)
		}
	}
}

// TestNewestEntries: of each of the best files the newest entries, each once.
func TestNewestEntries(t *testing.T) {
	q := task("session clock")
	w := history(t, q, "A -> auth/session.go", "B -> auth/session.go auth/clock.go", "C -> auth/session.go", "D -> web/page.ts")
	r := Rank(w, nil, nil, nil, Default())
	if ids := r.Newest(2, 2); len(ids) != 2 || ids[0] != 2 || ids[1] != 1 {
		t.Errorf("%v", ids)
	}
}

// TestWindow checks that the newest entries are kept, in any order of their Blocks.
func TestWindow(t *testing.T) {
	older, newer := NewBlock(), NewBlock()
	older.Add(Entry{ID: 1, Date: 10, Title: "One", Paths: []string{"a.go"}})
	older.Add(Entry{ID: 2, Date: 40, Title: "Two", Paths: []string{"b.go"}})
	newer.Add(Entry{ID: 300, Date: 20, Title: "Three", Paths: []string{"a.go", "c.go"}})
	for _, blocks := range [][][]byte{{older.Encode(), newer.Encode()}, {newer.Encode(), older.Encode()}} {
		w, err := ReadWindow(task("two"), blocks, 2)
		if err != nil {
			t.Fatal(err)
		}
		if len(w.entries) != 2 || w.entries[0].id != 2 || w.entries[1].id != 300 || w.entries[0].title.len() != 1 || w.entries[1].title != 0 {
			t.Errorf("%+v", w.entries)
		}
		a := w.paths[w.at[key("a.go")]]
		if a.touches != 1 || a.age != 1 {
			t.Errorf("%+v", a)
		}
	}
}

// TestLongTask: no more stems count than a set has room for.
func TestLongTask(t *testing.T) {
	read := &question.Question{}
	for i := range uint32(200) {
		read.Words = append(read.Words, question.Word{Stem: i})
	}
	q := NewQuery("x", read, func(w question.Word) float64 { return float64(w.Stem % 100) })
	if len(q.words) != maxTerms || q.words[0].Stem != 68 || q.words[maxTerms-1].Stem != 199 {
		t.Errorf("%d stems: %v", len(q.words), q.words)
	}
}

func TestNothing(t *testing.T) {
	w, err := ReadWindow(task("anything"), nil, 10)
	if err != nil {
		t.Fatal(err)
	}
	if r := Rank(w, nil, nil, nil, Default()); len(r.Best(10)) != 0 || r.Weight("x") != 0 {
		t.Error("nothing has files")
	}
}
