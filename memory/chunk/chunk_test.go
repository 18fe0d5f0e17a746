package chunk

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"agentflow/internal/testing/endtest"
	"agentflow/internal/testing/memorytest"
	"agentflow/internal/testing/randomtest"
	"agentflow/memory"
	"agentflow/memory/changeset"
	"agentflow/memory/internal/outline"
	"agentflow/memory/markdown"
)

func TestChunksOverlap(t *testing.T) {
	const limit = 100
	entry := memory.Entry{ID: "e1", Kind: memory.KindRun, Time: memorytest.At(t, memorytest.Day), Title: "Long", Summary: numbered(100)}
	for name, src := range map[string]string{"hand-written": numbered(100), "entry": string(markdown.Format(entry))} {
		for _, overlap := range []int{0, 20, limit * 10} {
			t.Run(fmt.Sprint(name, overlap), func(t *testing.T) {
				list := collected(daily, markdown.Parse([]byte(src)), limit, overlap, time.Time{})
				if len(list) < 6 {
					t.Fatalf("%d chunks", len(list))
				}
				repeated := 0
				for i, c := range list[1:] {
					if n := memory.Tokens(c.Text); n > limit {
						t.Errorf("%d tokens in %q", n, c.Text)
					}
					again := shared(list[i].Text, c.Text)
					switch {
					case memory.Tokens(again) > min(overlap, limit/2+1):
						t.Errorf("%q is said twice", again)
					case again != "" && !strings.HasPrefix(again, "Sentence "):
						t.Errorf("%q begins within a sentence", again)
					case again != "":
						repeated++
					}
				}
				if overlap == 0 && repeated > 0 || overlap > 0 && repeated < len(list)/2 {
					t.Errorf("%d of %d chunks repeat the end of the one before", repeated, len(list))
				}
				for i := range 100 {
					if s := fmt.Sprintf("Sentence %04d says this.", i); !slices.ContainsFunc(list, func(c Chunk) bool { return strings.Contains(c.Body, s) }) {
						t.Errorf("%q is whole in no chunk", s)
					}
				}
			})
		}
	}
}

func TestSectionsDoNotOverlap(t *testing.T) {
	src := "# One\n\n" + numbered(30) + "\n\n## Two\n\nOnly here.\n"
	list := collected(daily, markdown.Parse([]byte(src)), 100, 50, time.Time{})
	if last := list[len(list)-1]; last.Heading != "One > Two" || last.Text != "## Two\n\nOnly here." {
		t.Errorf("%+v", last)
	}
}

// A part of an entry that is cut before a section repeats nothing.
func TestSectionsOfEntryDoNotOverlap(t *testing.T) {
	e := memory.Entry{ID: "e1", Kind: memory.KindRun, Time: memorytest.At(t, memorytest.Day), Task: numbered(5), Summary: numbered(30)}
	list := collected(daily, markdown.Parse(markdown.Format(e)), 100, 50, time.Time{})
	if !strings.HasPrefix(list[1].Text, "### ") || !strings.HasPrefix(list[2].Text, "Sentence ") {
		t.Errorf("after %q come %q and %q", list[0].Text, list[1].Text, list[2].Text)
	}
}

func TestDateHeadingIsNoChunk(t *testing.T) {
	entry := string(markdown.Format(memorytest.RunEntry(t)))
	for src, want := range map[string][]string{
		"# 2026-11-21\n":                             nil,
		"# 2026-11-21":                               nil,
		"\uFEFF# 2026-11-21\r\n\r\n":                 nil,
		"# 2026-11-21\n\n## 14:32 · 2026-11-21 ##\n": nil,
		"# 2026-11-21\n\n---\n\n- \n":                nil,
		"# 2026-11-21\n\n```\n```\n":                 nil,
		"# 2026-11-21\n\n" + entry:                   {strings.TrimSpace(entry)},
		entry + "# 2026-11-22\n\n" + entry:           {strings.TrimSpace(entry), strings.TrimSpace(entry)},
		"words\n\n# 2026-11-22\n":                    {"words"},
		"# 2026-11-21\n\nwords\n":                    {"# 2026-11-21\n\nwords"},
		"# 2026-11-21\n\n## Notes\n":                 nil,
		"# 2026-11-21\n\n## Plans\n":                 {"# 2026-11-21\n\n## Plans"},
		"# 2026-11-21\n\n- 8080\n":                   {"# 2026-11-21\n\n- 8080"},
		"# 2026-11-21\n\n```\n# 2026-11-21\n```\n":   {"# 2026-11-21\n\n```\n# 2026-11-21\n```"},
		"# 2026-11-21\n\n漢字\n":                       {"# 2026-11-21\n\n漢字"},
		"# Notes of 2026-11-21\n":                    {"# Notes of 2026-11-21"},
		"# 2026-11-21 42\n":                          {"# 2026-11-21 42"},
		"# 42\n":                                     {"# 42"},
		"2026-11-21\n":                               {"2026-11-21"},
	} {
		d := markdown.Parse([]byte(src))
		var got []string
		for _, c := range collected(daily, d, 400, 80, time.Time{}) {
			got = append(got, c.Text)
		}
		if !slices.Equal(got, want) || string(d.Bytes()) != src {
			t.Errorf("%q: chunks %q, want %q", src, got, want)
		}
	}
}

