package memory

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"agentflow/internal/testing/randomtest"
)

// streamed are the chunks of a stream that reads step bytes at a time.
func streamed(t *testing.T, src []byte, step, limit, maxTokens, overlap int) []Chunk {
	t.Helper()
	s := chunkStream{c: newChunker(daily, maxTokens, overlap, time.Time{}), r: iotest.DataErrReader(bytes.NewReader(src)), step: step, limit: limit, at: part{first: true}}
	var list []Chunk
	if err := s.run(func(c Chunk) error { list = append(list, c); return nil }); err != nil {
		t.Fatal(err)
	}
	return list
}

// checkStreamed holds a stream to what the whole file gives.
func checkStreamed(t *testing.T, src []byte, step, maxTokens, overlap int) {
	t.Helper()
	want := Chunks(daily, Parse(src), maxTokens, overlap, time.Time{})
	got := streamed(t, src, step, 1<<30, maxTokens, overlap)
	for i := range min(len(got), len(want)) {
		if !reflect.DeepEqual(got[i], want[i]) {
			t.Fatalf("chunk %d, %d bytes at a time, of %q:\ngot  %+v\nwant %+v", i, step, src, got[i], want[i])
		}
	}
	if len(got) != len(want) {
		t.Fatalf("%d chunks, want %d, %d bytes at a time, of %q", len(got), len(want), step, src)
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

func TestChunkReaderEqualsChunks(t *testing.T) {
	front := []string{"", "", "\uFEFF", "---\ntitle: T\ntags: [a, b]\ndate: 2026-01-02\n---\n", "---\ntitle: T\n", "---\nno\n---\n"}
	all := append(pieces(), "- ~~struck~~ <!-- id=f8 -->\n", "- of a branch <!-- id=f9 ns=branch/x -->\n\n  more\n", "  - inside <!-- id=f7 ns=branch/x -->\n",
		"- ~~a fence <!-- id=f6 -->\n  ```\n  code~~\n", string(Format(Entry{ID: "e9", Kind: KindNote, Facts: []Fact{{ID: "fa", Namespace: "branch/x", Text: "Own."}}})))
	randomtest.Check(t, 3000, func(t *testing.T, rnd *rand.Rand) {
		src := randomtest.Pick(rnd, front...) + strings.Join(randomtest.Picks(rnd, 0, 40, all...), "")
		if rnd.IntN(4) == 0 {
			src = strings.ReplaceAll(src, "\n", "\r\n")
		}
		checkStreamed(t, []byte(src), 1+rnd.IntN(200), 1+rnd.IntN(40), rnd.IntN(20))
	})
}

func FuzzChunkReader(f *testing.F) {
	for i, p := range pieces() {
		f.Add([]byte("---\ntags: x\n---\n# A\n"+p+"# B\n"+p), uint8(i))
	}
	f.Fuzz(func(t *testing.T, src []byte, step uint8) {
		if len(src) > 1<<12 {
			return // each chunk is looked for in all of it
		}
		checkStreamed(t, src, 1+int(step), 10, 3)
		d := Parse(src)
		for _, c := range streamed(t, src, 1+int(step), 1+int(step)*2, 10, 3) {
			checkChunk(t, d, c)
		}
	})
}

// What has no end is cut all the same, and nothing of it is lost.
func TestChunkReaderCutsWhatHasNoEnd(t *testing.T) {
	const limit = 4096
	long := strings.Repeat("word and word. ", limit)
	linesOf := func(line string) string { return strings.Repeat(line+"\n", limit) }
	entry := string(Format(Entry{ID: "e1", Kind: KindNote, Time: at(t, day), Title: "Entry"}))
	head, _, _ := strings.Cut(entry, "---\n")
	for name, body := range map[string]string{
		"word":          strings.Repeat("x", limit*10),
		"wide word":     strings.Repeat("漢", limit*10),
		"line":          long,
		"lines":         linesOf("a line"),
		"paragraphs":    linesOf("a line\n"),
		"blank":         linesOf("") + "x",
		"open fence":    "```\n" + linesOf("code"),
		"open comment":  "<!--\n" + linesOf("text"),
		"closed fence":  "```sh\n" + linesOf("# code") + "```\n",
		"long table":    "| a |\n|---|\n" + linesOf("| b |"),
		"bullet":        "- " + long + "<!-- id=f0 -->\n",
		"invalid bytes": strings.Repeat("\xff\x00a", limit*10),
	} {
		for _, end := range []string{"", "\n\n# After\n\nlast\n", "\n" + entry} {
			for _, begin := range []string{"", "# 2026-10-02\n\n## Long\n\n", head + "### Summary\n\n"} {
				src := begin + body + end
				list := streamed(t, []byte(src), 1024, limit, 100, 0)
				what := fmt.Sprintf("%s after %q before %q", name, begin, end)
				checkCover(t, src, list)
				for _, c := range list {
					if len(c.Text) > limit+len(begin) {
						t.Fatalf("%s: a chunk of %d bytes", what, len(c.Text))
					}
				}
				last := list[len(list)-1]
				want := Chunks(daily, Parse([]byte(src)), 100, 0, time.Time{})
				behind := want[len(want)-1]
				// Whether a fence stays open is not known before the file ends.
				same := last.Heading == behind.Heading && last.Text == behind.Text && last.StartLine == behind.StartLine
				if end != "" && !same && (name != "open fence" || behind.EntryID != "") {
					t.Errorf("%s: at the end %+v, want %+v", what, last, behind)
				}
			}
		}
	}
}

// A fence longer than any piece hides its headings, and ends where it ends.
func TestChunkReaderResumesFence(t *testing.T) {
	src := "# Doc\n\n## Code\n\n```sh\n" + strings.Repeat("# no heading\n", 2000) + "```\n\n" + strings.Repeat("## Behind\n\n```go\n# code\n```\n\n", 100)
	list := streamed(t, []byte(src), 512, 2048, 50, 0)
	for _, c := range list[:len(list)-100] {
		if c.Heading != "Doc > Code" {
			t.Fatalf("%+v", c)
		}
	}
	for _, c := range list[len(list)-100:] {
		if c.Heading != "Doc > Behind" || c.Body != "```go\n# code\n```" {
			t.Fatalf("%+v", c)
		}
	}
	if last := list[len(list)-1]; last.Ordinal != len(list)-1 {
		t.Errorf("%+v", last)
	}
}

// A fence that nobody closes costs none of the entries behind it, wherever a
// stream is cut.
func TestChunkReaderKeepsEntriesBehindOpenFence(t *testing.T) {
	entry := string(Format(Entry{ID: "e1", Kind: KindRun, Time: at(t, day), Title: "Entry", Summary: numbered(5)}))
	for _, src := range []string{
		"words\n```\n\n" + strings.Repeat(entry, 100),
		strings.Replace(entry, "### Errors", "```\n### Errors", 1) + strings.Repeat("\n## Section\n\nwords\n", 1000),
		"```\n" + strings.Repeat("# code\n", 1000) + "\n" + strings.Repeat(entry, 100),
	} {
		want := Chunks(daily, Parse([]byte(src)), 400, 80, time.Time{})
		got := streamed(t, []byte(src), 512, 2048, 400, 80)
		if strings.HasPrefix(src, "```") { // what is in the fence is cut otherwise
			noEntry := func(c Chunk) bool { return c.EntryID == "" }
			got, want = slices.DeleteFunc(got, noEntry), slices.DeleteFunc(want, noEntry)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%d chunks, want %d, of %.100q", len(got), len(want), src)
		}
	}
}

func TestChunkReaderErrors(t *testing.T) {
	src := strings.Repeat("# A\n\nwords\n\n", 200_000)
	stop := errors.New("stop")
	n := 0
	err := ChunkReader(daily, strings.NewReader(src), 400, 80, time.Time{}, func(Chunk) error {
		if n++; n == 3 {
			return stop
		}
		return nil
	})
	if err != stop || n != 3 {
		t.Errorf("%v after %d chunks", err, n)
	}
	n = 0
	for _, broken := range []error{stop, io.ErrUnexpectedEOF} {
		r := io.MultiReader(strings.NewReader(src), iotest.ErrReader(broken))
		err = ChunkReader(daily, r, 400, 80, time.Time{}, func(Chunk) error { n++; return nil })
		if !errors.Is(err, broken) || err.Error() != "reading "+daily+": "+broken.Error() || n == 0 {
			t.Errorf("%v after %d chunks", err, n)
		}
	}
	if err := ChunkReader(daily, idleReader{}, 400, 80, time.Time{}, nil); !errors.Is(err, io.ErrNoProgress) {
		t.Error(err)
	}
}

type idleReader struct{}

func (idleReader) Read([]byte) (int, error) { return 0, nil }

// A reader of the real size gives what the whole file gives.
func TestChunkReaderLargeFile(t *testing.T) {
	src := []byte(notes(5<<20) + strings.Repeat(string(Format(runEntry(t))), 2000) + notes(1<<20))
	want := Chunks(daily, Parse(src), 400, 80, time.Time{})
	i := 0
	err := ChunkReader(daily, iotest.HalfReader(bytes.NewReader(src)), 400, 80, time.Time{}, func(c Chunk) error {
		if i >= len(want) || !reflect.DeepEqual(c, want[i]) {
			return fmt.Errorf("chunk %d is %+v", i, c)
		}
		i++
		return nil
	})
	if err != nil || i != len(want) || !slices.IsSortedFunc(want, func(a, b Chunk) int { return a.StartLine - b.StartLine }) {
		t.Fatalf("%d of %d chunks: %v", i, len(want), err)
	}
}
