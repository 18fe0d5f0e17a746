package memory

import (
	"fmt"
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
				collected(daily, Parse([]byte(src)), 400, 80, time.Time{})
			}
		})
	}
}