// A date heading that is left out still dates and names the text below it, and takes no ordinal.
func TestDateHeadingStillDates(t *testing.T) {
	src := "# 2026-10-02\n\n---\n\n## Port\n\n8080\n"
	list := collected("MEMORY.md", markdown.Parse([]byte(src)), 400, 80, time.Time{})
	if len(list) != 1 {
		t.Fatalf("%d chunks", len(list))
	}
	if c := list[0]; c.Heading != "2026-10-02 > Port" || c.Ordinal != 0 || c.StartLine != 5 || !c.Date.Equal(time.Date(2026, 10, 2, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("%+v", c)
	}
}

// Every word of a file is in a chunk, for any cuts. Only headings that are dates, comments, front
// matter and struck text may be missing.
func TestChunksLoseNoWord(t *testing.T) {
	all := pieces()
	randomtest.Check(t, 2000, func(t *testing.T, rnd *rand.Rand) {
		src := []byte(strings.Join(randomtest.Picks(rnd, 0, 60, all...), ""))
		d := markdown.Parse(src)
		held := make([]bool, outline.Split(src).Count())
		for _, c := range collected(daily, d, 1+rnd.IntN(40), rnd.IntN(20), time.Time{}) {
			checkChunk(t, d, c)
			for i := c.StartLine - 1; i < c.EndLine; i++ {
				held[i] = true
			}
		}
		for _, b := range d.Blocks {
			l := outline.Split(b.Raw)
			o := outline.Of(l, 0, l.Count(), b.StartLine == 1)
			for i := range l.Count() {
				line := l.Line(i)
				if b.Entry == nil {
					line = outline.Visible(line)
				}
				e := o.At(i)
				silent := b.Entry == nil && (e.Kind == outline.Comment || e.Kind == outline.FrontMatter || e.Kind == outline.HeadingLine && !e.HasWords(l))
				silent = silent || slices.ContainsFunc(b.Facts, func(f markdown.FactAt) bool {
					return f.Struck && f.StartLine <= b.StartLine+i && b.StartLine+i <= f.EndLine
				})
				if !held[b.StartLine-1+i] && strings.ContainsFunc(line, wordRune) && !silent {
					t.Fatalf("line %d, %q, is in no chunk of %q", b.StartLine+i, l.Line(i), src)
				}
			}
		}
	})
}

// Texts much larger than hand-written ones are cut in time, completely, into chunks that hold all
// of them.
func TestHugeTexts(t *testing.T) {
	const mega = 10 << 20
	var bullets, facts strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&bullets, "- bullet %d\n", i)
		fmt.Fprintf(&facts, "- fact %d <!-- id=f%d type=semantic -->\n", i, i)
	}
	inEntry := memory.Entry{ID: "e1", Kind: memory.KindNote, Time: memorytest.At(t, memorytest.Day)}
	head, tail, _ := strings.Cut(string(markdown.Format(inEntry)), "---\n")
	for name, c := range map[string]struct {
		src   string
		facts int
	}{
		"one word":         {strings.Repeat("x", mega), 0},
		"one line":         {strings.Repeat("word and word. ", mega/15), 0},
		"one fence line":   {"```\n" + strings.Repeat("word ", mega/5) + "\n```\n", 0},
		"one heading":      {"# " + strings.Repeat("word ", mega/5), 0},
		"one bullet":       {"- " + strings.Repeat("word ", mega/5) + "<!-- id=f0 -->\n", 1},
		"bullets":          {bullets.String(), 0},
		"facts":            {facts.String(), 100_000},
		"facts of a note":  {head + "### Memories\n\n" + facts.String() + "---\n" + tail, 100_000},
		"line of an entry": {head + "### Summary\n\n" + strings.Repeat("word ", mega/5) + "\n\n---\n" + tail, 0},
	} {
		t.Run(name, func(t *testing.T) {
			src := []byte(c.src)
			d := markdown.Parse(src)
			if !bytes.Equal(d.Bytes(), src) {
				t.Fatal("the bytes differ")
			}
			n := 0
			for _, b := range d.Blocks {
				n += len(b.Facts)
			}
			if n != c.facts {
				t.Errorf("%d facts, want %d", n, c.facts)
			}
			checkCover(t, string(src), collected(daily, d, 400, 0, time.Time{}))
		})
	}
}

