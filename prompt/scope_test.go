package prompt

import (
	"fmt"
	"strings"
	"testing"

	"agentflow/memory"
	"agentflow/memory/retrieval"
)

func TestPlacesOf(t *testing.T) {
	files := []retrieval.LikelyFile{{Path: "db/a.sql", Sure: true}, {Path: "maybe.go"}}
	for task, want := range map[string]string{
		"Fix the login":                           "[] [db/a.sql]",
		"Fix `web/src/a.ts:42`, please.":          "[] [web/src/a.ts db/a.sql]",
		"Look at (./web/) and @main.go.":          "[web] [main.go db/a.sql]",
		`Look at web\src\a.ts and "x y"!`:         "[] [web/src/a.ts db/a.sql]",
		"See https://example.com/web/ and e.g. .": "[] [e.g db/a.sql]",
		"Wait ... / // for v":                     "[] [db/a.sql]",
	} {
		p := PlacesOf("", task, files)
		if got := fmt.Sprintf("%v %v", p.Folders[1:], p.Files); got != want {
			t.Errorf("%q: %s, want %s", task, got, want)
		}
	}
	if p := PlacesOf("web", strings.Repeat("a/b ", 1000), nil); p.Folders[0] != "web" || len(p.Files) > maxNamed {
		t.Errorf("%d files, %q", len(p.Files), p.Folders)
	}
}

// forFiles returns a stated fact about some files.
func forFiles(id, text string, paths ...string) Fact {
	return known1(id, text, func(f *Fact) { f.Standing, f.Paths, f.Tags = true, paths, []string{memory.PinnedTag} })
}

// TestScopedFactsAreShownWhereTheyMatter: this includes pinned facts, notes, and facts that hits
// repeat.
func TestScopedFactsAreShownWhereTheyMatter(t *testing.T) {
	in := Input{Task: "Fix it", Known: Known{Facts: []Fact{forFiles("w", "Use pnpm.", "web/**"), forFiles("a", "Say please.")}, Notes: []Fact{forFiles("n", "Write SQL in upper case.", "*.sql")}, Hits: []retrieval.Hit{
		{Path: "memory/MEMORY.md", StartLine: 1, EndLine: 1, Text: "- Use pnpm.\n"},
		{Path: "memory/2026-11-20.md", StartLine: 9, Kind: memory.KindNote, Heading: "Use pnpm.", Text: "- Use pnpm. <!-- id=w -->\n"},
	}}, Limits: Limits{Standing: 1000}, Now: now}
	for _, c := range []struct {
		change func(*Input)
		want   string // the text shown with the pattern
	}{
		{func(*Input) {}, "a:"},
		{func(in *Input) { in.Folder = "web/src" }, "a: w:web/**"},
		{func(in *Input) { in.Task = "Fix web/a.ts" }, "a: w:web/**"},
		{func(in *Input) { in.Files = []retrieval.LikelyFile{{Path: "db/1.sql", Sure: true}} }, "a: n:*.sql"},
		{func(in *Input) { in.Files = []retrieval.LikelyFile{{Path: "db/1.sql"}} }, "a:"},
		{func(in *Input) {
			in.Hits, in.Files = nil, []retrieval.LikelyFile{{Path: "db/1.sql", Chance: 0.4, Sure: true}}
		}, "a:"},
		{func(in *Input) {
			in.Hits, in.Files = nil, []retrieval.LikelyFile{{Path: "db/1.sql", Chance: 0.5, Sure: true}}
		}, "a: n:*.sql"},
		{func(in *Input) {
			in.Hits, in.Files = nil, []retrieval.LikelyFile{{Path: "db/1.sql", Chance: 0.4, Sure: true}, {Path: "a.go", Chance: 0.2, Sure: true}}
		}, "a: n:*.sql"},
	} {
		in := in
		c.change(&in)
		out := Build(in)
		shown := map[string]string{}
		for _, f := range append(out.Facts, out.Notes...) {
			shown[f.ID] = f.For
		}
		var got []string
		for _, id := range []string{"a", "n", "w"} {
			if pattern, ok := shown[id]; ok {
				got = append(got, id+":"+pattern)
			}
		}
		if strings.Join(got, " ") != c.want || strings.Contains(out.Block, "pnpm") != strings.Contains(c.want, "w:") || len(out.Used) > 0 {
			t.Errorf("%q, want %q:\n%s", got, c.want, out.Block)
		}
	}
}

// TestHitsDoNotRepeatWhatWasSeen: as a fact earlier in the session.
func TestHitsDoNotRepeatWhatWasSeen(t *testing.T) {
	piece := retrieval.Hit{Path: "memory/MEMORY.md", StartLine: 1, EndLine: 2, Text: "- Use pnpm.\n- Say please.\n", RankScore: 1}
	pnpm, please := known1("", "Use pnpm.", nil), known1("", "Say please.", nil)
	for want, seen := range map[int][]Fact{1: {pnpm}, 0: {pnpm, please}} {
		if out := Part(Input{Task: "x", Known: Known{Hits: []retrieval.Hit{piece}}, Seen: seen, Now: now}); len(out.Used) != want {
			t.Errorf("with %d seen: %s", len(seen), out.Block)
		}
	}
}

// TestAKnownHeadIsShort: a reader who has seen a block does not get the reading instructions again.
func TestAKnownHeadIsShort(t *testing.T) {
	in := Input{Task: "x", Known: Known{Facts: []Fact{known1("", "Use pnpm.", nil)}}, Limits: Limits{Standing: 1000}, Now: now}
	long := Part(in)
	in.Again = true
	short := Part(in)
	if !strings.HasPrefix(long.Block, blockOpen) || !strings.HasPrefix(short.Block, blockAgain) || long.Tokens-short.Tokens < 45 {
		t.Errorf("%d and %d tokens:\n%s%s", long.Tokens, short.Tokens, long.Block, short.Block)
	}
}

// TestASessionBeginsWithTheFactsOfItsFolder, and with no others that have paths.
func TestASessionBeginsWithTheFactsOfItsFolder(t *testing.T) {
	for folder, want := range map[string]bool{"": false, "api": false, "web/src": true} {
		begun := SessionStart{Known: Known{Facts: []Fact{forFiles("w", "Use pnpm.", "web/**"), forFiles("a", "Say please.")}, Notes: []Fact{forFiles("n", "Use npm.", "web/**")}, Folder: folder}, Limits: Limits{Standing: 1000, Budget: 1000}, Now: now}.Begin()
		if strings.Contains(begun.Text, "pnpm") != want || strings.Contains(begun.Text, "npm.") != want || !strings.Contains(begun.Text, "please") || len(begun.Facts)+len(begun.Notes) != map[bool]int{true: 3, false: 1}[want] {
			t.Errorf("in %q:\n%s", folder, begun.Text)
		}
	}
}
