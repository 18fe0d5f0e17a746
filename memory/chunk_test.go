package memory

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"agentflow/internal/testing/randomtest"
)

const daily = "memory/2026-11-21.md"

// collected are the chunks of a document.
func collected(file string, d *Document, maxTokens, overlap int, now time.Time) []Chunk {
	return slices.Collect(Chunks(file, d, maxTokens, overlap, now))
}

// numbered are so many sentences, each of which occurs once.
func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "Sentence %04d says this. ", i)
	}
	return strings.TrimSpace(b.String())
}

// shared is the longest end of a that b begins with.
func shared(a, b string) string {
	n := min(len(a), len(b))
	for ; n > 0 && a[len(a)-n:] != b[:n]; n-- {
	}
	return b[:n]
}

func TestChunksOverlap(t *testing.T) {
	const limit = 100
	entry := Entry{ID: "e1", Kind: KindRun, Time: at(t, day), Title: "Long", Summary: numbered(100)}
	for name, src := range map[string]string{"hand-written": numbered(100), "entry": string(Format(entry))} {
		for _, overlap := range []int{0, 20, limit * 10} {
			t.Run(fmt.Sprint(name, overlap), func(t *testing.T) {
				list := collected(daily, Parse([]byte(src)), limit, overlap, time.Time{})
				if len(list) < 6 {
					t.Fatalf("%d chunks", len(list))
				}
				repeated := 0
				for i, c := range list[1:] {
					if n := Tokens(c.Text); n > limit {
						t.Errorf("%d tokens in %q", n, c.Text)
					}
					again := shared(list[i].Text, c.Text)
					switch {
					case Tokens(again) > min(overlap, limit/2+1):
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
	list := collected(daily, Parse([]byte(src)), 100, 50, time.Time{})
	if last := list[len(list)-1]; last.Heading != "One > Two" || last.Text != "## Two\n\nOnly here." {
		t.Errorf("%+v", last)
	}
}

// A part of an entry that is cut before a section repeats nothing.
func TestSectionsOfEntryDoNotOverlap(t *testing.T) {
	e := Entry{ID: "e1", Kind: KindRun, Time: at(t, day), Task: numbered(5), Summary: numbered(30)}
	list := collected(daily, Parse(Format(e)), 100, 50, time.Time{})
	if !strings.HasPrefix(list[1].Text, "### ") || !strings.HasPrefix(list[2].Text, "Sentence ") {
		t.Errorf("after %q come %q and %q", list[0].Text, list[1].Text, list[2].Text)
	}
}

func TestDateHeadingIsNoChunk(t *testing.T) {
	entry := string(Format(runEntry(t)))
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
		"# 2026-11-21\n\n## Notes\n":                 {"# 2026-11-21\n\n## Notes"},
		"# 2026-11-21\n\n- 8080\n":                   {"# 2026-11-21\n\n- 8080"},
		"# 2026-11-21\n\n```\n# 2026-11-21\n```\n":   {"# 2026-11-21\n\n```\n# 2026-11-21\n```"},
		"# 2026-11-21\n\n漢字\n":                       {"# 2026-11-21\n\n漢字"},
		"# Notes of 2026-11-21\n":                    {"# Notes of 2026-11-21"},
		"# 2026-11-21 42\n":                          {"# 2026-11-21 42"},
		"# 42\n":                                     {"# 42"},
		"2026-11-21\n":                               {"2026-11-21"},
	} {
		d := Parse([]byte(src))
		var got []string
		for _, c := range collected(daily, d, 400, 80, time.Time{}) {
			got = append(got, c.Text)
		}
		if !slices.Equal(got, want) || string(d.Bytes()) != src {
			t.Errorf("%q: chunks %q, want %q", src, got, want)
		}
	}
}

// A date heading that is left out still dates and names what stands below,
// and takes no ordinal.
func TestDateHeadingStillDates(t *testing.T) {
	src := "# 2026-10-02\n\n---\n\n## Port\n\n8080\n"
	list := collected("MEMORY.md", Parse([]byte(src)), 400, 80, time.Time{})
	if len(list) != 1 {
		t.Fatalf("%d chunks", len(list))
	}
	if c := list[0]; c.Heading != "2026-10-02 > Port" || c.Ordinal != 0 || c.StartLine != 5 || !c.Date.Equal(time.Date(2026, 10, 2, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("%+v", c)
	}
}

func wordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

// Every word of a file is in a chunk, whatever it is cut into: only headings
// that are dates, comments, front matter and what is struck may be missing.
func TestChunksLoseNoWord(t *testing.T) {
	all := pieces()
	randomtest.Check(t, 2000, func(t *testing.T, rnd *rand.Rand) {
		src := []byte(strings.Join(randomtest.Picks(rnd, 0, 60, all...), ""))
		d := Parse(src)
		held := make([]bool, splitLines(src).count())
		for _, c := range collected(daily, d, 1+rnd.IntN(40), rnd.IntN(20), time.Time{}) {
			checkChunk(t, d, c)
			for i := c.StartLine - 1; i < c.EndLine; i++ {
				held[i] = true
			}
		}
		for _, b := range d.Blocks {
			l := splitLines(b.Raw)
			o := outlineOf(l, 0, l.count(), textPlace{first: b.StartLine == 1})
			for i := range l.count() {
				line := l.at(i)
				if b.Entry == nil {
					line = visible(line)
				}
				e, special := o.of(i)
				silent := special && b.Entry == nil && (e.kind == elementComment || e.kind == elementFront || e.kind == elementHeading && e.heading.isDate())
				silent = silent || slices.ContainsFunc(b.Facts, func(f FactAt) bool {
					return f.Struck && f.StartLine <= b.StartLine+i && b.StartLine+i <= f.EndLine
				})
				if !held[b.StartLine-1+i] && strings.ContainsFunc(line, wordRune) && !silent {
					t.Fatalf("line %d, %q, is in no chunk of %q", b.StartLine+i, l.at(i), src)
				}
			}
		}
	})
}

// Texts of a size that nobody writes by hand end in time, whole, and in
// chunks that hold all of it.
func TestHugeTexts(t *testing.T) {
	const mega = 10 << 20
	var bullets, facts strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&bullets, "- bullet %d\n", i)
		fmt.Fprintf(&facts, "- fact %d <!-- id=f%d type=semantic -->\n", i, i)
	}
	inEntry := Entry{ID: "e1", Kind: KindNote, Time: at(t, day)}
	head, tail, _ := strings.Cut(string(Format(inEntry)), "---\n")
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
			d := Parse(src)
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

// checkCover finds the chunks' texts in src one after the other, with
// nothing but blanks between them.
func checkCover(t *testing.T, src string, list []Chunk) {
	t.Helper()
	rest := src
	for i, c := range list {
		lead := len(rest) - len(strings.TrimLeft(rest, " \t\r\n"))
		text := strings.TrimLeft(c.Text, " \t")
		if !strings.HasPrefix(rest[lead:], text) {
			t.Fatalf("chunk %d of %d, %.80q, does not follow the one before; %.80q does", i, len(list), c.Text, rest)
		}
		rest = rest[lead+len(text):]
	}
	if left := strings.TrimSpace(rest); left != "" {
		t.Fatalf("%d bytes are in no chunk", len(left))
	}
}

// pieces are what files of memory are made of, whole and broken.
func pieces() []string {
	list := append([]string{
		"# 2026-11-21\n", "\n## Heading\n", "\n### Sub\n\n", "Title\n===\n", "\nUnder\n---\n", "漢字。もう一つ！", "A sentence. Another one. ", "- x\n", "\n\n", "\n",
		"- tags: a, b\n", "**Commit**: abc1234\n", "`a/b.go`\n", "```go\n# code\n```\n", "```\n", "~~~\n", "<!--\n# hidden\n-->\n", "<!-- left open\n",
		"| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n", "- fact <!-- id=f1 tags=t -->\n  more\n", "    ```\n", "  ```\n",
		"<!-- agentflow v=1 kind=note id=e2 -->\n", "---\n", "---\n\n", "## 2026-11-21 10:00 · Entry\n\n<!-- agentflow v=1 kind=run id=e3 -->\n\nText of it.\n\n",
		"words\n\n## Far\n\n\n\n<!-- agentflow v=1 kind=run id=e5 -->\n", "## Quoted\n<!-- agentflow v=1 kind=run id=e4 -->\n---\n```\n",
	}, nasty...)
	entry := Entry{ID: "e1", Kind: KindRun, Title: "Long", Task: numbered(3), Summary: numbered(6) + "\n\n```\n# code\n```\n",
		Facts: []Fact{{ID: "f2", Tags: []string{"t"}, Text: "A fact."}}}
	for range 6 {
		list = append(list, string(Format(entry)))
	}
	return list
}

// Nothing is lost of a text that has no end in sight.
func TestChunksOfLongText(t *testing.T) {
	const n = 4096
	linesOf := func(line string) string { return strings.Repeat(line+"\n", n) }
	entry := string(Format(Entry{ID: "e1", Kind: KindNote, Time: at(t, day), Title: "Entry"}))
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
			list := collected(daily, Parse([]byte(src)), 100, 0, time.Time{})
			checkCover(t, src, list)
			if last := list[len(list)-1]; last.Text != "# After\n\nlast" {
				t.Errorf("%s after %q: it ends with %+v", name, begin, last)
			}
		}
	}
}
