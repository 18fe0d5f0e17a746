package index

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"agentflow/memory"
	"agentflow/memory/changeset"
	"agentflow/memory/markdown"
	"agentflow/memory/retrieval"
)

// written returns an entry with all fields that filters and weights use.
func written(id, title string, change func(*memory.Entry)) string {
	e := memory.Entry{ID: id, Kind: memory.KindRun, Time: day, Title: title, Agent: "command", Branch: "main", Task: title,
		Result: &memory.Result{Outcome: memory.OutcomeOK, Success: true}, Summary: "The clock of the login test was real."}
	if change != nil {
		change(&e)
	}
	return string(markdown.Format(e))
}

func fact(f memory.Fact) func(*memory.Entry) {
	return func(e *memory.Entry) { e.Facts = []memory.Fact{f} }
}

// cases lists filters and what an entry must have to pass each.
var cases = map[string]struct {
	filter retrieval.Filter
	has    func(*memory.Entry)
}{
	"since":    {retrieval.Filter{Since: day.Add(time.Second)}, func(e *memory.Entry) { e.Time = day.Add(time.Second) }},
	"until":    {retrieval.Filter{Until: day}, func(e *memory.Entry) { e.Time = day.Add(-time.Second) }},
	"kind":     {retrieval.Filter{Kind: memory.KindCommit}, func(e *memory.Entry) { e.Kind, e.Result = memory.KindCommit, nil }},
	"branch":   {retrieval.Filter{Branch: "fix/clock"}, func(e *memory.Entry) { e.Branch = "fix/clock" }},
	"type":     {retrieval.Filter{Types: []memory.FactType{memory.Procedural}}, fact(memory.Fact{Type: memory.Procedural, Text: "Use synctest."})},
	"types":    {retrieval.Filter{Types: []memory.FactType{memory.Episodic, memory.Procedural}}, fact(memory.Fact{Type: memory.Procedural, Text: "Use synctest."})},
	"category": {retrieval.Filter{Category: "testing"}, fact(memory.Fact{Category: "testing", Text: "Use synctest."})},
	"important": {retrieval.Filter{MinImportance: 0.6}, func(e *memory.Entry) {
		e.Facts = []memory.Fact{{Importance: 0.1, Text: "Use synctest."}, {Importance: 0.6, Text: "Clock."}}
	}},
	"plain":    {retrieval.Filter{MinImportance: 0.5}, func(*memory.Entry) {}},
	"tag":      {retrieval.Filter{Tags: []string{"go"}}, fact(memory.Fact{Tags: []string{"auth", "go"}, Text: "Use synctest."})},
	"path":     {retrieval.Filter{Path: "auth/session.go"}, changed("auth/session.go")},
	"folder":   {retrieval.Filter{Path: "auth"}, changed("auth/session.go")},
	"folder/":  {retrieval.Filter{Path: "auth/"}, changed("auth/deep/session.go")},
	"old path": {retrieval.Filter{Path: "auth/old.go"}, func(e *memory.Entry) { changed("auth/session.go")(e); e.Changes.Items[0].OldPath = "auth/old.go" }},
	"uncommitted": {retrieval.Filter{Path: "notes"}, func(e *memory.Entry) {
		changed("notes/a.txt")(e)
		e.Uncommitted, e.Changes = e.Changes, changeset.List{}
	}},
	"tags": {retrieval.Filter{Tags: []string{"go", "auth"}}, fact(memory.Fact{Tags: []string{"auth", "go"}, Text: "Use synctest."})},
	"two": {retrieval.Filter{Branch: "b", Tags: []string{"go"}}, func(e *memory.Entry) {
		e.Branch, e.Facts = "b", []memory.Fact{{Tags: []string{"go"}, Text: "x"}}
	}},
}

func changed(path string) func(*memory.Entry) {
	return func(e *memory.Entry) {
		e.Changes.Items = []changeset.Change{{Status: changeset.StatusRenamed, Path: path, OldPath: path + ".orig"}}
	}
}

// others returns n entries that match the same words but pass no filter,
// although they come near.
func others(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(written(fmt.Sprintf("other%d", i), "Fix the flaky login test flaky login", func(e *memory.Entry) {
			e.Changes.Items = []changeset.Change{{Status: changeset.StatusModified, Path: "authority/session.go"},
				{Status: changeset.StatusModified, Path: "x/auth/session.go"}, {Status: changeset.StatusModified, Path: "notes.txt"}}
			e.Facts = []memory.Fact{{Type: memory.Semantic, Importance: 0.4, Category: "test", Tags: []string{"golang", "ago", "auth"}, Text: "Clock."}}
			if i%2 == 0 {
				e.Branch = "b"
			}
		}))
	}
	return b.String()
}

// TestFiltersKeep checks that a filter keeps the one entry that passes it,
// among a few others and among so many better ones that it is not among the
// first candidates.
func TestFiltersKeep(t *testing.T) {
	for name, c := range cases {
		for _, n := range []int{3, 400} {
			t.Run(fmt.Sprintf("%s of %d", name, n), func(t *testing.T) {
				s := newStore(t)
				shift := func(e *memory.Entry) { c.has(e); e.Summary = strings.Repeat("Other words of a long summary. ", 20) }
				if name == "until" { // the others are not before it
					s.put("2026-11-20.md", written("wanted", "The flaky login", shift))
				} else {
					s.put("2026-11-21.md", written("wanted", "The flaky login", shift))
				}
				s.put("others.md", others(n))
				d := s.open(Options{})
				s.sync(d)
				hits := search1(t, d, retrieval.Query{Text: "flaky login", Filter: c.filter})
				if len(hits) != 1 || hits[0].EntryID != "wanted" {
					t.Errorf("%d hits: %+v", len(hits), hits)
				}
			})
		}
	}
}

// TestOneLongEntry checks that an entry with more chunks than the search first
// looks at does not hide the others.
func TestOneLongEntry(t *testing.T) {
	s := newStore(t)
	s.put("long.md", written("long", "Long", func(e *memory.Entry) {
		e.Summary = strings.Repeat("A flaky login. The flaky login again.\n\n", 400)
	}))
	s.put("short.md", written("short", "Short", func(e *memory.Entry) {
		e.Summary = strings.Repeat("Other words of a long summary. ", 20) + "flaky login"
	}))
	d := s.open(Options{ChunkTokens: 20, ChunkOverlap: 5})
	s.sync(d)
	if st, err := d.Stats(t.Context()); err != nil || st.Chunks < 300 {
		t.Fatalf("%+v, %v", st, err)
	}
	if hits := search1(t, d, retrieval.Query{Text: "flaky login"}); len(hits) != 2 || hits[0].EntryID == hits[1].EntryID {
		t.Errorf("%d hits: %+v", len(hits), hits)
	}
}
