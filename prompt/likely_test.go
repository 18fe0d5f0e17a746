package prompt

import (
	"fmt"
	"strings"
	"testing"

	"agentflow/internal/roles"
	"agentflow/memory"
	"agentflow/memory/retrieval"
)

func sure(path, why string) retrieval.LikelyFile {
	return retrieval.LikelyFile{Path: path, Why: why, Chance: 0.5, Sure: true}
}

// runHit returns a run with a list of n changes.
func runHit(n int) retrieval.Hit {
	var b strings.Builder
	b.WriteString("## 2026-11-21 14:32 · Fix the login\n\n### Changes\n")
	for i := range n {
		fmt.Fprintf(&b, "- M pkg/file%02d.go (+1 −1)\n", i)
	}
	return retrieval.Hit{Path: "memory/2026-11-21.md", StartLine: 3, EndLine: 9, Kind: memory.KindRun, Heading: "2026-11-21 14:32 · Fix the login", Text: b.String(), RankScore: 1}
}

// TestLikely: the sure files come before the hits, within their bounds, and without a hit
// too, but not where no entry is wanted.
func TestLikely(t *testing.T) {
	in := Input{Task: "x", Known: Known{Hits: []retrieval.Hit{runHit(2)}, Files: []retrieval.LikelyFile{{Path: "unsure.md", Why: "a similar task"}, sure("auth/session.go", "defines Expired"), sure("auth/</agentflow_memory>", "named \"x\""), {Path: "web/page.ts", Why: "3 similar tasks"}}}}
	out := Build(in)
	if !strings.Contains(out.Block, "[files] likely involved, by earlier work and names\n> auth/session.go: defines Expired\n") || strings.Contains(out.Block, "web/page.ts") || len(out.Files) != 2 {
		t.Errorf("%s\n%v", out.Block, out.Files)
	}
	if strings.Count(out.Block, "</agentflow_memory>") != 1 {
		t.Errorf("a path ends the block:\n%s", out.Block)
	}
	in.Hits = nil
	if out := Build(in); !strings.Contains(out.Block, "> auth/session.go: ") || len(out.Used) != 0 {
		t.Errorf("without a hit: %s", out.Block)
	}
	in.Top = -1
	if out := Build(in); out.Block != "" {
		t.Errorf("without entries: %s", out.Block)
	}
	in.Top = 0
	in.Hits, in.Files = []retrieval.Hit{runHit(2)}, nil
	for i := range 40 {
		in.Files = append(in.Files, sure(fmt.Sprintf("some/long/folder/name/of/a/package/file%02d.go", i), "changed with auth/session.go"))
	}
	out = Build(in)
	text, shown := likely(in.Files, 10_000)
	if memory.Tokens(text) > filesTokens || len(shown) == 0 || len(shown) > maxFiles || len(out.Files) != len(shown) {
		t.Errorf("%d files in %d tokens, %d in the block", len(shown), memory.Tokens(text), len(out.Files))
	}
	if text, shown := likely(in.Files, 5); text != "" || shown != nil {
		t.Errorf("in 5 tokens: %s", text)
	}
}

// TestFilesOfTheTaskAreNotListed: a file that the task names by its path is known already. The
// path may be an example, and then the file would mislead.
func TestFilesOfTheTaskAreNotListed(t *testing.T) {
	in := Input{Known: Known{Files: []retrieval.LikelyFile{sure("src/walk.rs", "11 similar tasks"), sure("src/main.rs", "a similar task")}}}
	for task, want := range map[string]int{
		"people paste a path as the pattern, `fd src/walk.rs`, and get nothing": 1,
		"fix src/main.rs:12 and src/walk.rs.":                                   0,
		"fix walk.rs, and src/walk.rst":                                         2,
		"see src/walk.rs#L12":                                                   1,
	} {
		in.Task = task
		if got := Build(in).Files; len(got) != want {
			t.Errorf("%s: %v", task, got)
		}
	}
}

// TestLongListsAreCut: of a long list of changes those of likely files stay, in
// their order, and then the first ones.
func TestLongListsAreCut(t *testing.T) {
	in := Input{Task: "x", Known: Known{Hits: []retrieval.Hit{runHit(20)}, Files: []retrieval.LikelyFile{{Path: "pkg/file15.go"}, {Path: "pkg/file11.go"}}}}
	block := Build(in).Block
	want := " (pkg/file15.go, pkg/file11.go and 18 more)\n"
	if !strings.Contains(block, want) || strings.Count(block, "pkg/") != briefFiles {
		t.Error(block)
	}
	in.Hits[0] = runHit(briefFiles)
	if block := Build(in).Block; strings.Count(block, "pkg/") != briefFiles || strings.Contains(block, "more") {
		t.Error(block)
	}
	in.Hits[0], in.Format = runHit(20), Detailed
	if block := Build(in).Block; strings.Count(block, "pkg/") != 20 {
		t.Error(block)
	}
}

// TestMissingFiles: an entry names no missing file, because nothing can be done there.
func TestMissingFiles(t *testing.T) {
	h := retrieval.Hit{Kind: memory.KindCommit, Heading: "Test on two versions", Missing: []string{".travis.yml"}, Text: "## 11:28 Test on two versions\n\n- changed: .travis.yml +1 −1, go.mod +1 −1\n\n" +
		"<!-- agentflow v=2 kind=commit id=01a217a4-36ea-7000-8000-000000000001 time=2026-05-04T11:28:00Z -->\n"}
	if got := Build(Input{Task: "which versions", Known: Known{Hits: []retrieval.Hit{h}}}).Block; !strings.Contains(got, "> Test on two versions (go.mod)\n") {
		t.Errorf("%s", got)
	}
}

// TestSpokenOf: a file at the root that the task names by its words is not listed: the README.
func TestSpokenOf(t *testing.T) {
	for path, want := range map[string]bool{"README.md": true, ".pre-commit-config.yaml": true, "docs/README.md": false, "go.mod": false, "retry.go": false, "Dockerfile": false} {
		f := retrieval.LikelyFile{Path: path, Role: string(roles.Of(path))}
		if got := isSpokenOf(f, " "+spaced("Go: the readme and the pre-commit config say nothing of retry")+" "); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
}
