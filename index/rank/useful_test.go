package rank

import (
	"fmt"
	"testing"

	"agentflow/memory/retrieval"
)

// TestUseful: a prompt keeps the hits that are likely enough to be
// useful, and hits that a person pinned or a date names.
func TestUseful(t *testing.T) {
	s := Search{Ranking: Default(), Query: retrieval.Query{Gate: true}}
	named := Held{Evidence: 1, Named: []string{"x.go"}}
	likely := &Candidate{Entry: "likely", Held: Held{Evidence: 3}, Agrees: 0.3}
	fact := &Candidate{Entry: "fact", Held: Held{Evidence: 3}}
	unlikely := &Candidate{Entry: "unlikely", Held: Held{Evidence: 1}, Agrees: 0.0005}
	all := []*Candidate{likely, unlikely, fact, {Entry: "pinned", Pinned: true, Agrees: 0.0001}, {Entry: "dated", Dated: true, Agrees: 0.0001}}
	var got []string
	for _, k := range s.Useful(all) {
		got = append(got, k.Entry)
	}
	if want := "[likely fact pinned dated]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
	for _, k := range all {
		if k.Chance <= 0 || k.Chance >= 1 {
			t.Errorf("%s has chance %v", k.Entry, k.Chance)
		}
	}
	if !(likely.Chance > fact.Chance && fact.Chance > unlikely.Chance) {
		t.Errorf("%v, %v, %v", likely.Chance, fact.Chance, unlikely.Chance)
	}
	if a, b := (&Candidate{Held: named}).useful(3), (&Candidate{Held: Held{Evidence: 1}}).useful(3); a <= b {
		t.Errorf("named %v, not %v", a, b)
	}
	s.LeastShare = 0.99
	if left := s.Useful([]*Candidate{likely, fact}); len(left) != 1 || left[0] != likely {
		t.Errorf("%d beside the best", len(left))
	}
	if s.Useful(nil) != nil {
		t.Error("nothing is of use")
	}
}

// TestSure: a prompt gets the first hit that names files if it is not far less likely to be
// useful than another, others that are likely and share much with the task, texts without paths
// by their words, and pinned facts, but no merge without a separate title.
func TestSure(t *testing.T) {
	s := Search{Ranking: Default(), Query: retrieval.Query{Gate: true}}
	entry := func(name string, chance, evidence float64) *Candidate {
		return &Candidate{Entry: name, Paths: []string{name}, Chance: chance, Held: Held{Evidence: evidence}}
	}
	words := func(name string, evidence float64) *Candidate {
		return &Candidate{Entry: name, Chance: 0.2, Held: Held{Evidence: evidence}}
	}
	pinned := entry("pinned", 0.01, 0.1)
	pinned.Pinned = true
	half := entry("half", 0.1, 4)
	half.Mass = 0.6
	merge := entry("merge", 0.7, 3)
	merge.Heading = "2026-05-04 11:28 · Merge branch 'main' into topic"
	named := entry("named", 0.6, 0.3)
	named.Named = []string{"named"}
	gone := words("gone", 3)
	gone.Commits = []string{"1d71ff0"}
	for want, useful := range map[string][]*Candidate{
		"[]":            nil,
		"[first]":       {entry("first", 0.4, 0.5), entry("unlikely", 0.3, 3), entry("by one word", 0.6, 0.5)},
		"[next]":        {entry("far less likely", 0.39, 2), entry("next", 0.8, 2), entry("less likely", 0.5, 2)},
		"[a b named]":   {entry("a", 0.6, 0.5), entry("b", 0.6, 2), named},
		"[fact first]":  {words("fact", 3), words("other", 1), entry("first", 0.4, 0.5)},
		"[after]":       {merge, entry("after", 0.4, 1)},
		"[likely half]": {entry("likely", 0.8, 2), half},
		"[pinned]":      {entry("vague", 0.2, 0.1), pinned},
		"[of a commit]": {entry("of a commit", 0.6, 3), gone},
	} {
		got := []string{}
		sure, some := s.Sure(useful, func(string) bool { return false })
		for _, k := range sure {
			got = append(got, k.Entry)
		}
		if some != (len(sure) > 0) {
			t.Errorf("%v: some is %v", got, some)
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%v, want %s", got, want)
		}
	}
}

