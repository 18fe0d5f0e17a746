package index

import (
	"slices"
	"strings"
	"testing"

	"agentflow/memory"
	"agentflow/memory/changeset"
	"agentflow/memory/retrieval"
)

func TestNamedCommits(t *testing.T) {
	for text, want := range map[string]string{
		"what did commit 9db6 do":                     "9db6",
		"What did Commit #9DB6 do?":                   "9db6",
		"commits 9db6, 81ac and beef1":                "9db6 81ac beef1",
		"the 9db6 commit":                             "9db6",
		"why 9db6ab1":                                 "9db6ab1",
		"revert " + strings.Repeat("0a", 20) + " now": strings.Repeat("0a", 20),
		"commit id 9db6, 9db6":                        "9db6",
		"what is 9db6":                                "",
		"commit the change to face":                   "",
		"commit abc":                                  "",
		"a defaced facade":                            "",
		"":                                            "",
	} {
		if got := strings.Join(namedCommits(text), " "); got != want {
			t.Errorf("%q names %q, want %q", text, got, want)
		}
	}
}

// TestCommitIsFound checks that the beginning of a commit's ID finds its
// entries, before all other hits, and also with filters.
func TestCommitIsFound(t *testing.T) {
	s := newStore(t)
	of := func(ids ...string) func(*memory.Entry) {
		return func(e *memory.Entry) {
			for _, id := range ids {
				e.Commits = append(e.Commits, changeset.Commit{ID: id + strings.Repeat("0", 40-len(id))})
			}
		}
	}
	s.put("2026-11-21.md", written("first", "Fix the flaky login", of("81ac", "9db6ab1"))+written("second", "Commit what it did", of("77aa"))+written("third", "Do commit often", nil))
	d := s.open(Options{})
	s.sync(d)
	for query, want := range map[string]string{
		"what did commit 9db6 do": "first", "what did 9db6ab1 do": "first", "commit 77aa or 81ac": "first second", "commit 9db7": "",
	} {
		var got []string
		for _, h := range search1(t, d, retrieval.Query{Text: query, Limit: 3}) {
			if h.Score == 1 {
				got = append(got, h.EntryID)
			}
		}
		slices.Sort(got)
		if strings.Join(got, " ") != want {
			t.Errorf("%q finds %v, want %s", query, got, want)
		}
	}
	hits := search1(t, d, retrieval.Query{Text: "what did commit 9db6 do", Limit: 3})
	if len(hits) == 0 || hits[0].EntryID != "first" || !slices.IsSortedFunc(hits, func(a, b retrieval.Hit) int { return int(1e9 * (b.RankScore - a.RankScore)) }) {
		t.Errorf("%+v", hits)
	}
	if hits := search1(t, d, retrieval.Query{Text: "commit 9db6", Filter: retrieval.Filter{Kind: memory.KindNote}}); len(hits) != 0 {
		t.Errorf("a filter lets %+v pass", hits)
	}
}
