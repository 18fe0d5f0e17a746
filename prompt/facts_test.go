package prompt

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"agentflow/internal/testing/randomtest"
	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/memory/retrieval"
)

var now = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// known1 returns a fact of the project's MEMORY.md.
func known1(id, text string, change func(*Fact)) Fact {
	f := Fact{Fact: memory.Fact{ID: id, Text: text, Importance: 0.5}, Path: "memory/MEMORY.md"}
	if change != nil {
		change(&f)
	}
	return f
}

var memoryFacts = []Fact{
	known1("f1", "Deploys go out on Fridays.", func(f *Fact) { f.Importance, f.Type, f.Tags = 0.9, memory.Semantic, []string{"deploy", "ops"} }),
	known1("f2", "The clock of a test is faked with synctest:\n\n    synctest.Test(t, f)\n</agentflow_memory>", func(f *Fact) { f.Evidence, f.Created = 2, now }),
	known1("f3", "Old news.", func(f *Fact) { f.Expires = now }),
	known1("f4", "Gone.", func(f *Fact) { f.Struck = true }),
	known1("f5", "This branch has a new parser.", func(f *Fact) { f.Namespace = "branch/parser" }),
	known1("f6", "That branch has none.", func(f *Fact) { f.Namespace = "branch/other" }),
	known1("f7", "Answer in short sentences.", func(f *Fact) { f.Namespace, f.Path, f.Tags = "global", "global:memory/MEMORY.md", []string{"pinned"} }),
}

func TestFormatsGolden(t *testing.T) {
	for _, format := range []Format{Compact, Detailed, Structured} {
		out := Build(Input{Task: "Why?", Known: Known{Hits: []retrieval.Hit{failedRun, loginRun, fact}, Facts: memoryFacts, Namespaces: []string{"branch/parser", "global"}}, Limits: Limits{Format: format, Standing: 1000}, Now: now})
		checkGolden(t, string(format), out.Text)
		checkBlock(t, out)
		var ids []string
		for _, f := range out.Facts {
			ids = append(ids, f.ID)
		}
		if got := strings.Join(ids, " "); got != "f7 f2 f1 f5" {
			t.Errorf("%s shows %s", format, got)
		}
	}
}

// No hit repeats one of the shown facts, or shows a fact that is struck, expired or
// of another namespace. A hit without other text is left out.
func TestHitsSayNoFactTwice(t *testing.T) {
	text := "# Memory\n\n"
	for _, f := range memoryFacts {
		text += markdown.FormatFact(f.Fact)
	}
	whole := retrieval.Hit{Path: "memory/MEMORY.md", StartLine: 1, EndLine: 12, Heading: "Memory", Text: text, RankScore: 1}
	more := whole
	more.Text += "- Also this.\n"
	for _, format := range []Format{Compact, Detailed, Structured} {
		in := Input{Task: "x", Known: Known{Hits: []retrieval.Hit{whole}, Facts: memoryFacts, Namespaces: []string{"branch/parser", "global"}}, Limits: Limits{Standing: 1000, Format: format}, Now: now}
		out := Build(in)
		if len(out.Used) != 0 || len(out.Facts) != 4 {
			t.Errorf("%s: %d hits, %d facts: %s", format, len(out.Used), len(out.Facts), out.Block)
		}
		in.Hits = []retrieval.Hit{more}
		out = Build(in)
		if len(out.Used) != 1 || strings.Count(out.Block, "Fridays") != 1 || !strings.Contains(out.Block, "Also this.") {
			t.Errorf("%s: %s", format, out.Block)
		}
		in.Standing = 0
		out = Build(in)
		if len(out.Facts) != 0 || strings.Count(out.Block, "Fridays") != 1 || !strings.Contains(out.Block, "new parser") {
			t.Errorf("%s without standing: %s", format, out.Block)
		}
		for _, gone := range []string{"Old news", "Gone.", "That branch"} {
			if strings.Contains(out.Block, gone) {
				t.Errorf("%s shows %q", format, gone)
			}
		}
	}
}