// TestBesideNamedFiles: a commit about a file that the prompt names is left out unless it shares
// much with the task, holds a name of the task, or nearly all of its words. An agent's entry
// has more information than the file, and stays.
func TestBesideNamedFiles(t *testing.T) {
	s := Search{Ranking: Default(), Query: retrieval.Query{Gate: true}, Plan: Plan{Terms: []Term{{Text: "login"}}, unique: 5}}
	entry := func(name string, evidence float64) *Candidate {
		return &Candidate{Entry: name, Kind: "commit", BM25: 15, TitleHeld: 1, Paths: []string{"other.go", name + ".go"}, Chance: 0.6, Held: Held{Evidence: evidence}}
	}
	holds := entry("holds", 0.5)
	holds.Named = []string{"x"}
	whole := entry("whole", 1.6)
	whole.Tells, whole.Terms = 0.95, []string{"login", "form", "error"}
	run := entry("run", 0.5)
	run.Kind = "run"
	for want, useful := range map[string][]*Candidate{
		"[] true":        {entry("little", 1.6)},
		"[much] true":    {entry("much", 1.8)},
		"[holds] true":   {holds},
		"[whole] true":   {whole},
		"[run] true":     {run},
		"[unnamed] true": {entry("unnamed", 0.5)},
		"[] false":       {entry("nothing", 0.1)},
	} {
		sure, some := s.Sure(useful, func(path string) bool { return path != "other.go" && path != "unnamed.go" })
		got := []string{}
		for _, k := range sure {
			got = append(got, k.Entry)
		}
		if have := fmt.Sprint(got, some); have != want {
			t.Errorf("%s, want %s", have, want)
		}
	}
}

// TestVagueCommits: a commit that matches the task by few words, or has a title about other things,
// is left out, and files may still be shown for it. An agent's entry stays, and so does a commit that holds nearly all of a
// task of three words or that a person pinned.
func TestVagueCommits(t *testing.T) {
	s := Search{Ranking: Default(), Query: retrieval.Query{Gate: true}, Plan: Plan{Terms: []Term{{Text: "login"}}, unique: 5}}
	entry := func(kind string, bm25 float64) *Candidate {
		return &Candidate{Entry: kind, Kind: kind, BM25: bm25, TitleHeld: 1, Paths: []string{"a.go"}, Chance: 0.8, Held: Held{Evidence: 3}}
	}
	whole, short, pinned := entry("commit", 5), entry("commit", 5), entry("commit", 5)
	half, untitled := entry("commit", 15), entry("run", 15)
	half.TitleHeld, untitled.TitleHeld = 0.45, 0
	whole.Tells, whole.Terms = 0.95, []string{"login", "form", "error"}
	short.Tells, short.Terms = 0.95, []string{"login", "form"}
	pinned.Pinned = true
	for _, c := range []struct {
		k    *Candidate
		want int
	}{{entry("commit", 14), 0}, {entry("commit", 15), 1}, {entry("run", 5), 1}, {whole, 1}, {short, 0}, {pinned, 1}, {half, 0}, {untitled, 1}} {
		sure, some := s.Sure([]*Candidate{c.k}, func(string) bool { return false })
		if len(sure) != c.want || !some {
			t.Errorf("%s with BM25 %v: %d are sure, some is %v, want %d", c.k.Kind, c.k.BM25, len(sure), some, c.want)
		}
	}
}

// TestOneCommitForAPlace: of commits that share a file only the likeliest stays. An agent's entry
// and a pinned commit stay, too.
func TestOneCommitForAPlace(t *testing.T) {
	s := Search{Ranking: Default(), Query: retrieval.Query{Gate: true}, Plan: Plan{unique: 5}}
	entry := func(name, kind string, chance float64, paths ...string) *Candidate {
		return &Candidate{Entry: name, Kind: kind, BM25: 15, TitleHeld: 1, Paths: paths, Chance: chance, Held: Held{Evidence: 3}}
	}
	pinned := entry("pinned", "commit", 0.6, "a.go")
	pinned.Pinned = true
	for want, useful := range map[string][]*Candidate{
		"[likelier]":     {entry("first", "commit", 0.6, "a.go", "b.go"), entry("likelier", "commit", 0.7, "b.go")},
		"[one two]":      {entry("one", "commit", 0.7, "a.go"), entry("two", "commit", 0.7, "b.go")},
		"[equal]":        {entry("equal", "commit", 0.7, "a.go"), entry("later", "commit", 0.7, "a.go")},
		"[commit run]":   {entry("commit", "commit", 0.7, "a.go"), entry("run", "run", 0.6, "a.go")},
		"[run of one]":   {entry("run of one", "run", 0.7, "a.go"), entry("its commit", "commit", 0.6, "a.go")},
		"[plain pinned]": {entry("plain", "commit", 0.7, "a.go"), pinned},
	} {
		sure, _ := s.Sure(useful, func(string) bool { return false })
		got := []string{}
		for _, k := range sure {
			got = append(got, k.Entry)
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%v, want %s", got, want)
		}
	}
}