// Nothing is lost of a text that has no end in sight.
func TestChunksOfLongText(t *testing.T) {
	const n = 4096
	linesOf := func(line string) string { return strings.Repeat(line+"\n", n) }
	entry := string(markdown.Format(memory.Entry{ID: "e1", Kind: memory.KindNote, Time: memorytest.At(t, memorytest.Day), Title: "Entry"}))
	head, _, _ := strings.Cut(entry, "---\n")
	for name, body := range map[string]string{
		"word":          strings.Repeat("x", n*10),
		"wide word":     strings.Repeat("漢", n*10),
		"line":          strings.Repeat("word and word. ", n),
		"paragraphs":    linesOf("a line\n"),
		"blank":         linesOf("") + "x",
		"open fence":    "```\n" + linesOf("code"),
		"open comment":  "<!--\n" + linesOf("text"),
		"closed fence":  "```sh\n" + linesOf("# code") + "```\n",
		"long table":    "| a |\n|---|\n" + linesOf("| b |"),
		"invalid bytes": strings.Repeat("\xff\x00a", n*10),
	} {
		for _, begin := range []string{"", "# 2026-10-02\n\n## Long\n\n", head + "### Summary\n\n"} {
			src := begin + body + "\n\n# After\n\nlast\n"
			list := collected(daily, markdown.Parse([]byte(src)), 100, 0, time.Time{})
			checkCover(t, src, list)
			if last := list[len(list)-1]; last.Text != "# After\n\nlast" {
				t.Errorf("%s after %q: it ends with %+v", name, begin, last)
			}
		}
	}
}

func TestChunks(t *testing.T) {
	e := memorytest.RunEntry(t)
	e.Summary = strings.Repeat("A sentence of some words. ", 120) + "End."
	hand := "# Notes of 2026-10-02\n\nIntro.\n\n## Sub\n\n- tip <!-- id=f9 type=semantic tags=pinned importance=0.9 -->\n"
	src := hand + string(markdown.Format(memorytest.RunEntry(t))) + string(markdown.Format(e))
	list := collected("memory/2026-11-21.md", markdown.Parse([]byte(src)), 400, 80, time.Time{})
	if len(list) < 5 {
		t.Fatalf("%d chunks", len(list))
	}
	if c := list[1]; c.Heading != "Notes of 2026-10-02 > Sub" || c.StartLine != 5 || c.EndLine != 7 || c.Body != "- tip" || !c.Pinned ||
		!c.Date.Equal(time.Date(2026, 10, 2, 0, 0, 0, 0, time.UTC)) || c.Importance != 0.9 {
		t.Errorf("text %+v", c)
	}
	whole := list[2]
	if whole.StartLine != 8 || whole.Text+"\n\n" != string(markdown.Format(memorytest.RunEntry(t))) || whole.Files != "auth/session.go\nauth/clock.go\nauth/time.go\nnotes/todo.txt\nREADME.md" {
		t.Errorf("entry %+v", whole)
	}
	for i, c := range list[3:] {
		if c.Ordinal != i || c.EntryID != e.ID || memory.Tokens(c.Text) > 400 {
			t.Errorf("part %d: ordinal %d, %d tokens", i, c.Ordinal, memory.Tokens(c.Text))
		}
	}
	if last := list[len(list)-1]; !strings.Contains(last.Body, "use synctest") || strings.Contains(last.Body, "None") {
		t.Errorf("last part %q", last.Body)
	}
}

// TestLongTexts reads texts of megabytes, in which work that grows with their
// square would take hours; BenchmarkLongTexts has the ratio.
func TestLongTexts(t *testing.T) {
	for name, unit := range units {
		endtest.Soon(t, name, func() { chunked(unit, 200_000) })
	}
}