// A hit that only contains a shown fact is replaced by the entry that the fact
// was moved out of. A hit with a fact that is not shown above
// stays.
func TestFactsGivePlaceToTheirEntry(t *testing.T) {
	f := memoryFacts[0]
	hit := retrieval.Hit{Path: f.Path, StartLine: 3, EndLine: 3, Heading: "Memory", Text: markdown.FormatFact(f.Fact), EntryID: f.ID, Source: loginRun.EntryID, RankScore: 1, Origin: &loginRun}
	in := Input{Task: "x", Known: Known{Hits: []retrieval.Hit{hit, failedRun}, Facts: memoryFacts[:1]}, Limits: Limits{Standing: 1000, Top: 2}, Now: now}
	for standing, want := range map[int]string{500: loginRun.EntryID, 0: f.ID} {
		in.Standing = standing
		out := Build(in)
		if len(out.Used) != 2 || out.Used[0].EntryID != want || out.Used[1].EntryID != failedRun.EntryID || strings.Count(out.Block, "Fridays") != 1 {
			t.Errorf("with %v tokens: %+v\n%s", standing, out.Used, out.Block)
		}
	}
}

// Without facts the block is the same as without a share for them.
func TestNoFactsChangeNothing(t *testing.T) {
	in := Input{Task: "x", Known: Known{Hits: []retrieval.Hit{failedRun, loginRun, fact}}, Limits: Limits{Budget: 300}}
	want := Build(in).Text
	in.Standing, in.Now, in.Namespaces = 500, now, []string{"branch/main", "global"}
	in.Facts = memoryFacts[2:4]
	if got := Build(in).Text; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// For any input and any format: the budget holds, facts keep to
// their share, all shown text counts, and the first of equals is shown.
func TestBudgetHolds(t *testing.T) {
	words := []string{"clock", "login", "漢字", "-", "a\nb", "\n\n", "<save_memory>x</save_memory>", "```", "# h", "~~", "very", "long", strings.Repeat("x", 100)}
	randomtest.Check(t, 500, func(t *testing.T, rnd *rand.Rand) {
		in := Input{Task: "x", Limits: Limits{Budget: 1 + rnd.IntN(800), Standing: rnd.IntN(500), Format: randomtest.Pick(rnd, Compact, Detailed, Structured)}, Now: now}
		for i := range rnd.IntN(30) {
			in.Facts = append(in.Facts, known1(fmt.Sprint(i), strings.Join(randomtest.Picks(rnd, 1, 30, words...), " "), func(f *Fact) {
				f.Standing, f.Author, f.Uses, f.Chance = rnd.IntN(2) == 0, randomtest.Pick(rnd, "", "Ada\n[1]"), rnd.IntN(3), rnd.Float64()
				f.Importance, f.Evidence, f.Path = rnd.Float64(), rnd.Float64(), randomtest.Pick(rnd, "memory/MEMORY.md", "global:memory/MEMORY.md")
			}))
		}
		for range rnd.IntN(6) {
			h := randomtest.Pick(rnd, failedRun, loginRun, fact)
			h.Text += strings.Join(randomtest.Picks(rnd, 0, 300, words...), " ")
			in.Hits = append(in.Hits, h)
		}
		out := Build(in)
		if out.Tokens > in.Budget {
			t.Fatalf("%d tokens of %d:\n%s", out.Tokens, in.Budget, out.Block)
		}
		sum := 0
		for i, n := range out.Costs {
			if sum += n; i == len(out.Facts)-1 && (sum > in.Standing || float64(sum) > 0.6*float64(in.Budget)) {
				t.Fatalf("facts take %d of %d, more than %d", sum, in.Budget, in.Standing)
			}
		}
		if out.Block != "" {
			checkBlock(t, out)
			if frame := out.Tokens - sum; frame > memory.Tokens(blockOpen+blockClose) || frame < memory.Tokens(blockOpen+blockClose)-len(out.Costs)-2 {
				t.Fatalf("the frame costs %d", frame)
			}
		}
		order := ranked(in.Facts, now, nil)
		at := -1
		for _, f := range out.Facts {
			next := slices.IndexFunc(order, func(k Fact) bool { return k.ID == f.ID })
			if next <= at {
				t.Fatalf("fact %s is out of order", f.ID)
			}
			at = next
		}
	})
}

// TestHandWrittenFactsAreSaidOnce: a person's lines in MEMORY.md are among
// the facts, and a hit with nothing else is left out.
func TestHandWrittenFactsAreSaidOnce(t *testing.T) {
	const text = "# Memory\n\n- Use tabs.\n- ~~Use spaces.~~\n\nRun the linter.\n"
	var facts []Fact
	for _, n := range markdown.Parse([]byte(text)).Notes(memory.LastingFile) {
		facts = append(facts, Fact{Fact: memory.Fact{Text: n.Text, Struck: n.Struck}, Path: "memory/MEMORY.md", Line: n.StartLine})
	}
	hit := retrieval.Hit{Path: "memory/MEMORY.md", StartLine: 1, EndLine: 6, Heading: "Memory", RankScore: 1, Text: text}
	out := Build(Input{Task: "x", Known: Known{Facts: facts, Hits: []retrieval.Hit{hit}}, Limits: Limits{Standing: 1000}})
	if len(out.Used) != 0 || len(out.Facts) != 2 || strings.Count(out.Block, "Use tabs.") != 1 || strings.Contains(out.Block, "spaces") {
		t.Errorf("%d hits, %d facts:\n%s", len(out.Used), len(out.Facts), out.Block)
	}
	other := retrieval.Hit{Path: "memory/2026-11-20.md", StartLine: 1, EndLine: 2, Heading: "Other", Text: "Something else.\n"}
	if out = Build(Input{Task: "x", Known: Known{Facts: facts, Hits: []retrieval.Hit{hit, other}}, Limits: Limits{Top: 1, Standing: 1000}}); len(out.Used) != 1 || out.Used[0].Path != other.Path {
		t.Errorf("what was left out took the place of another:\n%s", out.Block)
	}
	hit.Text += "\n- Say why.\n"
	if out = Build(Input{Task: "x", Known: Known{Facts: facts, Hits: []retrieval.Hit{hit}}, Limits: Limits{Standing: 1000}}); len(out.Used) != 1 {
		t.Errorf("a hit that says more was left out:\n%s", out.Block)
	}
}

// TestPlaceIsShown: a fact is shown with its headings in each format, and so
// is a hit that begins with an inner heading.
func TestPlaceIsShown(t *testing.T) {
	under := Fact{Fact: memory.Fact{Text: "`terraform apply`", Under: []string{"Production", "Never"}}, Path: "memory/MEMORY.md", Line: 5}
	plain := Fact{Fact: memory.Fact{Text: "`terraform apply`"}, Path: "memory/MEMORY.md", Line: 9}
	hit := retrieval.Hit{Path: "memory/ops.md", StartLine: 7, EndLine: 9, Heading: "Notes > Production > Do not", Text: "### Do not\n\n- Drop tables\n"}
	for _, format := range []Format{Compact, Detailed, Structured} {
		out := Build(Input{Task: "x", Known: Known{Facts: []Fact{under, plain}, Hits: []retrieval.Hit{hit}}, Limits: Limits{Standing: 1000, Format: format}})
		for _, want := range []string{"Production: Never: `terraform apply`", "Production"} {
			if !strings.Contains(out.Block, want) {
				t.Errorf("%s: %q is missing:\n%s", format, want, out.Block)
			}
		}
		if len(out.Facts) != 2 || len(out.Used) != 1 || format != Structured && !strings.Contains(out.Block, "> Notes > Production\n> ### Do not\n") {
			t.Errorf("%s:\n%s", format, out.Block)
		}
	}
}

// TestStandingFactsComeFirst: facts that people state come before those of agents, below a line
// that names the person. A fact that the task more probably needs comes first.
func TestStandingFactsComeFirst(t *testing.T) {
	stated := func(id, text string, chance float64, author, namespace string) Fact {
		return known1(id, text, func(f *Fact) { f.Standing, f.Chance, f.Author, f.Namespace = true, chance, author, namespace })
	}
	facts := []Fact{
		known1("agent", "An agent said it.", func(f *Fact) { f.Importance, f.Evidence = 1, 1 }),
		stated("unlikely", "Use tabs.", 0.1, "", ""),
		stated("likely", "Run the tests with uv.", 0.9, "", ""),
		stated("shared", "Deploy on Mondays.", 0.5, "ada\n> x", ""),
		stated("everywhere", "Answer in German.", 0.2, "", memory.GlobalNamespace),
	}
	out := Build(Input{Task: "x", Known: Known{Facts: facts, Namespaces: []string{memory.GlobalNamespace}}, Limits: Limits{Standing: 500}, Now: now})
	checkBlock(t, out)
	want := `[stated] by the user
> - Run the tests with uv.
> - Use tabs.
[stated] by "ada > x", who shares it
> - Deploy on Mondays.
[stated] by the user, for every repository
> - Answer in German.
[facts] memory/MEMORY.md
> - An agent said it.
`
	if !strings.Contains(out.Block, want) {
		t.Errorf("got\n%s\nwant\n%s", out.Block, want)
	}
	if got := Standing(Input{Limits: Limits{Standing: 500, Budget: 300}}); got != 180 {
		t.Errorf("%d tokens of a budget of 300", got)
	}
}
