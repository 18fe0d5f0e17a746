package chunk

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"agentflow/internal/testing/memorytest"
	"agentflow/memory"
	"agentflow/memory/internal/outline"
	"agentflow/memory/markdown"
)

const daily = "memory/2026-11-21.md"

// collected are the chunks of a document.
func collected(file string, d *markdown.Document, maxTokens, overlap int, now time.Time) []Chunk {
	return slices.Collect(All(file, d, maxTokens, overlap, now))
}

// numbered returns n sentences that all differ.
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

func checkChunk(t *testing.T, d *markdown.Document, c Chunk) {
	t.Helper()
	l := outline.Split(d.Bytes())
	if c.StartLine < 1 || c.EndLine < c.StartLine || c.EndLine > l.Count() {
		t.Fatalf("chunk on lines %d-%d of %d", c.StartLine, c.EndLine, l.Count())
	}
	for i, line := range strings.Split(c.Text, "\n") {
		if at := c.StartLine - 1 + i; at >= l.Count() || !strings.Contains(l.Src[l.Start[at]:l.Start[at+1]], line) {
			t.Fatalf("line %d of chunk %q is not on its line %d", i, c.Text, at+1)
		}
	}
	if strings.Count(c.Text, "\n") != c.EndLine-c.StartLine {
		t.Fatalf("chunk %q is on lines %d-%d", c.Text, c.StartLine, c.EndLine)
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
	}, memorytest.Nasty...)
	entry := memory.Entry{ID: "e1", Kind: memory.KindRun, Title: "Long", Task: numbered(3), Summary: numbered(6) + "\n\n```\n# code\n```\n",
		Facts: []memory.Fact{{ID: "f2", Tags: []string{"t"}, Text: "A fact."}}}
	for range 6 {
		list = append(list, string(markdown.Format(entry)))
	}
	return list
}

func wordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

// FuzzAll checks that the chunks of any file are on its lines.
func FuzzAll(f *testing.F) {
	for _, p := range pieces() {
		f.Add([]byte("---\ntags: x\n---\n# A\n"+p+"# B\n"+p), 10, 3)
	}
	f.Fuzz(func(t *testing.T, src []byte, maxTokens, overlap int) {
		d := markdown.Parse(src)
		for c := range All(daily, d, maxTokens, overlap, time.Time{}) {
			checkChunk(t, d, c)
		}
	})
}