var units = map[string]string{
	"bullets":      "- x <!-- id=1 -->\n",
	"plain":        "- x\n  y\n",
	"open fences":  "```x\n\n<!-- agentflow v=1 -->\n",
	"growing":      "````` \n~~~ x\n",
	"comments":     "<!-- agentflow v=1 id=1 --> ",
	"one line":     "- \\x41 <!-- `",
	"blank":        "\n",
	"open comment": "<!-- x\n",
	"tailed":       "<!-- x\n--> y\n",
	"table":        "| a | b |\n|---|---|\n",
	"one row":      "| `a/b.go` <!-- x --> `",
	"underlined":   "x\n===\n",
	"quoted heads": "```x\n## a\n\n<!-- agentflow v=1 -->\n",
}

func chunked(unit string, n int) []Chunk {
	return collected("x.md", markdown.Parse([]byte(strings.Repeat(unit, n))), 400, 80, time.Time{})
}

// BenchmarkLongTexts compares each text with one 16 times as long.
func BenchmarkLongTexts(b *testing.B) {
	for name, unit := range units {
		b.Run(name, func(b *testing.B) {
			var took [2]time.Duration
			for b.Loop() {
				for i, n := range []int{2000, 32000} {
					start := time.Now()
					chunked(unit, n)
					took[i] += time.Since(start)
				}
			}
			b.ReportMetric(float64(took[1])/float64(took[0]), "x/16x-text")
		})
	}
}

// notes is hand-written text of about so many bytes: sections with lists,
// code and tables.
func notes(size int) string {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, "## Section %d of 2026-11-21\n\n- tags: x%d\n\n%s\n\n```go\nfunc f%d() {}\n# no heading\n```\n\n| a | b |\n|---|---|\n| %d | two |\n\n",
			i, i%100, numbered(5+i%40), i, i)
	}
	return b.String()
}

func BenchmarkChunks(b *testing.B) {
	hand := notes(1 << 20)
	entry := string(markdown.Format(memory.Entry{
		ID: "e1", Kind: memory.KindRun, Title: "Long", Task: numbered(10), Summary: numbered(20),
		Changes: changeset.List{Items: []changeset.Change{{Status: changeset.StatusModified, Path: "auth/session.go"}}},
	}))
	for name, src := range map[string]string{"notes": hand, "entries": strings.Repeat(entry, len(hand)/len(entry))} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			for b.Loop() {
				collected(daily, markdown.Parse([]byte(src)), 400, 80, time.Time{})
			}
		})
	}
}

// TestLaterPromptsAreSearched: whole and cut in pieces, a session's entry is
// found by the words of its later prompts, and a label is no word of theirs.
func TestLaterPromptsAreSearched(t *testing.T) {
	e := memory.Entry{ID: "e1", Kind: memory.KindSession, Time: memorytest.At(t, memorytest.Day), Task: numbered(4), Then: []string{"sort the departures", "translate them"}, Summary: numbered(20)}
	for _, size := range []int{2000, 40} {
		var body strings.Builder
		for _, k := range collected(daily, markdown.Parse(markdown.Format(e)), size, 0, time.Time{}) {
			body.WriteString(k.Body + "\n")
		}
		for _, p := range e.Then {
			if !strings.Contains(body.String(), p) {
				t.Errorf("in chunks of %d tokens nothing finds %q", size, p)
			}
		}
		if strings.Contains(body.String(), "then:") {
			t.Errorf("in chunks of %d tokens the label is searched", size)
		}
	}
}

// TestCommentsStayWhole: no piece of an entry begins or ends in its comment, which may be long.
func TestCommentsStayWhole(t *testing.T) {
	e := memory.Entry{ID: "01a21f19-0000-7000-8000-000000000001", Kind: memory.KindCommit, Title: "Move the sources", Task: "Move the sources", Time: time.Date(2026, 11, 27, 10, 0, 0, 0, time.UTC)}
	for i := range 90 {
		e.Changes.Items = append(e.Changes.Items, changeset.Change{Status: changeset.StatusRenamed, OldPath: fmt.Sprintf("click/module_%d.py", i), Path: fmt.Sprintf("src/click/module_%d.py", i)})
	}
	list := collected(daily, markdown.Parse(markdown.FormatV2(e)), 200, 20, e.Time)
	if len(list) < 2 {
		t.Fatalf("%d pieces", len(list))
	}
	for _, k := range list {
		if strings.Count(k.Text, "<!--") != strings.Count(k.Text, "-->") || strings.HasPrefix(k.Text, "<!--") {
			t.Errorf("%q", k.Text)
		}
	}
}
