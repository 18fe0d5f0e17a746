package index

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"agentflow/memory"
	"agentflow/memory/changeset"
	"agentflow/memory/retrieval"
)

// touching gives an entry changes at these paths, and an age in days.
func touching(age int, paths ...string) func(*memory.Entry) {
	return func(e *memory.Entry) {
		e.Time = day.Add(-time.Duration(age) * 24 * time.Hour)
		e.Summary = "Other words."
		for _, p := range paths {
			e.Changes.Items = append(e.Changes.Items, changeset.Change{Status: changeset.StatusModified, Path: p})
		}
	}
}

// TestVotesLead checks that paths named by many relevant entries come first:
// two entries that agree outweigh a single one that matches no better.
func TestVotesLead(t *testing.T) {
	ids, hits := order(t, retrieval.Query{Text: "flaky login"},
		written("alone", "The flaky login", touching(0, "web/page.ts")),
		written("pair1", "The flaky login", touching(0, "auth/clock.go")),
		written("pair2", "The flaky login", touching(0, "auth/clock.go")))
	if !strings.HasPrefix(ids, "pair") || hits[0].Explain.Files <= hits[1].Explain.Files {
		t.Errorf("order %s, files %v and %v", ids, hits[0].Explain.Files, hits[1].Explain.Files)
	}
}

// TestSeenPathsAddNothing checks that the second entry about the same files
// comes after one that names others, although both match equally.
func TestSeenPathsAddNothing(t *testing.T) {
	ids, hits := order(t, retrieval.Query{Text: "flaky login"},
		written("same1", "The flaky login", touching(0, "auth/clock.go")),
		written("same2", "The flaky login", touching(1, "auth/clock.go")),
		written("other", "The flaky login", touching(2, "web/page.ts")))
	if ids != "same1 other same2" || hits[2].Explain.Files != 0 {
		t.Errorf("order %s: %+v", ids, hits[2].Explain)
	}
	for i := range hits[1:] {
		if hits[i+1].RankScore > hits[i].RankScore {
			t.Errorf("scores rise: %v, %v", hits[i].RankScore, hits[i+1].RankScore)
		}
	}
}

// TestGonePathsCountNothing checks that a path no longer in the work tree does
// not raise an entry that names it.
func TestGonePathsCountNothing(t *testing.T) {
	q := retrieval.Query{Text: "flaky login", Exists: func(p string) bool { return p != "auth/old.go" }}
	ids, hits := order(t, q, written("gone", "The flaky login", touching(0, "auth/old.go")), written("here", "The flaky login", touching(1, "web/page.ts")))
	if ids != "here gone" || hits[1].Explain.Files != 0 {
		t.Errorf("order %s: %+v", ids, hits[1].Explain)
	}
}

// TestWarmPathsLead checks that of two entries with equal match and age, the
// one with the recently changed file comes first.
func TestWarmPathsLead(t *testing.T) {
	entries := []string{written("cold", "The flaky login", touching(9, "auth/clock.go")), written("warm", "The flaky login", touching(9, "web/page.ts"))}
	for i := range 20 {
		entries = append(entries, written(fmt.Sprint("other", i), "Something else", touching(8, fmt.Sprintf("lib/part%d.go", i))))
	}
	entries = append(entries, written("recent", "Something else", touching(0, "web/page.ts")))
	if ids, _ := order(t, retrieval.Query{Text: "flaky login"}, entries...); ids != "warm cold" {
		t.Errorf("order %s", ids)
	}
}

// TestCommonPathsTellNothing checks that a path which half of all entries touch
// raises no entry, in a memory large enough to show this.
func TestCommonPathsTellNothing(t *testing.T) {
	entries := []string{written("log", "The flaky login", touching(0, "CHANGELOG.md")), written("file", "The flaky login", touching(9, "auth/clock.go"))}
	for i := range 20 {
		entries = append(entries, written(fmt.Sprint("other", i), "Something else", touching(1, "CHANGELOG.md")))
	}
	ids, hits := order(t, retrieval.Query{Text: "flaky login"}, entries...)
	if ids != "file log" || hits[1].Explain.Files != 0 {
		t.Errorf("order %s: %+v", ids, hits[1].Explain)
	}
}

// TestWithoutPathsOwnWorth checks that a fact that names no file does not lose
// rank for that reason.
func TestWithoutPathsOwnWorth(t *testing.T) {
	ids, _ := order(t, retrieval.Query{Text: "flaky login clock"},
		written("note", "The flaky login and its clock", touching(0)),
		written("less", "The flaky login", touching(0, "web/page.ts")))
	if ids != "note less" {
		t.Errorf("order %s", ids)
	}
}
