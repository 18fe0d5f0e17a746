package prompt

import (
	"strings"
	"testing"
	"time"

	"agentflow/memory"
	"agentflow/memory/retrieval"
)

// A hit is its date and commit, its title with files, and the reason: nothing twice, no
// trailers, links or references, and whole sentences.
func TestReasons(t *testing.T) {
	for name, c := range map[string]struct{ text, title, want string }{
		"the title again":     {"Add a flag.\n\nAdds a flag (#12).", "Add a flag", ""},
		"trailers":            {"Ports are checked first, e.g. those below 1024.\n\nCloses #12, #13\nSigned-off-by: A <a@b>\nCo-Authored-By: B <b@c>", "x", "Ports are checked first, e.g. those below 1024."},
		"a tool's trailer":    {"Follow-up: ports are checked.\n\nEntire-Checkpoint: 05fc557f7824", "x", "Follow-up: ports are checked."},
		"references":          {"See https://example.com/1.\nFixes owner/repo#3 and #4", "x", ""},
		"a list":              {"- one thing\n* [another](https://example.com) thing\n- [Notes](https://example.com/notes)\n\nAnd why", "x", "one thing; another thing. And why"},
		"code and a bot":      {"Why\n```go\ncode\n```\n\n---\nupdated-dependencies:\n- dependency-name: x", "y", "Why"},
		"whole sentences":     {"The first one. " + strings.Repeat("word ", 50) + "end.", "x", "The first one."},
		"a long first one":    {strings.Repeat("word ", 50), "x", strings.TrimSpace(strings.Repeat("word ", 39)) + "…"},
		"a quote that is cut": {`Asked: "It's slow. ` + strings.Repeat("word ", 50) + `end." It is fast now.`, "x", `Asked: "It's slow."`},
		"a whole quote":       {`Asked: "It's slow." It is fast now.`, "x", `Asked: "It's slow." It is fast now.`},
		"a word in a colon":   {"Refs: the type of a reference", "x", "Refs: the type of a reference"},
	} {
		if got := reasons(c.text, c.title, 200); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func hitOf(text, heading string) retrieval.Hit {
	return retrieval.Hit{Path: "memory/2026-11-21.md", StartLine: 3, EndLine: 9, Heading: "2026-11-21 14:32 · " + heading, Text: text, Kind: memory.KindCommit,
		EntryID: "0199f0c4-0000-7000-8000-00000abcdef0", Date: time.Date(2026, 11, 21, 14, 32, 0, 0, time.UTC), RankScore: 1}
}

// A piece of an entry of version 2 has no comment, or a part of one, and is shown like the
// entry. A title that is cut is shown whole.
func TestPiecesOfVersion2(t *testing.T) {
	for name, c := range map[string]struct{ text, heading, want string }{
		"the beginning": {"## 14:32 Add a flag (#7)\n\n\\* It has a default.\n\n- changed: a.go +1 −0, b_test.go +2 −1, c.go +1 −1\n", "Add a flag (#7)", "> Add a flag (a.go, c.go and 1 more)\n> It has a default.\n"},
		"the end":       {"0+57%20%E2%88%9255,c_test.go%20+93 made=1,2 -->\n", "Add a flag", "> Add a flag\n"},
		"half a comment": {"## 14:32 Add a flag\n\n- changed: a.go +1 −0\n\n<!-- agentflow v=2 kind=commit id=0199f0c4-0000-7000-8000-00000abcdef0 more=x,",
			"Add a flag", "> Add a flag (a.go)\n"},
		"a cut title": {"## 14:32 Add a flag that has…\n\nAdd a flag that has a value. Its default is 3.\n", "Add a flag that has…", "> Add a flag that has a value\n> Its default is 3.\n"},
	} {
		h := hitOf(c.text, c.heading)
		h.Kind = memory.KindRun
		block := Build(Input{Task: "the default", Known: Known{Hits: []retrieval.Hit{h}}}).Block
		if !strings.Contains(block, "[1] 2026-11-21 · entry bcdef0\n"+c.want+blockClose) {
			t.Errorf("%s:\n%s", name, block)
		}
	}
}

// TestReasonOfACommit: a commit says only its title, an agent's entry its reason too.
func TestReasonOfACommit(t *testing.T) {
	text := "## 14:32 Add a flag\n\nIt has a default. A subshell per option is slow.\n\n- changed: a.go +1 −0\n"
	for kind, want := range map[memory.Kind]bool{memory.KindCommit: false, memory.KindRun: true, memory.KindSession: true} {
		h := hitOf(text, "Add a flag")
		h.Kind = kind
		if got := strings.Contains(Build(Input{Task: "why is the option slow", Known: Known{Hits: []retrieval.Hit{h}}}).Block, "subshell"); got != want {
			t.Errorf("%s: its reason is shown: %v", kind, got)
		}
	}
}

// A merge that only has the title of another hit is left out.
func TestOnlyTheTitleOfAnother(t *testing.T) {
	merge := hitOf("## 14:32 Add a flag (#7)\n", "Add a flag (#7)")
	merge.RankScore = 2
	change := hitOf("## 14:32 Add a flag\n\n- changed: a.go +1 −0\n", "Add a flag")
	longer := hitOf("## 14:32 Add a flag for ports\n", "Add a flag for ports")
	out := Build(Input{Task: "x", Known: Known{Hits: []retrieval.Hit{merge, change, longer}}})
	if len(out.Used) != 2 || strings.Contains(out.Block, "#7") || !strings.Contains(out.Block, "> Add a flag (a.go)\n[2]") {
		t.Error(out.Block)
	}
	if out = Build(Input{Task: "x", Known: Known{Hits: []retrieval.Hit{merge, longer}}}); len(out.Used) != 2 {
		t.Error(out.Block)
	}
}
