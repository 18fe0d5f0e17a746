package memory

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the golden files")

const day = "2026-11-21T14:32:07+01:00"

func at(t *testing.T, s string) time.Time {
	t.Helper()
	when, err := time.Parse(time.RFC3339, s)
	if err != nil {
		t.Fatal(err)
	}
	return when
}

func runEntry(t *testing.T) Entry {
	return Entry{
		ID: "0199a1b2-0000-7000-8000-00000000abcd", Kind: KindRun, Time: at(t, day), Title: "Fix the flaky login test",
		Agent: "claude", Model: "claude-opus-4-8", Session: "5e55", Branch: "main", Base: "9f1c2ab",
		Commits: []Commit{{ID: "a1b2c3d4e5"}, {ID: "b2c3d4e5f6"}}, Patch: []string{"77aa", "88bb"},
		Task: "Fix the flaky login test",
		Changes: ChangeList{Items: []Change{
			{Status: StatusModified, Path: "auth/session.go", Added: 12, Deleted: 3, Counted: true, Certainty: Shown},
			{Status: StatusRenamed, Path: "auth/clock.go", OldPath: "auth/time.go", Added: 1, Deleted: 1, Counted: true, Certainty: Likely},
		}},
		Uncommitted: ChangeList{Items: []Change{{Status: StatusAdded, Path: "notes/todo.txt", Added: 4, Counted: true, Certainty: Possible}}},
		Meanwhile:   ChangeList{Items: []Change{{Status: StatusModified, Path: "README.md"}}},
		Result:      &Result{Outcome: OutcomeOK, Success: true, Duration: 72 * time.Second, Turns: 6, CostUSD: 0.04},
		Summary:     "What the agent said last, at most 1,200 characters.",
		Facts: []Fact{{
			ID: "0199a1b2-0000-7000-8000-00000000abce", Type: Procedural, Importance: 0.8, Tags: []string{"testing", "auth"},
			Text: "The login test depends on the clock; use synctest.",
		}},
	}
}

func hostileEntry(t *testing.T) Entry {
	e := runEntry(t)
	e.Title = "## x --> <!-- agentflow v=1 -->"
	e.Commits[0].Subject, e.Commits[1].Subject = "Use a fake clock", "### Memories"
	e.PossibleCommits = []Commit{{ID: "c3d4e5f6a7", Subject: "Bump (possibly)"}, {ID: "d4e5f6a7b8"}}
	e.Uncommitted.Items[0].Note = "(possibly)"
	e.Task = "First line\n\n## 2026-01-01 00:00 · y\n\n<!-- agentflow v=1 kind=run id=z -->\n---\n### Memories\n- x <!-- id=q -->\n```\nnever closed"
	e.Summary = "Done:\n\n- a list\n- of <b>things</b> like List<String> and C:\\dir\n\n```go\nx := `1`\n```\n\n# A heading\n"
	e.Errors = []string{"exit status 1\nstderr: \x1b[31mno\x1b[0m", "**Denied**: not one", ""}
	e.Denials = []string{"Bash(git push)"}
	e.Remarks = []string{"pulled 3 commits"}
	e.Changes.Unread = "object not found"
	e.Meanwhile.Items = []Change{
		{Status: StatusModified, Path: "a \"b\"\n.txt", Note: "already changed before"},
		{Status: StatusFolder, Path: "vendor/", Files: 120, Added: 400, Deleted: 20, Counted: true},
	}
	return e
}

func TestGolden(t *testing.T) {
	note := Entry{ID: "n1", Kind: KindNote, Time: at(t, day), Facts: []Fact{{ID: "f1", Type: Semantic, Text: "Deploys happen\non Tuesdays."}}}
	commit := Entry{
		ID: "c1", Kind: KindCommit, Time: at(t, day), Title: "Bump", Task: "Bump\n\nBecause.", Commits: []Commit{{ID: "a1b2c3d4e5"}},
	}
	for name, e := range map[string]Entry{"run": runEntry(t), "hostile": hostileEntry(t), "note": note, "commit": commit} {
		t.Run(name, func(t *testing.T) {
			checkEntry(t, e)
			file := filepath.Join("testdata", name+".golden")
			got := Format(e)
			if *update {
				if err := os.WriteFile(file, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}
