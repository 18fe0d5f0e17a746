package memory

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"
)

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
	entry := string(Format(Entry{
		ID: "e1", Kind: KindRun, Title: "Long", Task: numbered(10), Summary: numbered(20),
		Changes: ChangeList{Items: []Change{{Status: StatusModified, Path: "auth/session.go"}}},
	}))
	for name, src := range map[string]string{"notes": hand, "entries": strings.Repeat(entry, len(hand)/len(entry))} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			for b.Loop() {
				Chunks(daily, Parse([]byte(src)), 400, 80, time.Time{})
			}
		})
	}
}

// endless is a text said again and again.
type endless struct {
	text string
	at   int
}

func (e *endless) Read(p []byte) (int, error) {
	n := copy(p, e.text[e.at:])
	e.at = (e.at + n) % len(e.text)
	return n, nil
}

// BenchmarkChunkReader cuts files of 100 MB. MB-peak is the largest heap seen
// at the chunks, garbage included, beyond what there was before.
func BenchmarkChunkReader(b *testing.B) {
	const size = 100 << 20
	entry := string(Format(Entry{ID: "e1", Kind: KindRun, Title: "Long", Task: numbered(10), Summary: numbered(20)}))
	for name, text := range map[string]string{
		"notes": notes(1 << 20), "entries": entry, "one line": numbered(1000) + " ", "one paragraph": numbered(5) + "\n",
		"open fence": "```x\n" + numbered(5) + "\n# comment\n",
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(size)
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			before, peak, n := m.HeapAlloc, uint64(0), 0
			for b.Loop() {
				r := io.LimitReader(&endless{text: text}, size)
				err := ChunkReader(daily, r, 400, 80, time.Time{}, func(Chunk) error {
					if n++; n%64 == 0 {
						runtime.ReadMemStats(&m)
						peak = max(peak, m.HeapAlloc)
					}
					return nil
				})
				if err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(peak-before)/(1<<20), "MB-peak")
		})
	}
}
