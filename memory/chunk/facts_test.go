package chunk

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"agentflow/internal/testing/memorytest"
	"agentflow/memory"
	"agentflow/memory/markdown"
)

// kindsOfFact lists kinds of facts as they are written in a file, and whether a search may find
// their words in text of the project.
var kindsOfFact = []struct {
	bullet string
	stays  bool
}{
	{"- plain alpha <!-- id=f1 -->\n", true},
	{"- later bravo <!-- id=f2 expires=2026-11-22 -->\n", true},
	{"- expired charlie <!-- id=f3 expires=2026-11-20 -->\n  charlie too\n", false},
	{"- ~~struck delta~~ <!-- id=f4 by=f1 -->\n", false},
	{"- ~~struck echo <!-- id=f5 -->\n\n  echo too~~\n", false},
	{"- branch foxtrot <!-- id=f6 ns=branch/main -->\n  foxtrot too\n", false},
	{"- written golf <!-- id=f7 ns=project -->\n", true},
	{"- gone hotel <!-- id=f8 ns=run/r1 expires=2026-11-20 -->\n", false},
}

// For any text around facts, those that do not hold are in no chunk, those of a namespace are in
// separate chunks, and all lines keep their places.
func TestChunksSiftFacts(t *testing.T) {
	var bullets strings.Builder
	for _, k := range kindsOfFact {
		bullets.WriteString(k.bullet)
	}
	entry := string(markdown.Format(memorytest.RunEntry(t)))
	inside := strings.Replace(entry, "### Memories\n", "### Memories\n"+bullets.String(), 1)
	for name, src := range map[string]string{
		"hand-written": "# Notes\n\nBefore.\n\n" + bullets.String() + "\nBehind.\n", "entry": entry + inside, "alone": bullets.String(),
	} {
		for _, limit := range []int{400, 20} {
			t.Run(fmt.Sprint(name, limit), func(t *testing.T) {
				d := markdown.Parse([]byte(src))
				list := collected(daily, d, limit, 5, memorytest.At(t, memorytest.Day))
				for _, k := range kindsOfFact {
					word := strings.Fields(k.bullet)[2]
					word = strings.TrimSuffix(word, "~~")
					said := slices.ContainsFunc(list, func(c Chunk) bool {
						return c.Namespace == "" && strings.Contains(c.Text+c.Title+c.Body+c.Files, word)
					})
					if said != k.stays {
						t.Errorf("%q is in the project's text: %v", word, said)
					}
				}
				var own []Chunk
				for _, c := range list {
					checkChunk(t, d, c)
					if c.Namespace != "" {
						own = append(own, c)
					}
				}
				if len(own) != 1 || own[0].Namespace != "branch/main" || own[0].Body != "branch foxtrot\nfoxtrot too" ||
					own[0].Text != strings.TrimSpace(kindsOfFact[5].bullet) || !strings.HasSuffix(own[0].Heading, "branch/main") {
					t.Errorf("own chunks: %+v", own)
				}
				if end := time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC); !slices.ContainsFunc(list, func(c Chunk) bool { return c.Expires.Equal(end) }) {
					t.Errorf("no chunk says that it changes at %v", end)
				}
			})
		}
	}
}

// A note without a fact that holds is in no chunk.
func TestChunksOfEmptyNote(t *testing.T) {
	note := memory.Entry{ID: "e1", Kind: memory.KindNote, Time: memorytest.At(t, memorytest.Day), Facts: []memory.Fact{{ID: "f1", Struck: true, Text: "Gone."}}}
	if list := collected(daily, markdown.Parse(markdown.Format(note)), 400, 80, time.Time{}); len(list) != 0 {
		t.Errorf("%+v", list)
	}
	note.Facts = []memory.Fact{{ID: "f1", Namespace: "branch/x", Text: "Own."}}
	if list := collected(daily, markdown.Parse(markdown.Format(note)), 400, 80, time.Time{}); len(list) != 1 || list[0].EntryID != "e1" || list[0].Namespace != "branch/x" {
		t.Errorf("%+v", list)
	}
}

// Chunk ids stay apart: no two chunks of an entry have one ordinal.
func TestOwnChunksHaveOrdinals(t *testing.T) {
	e := memory.Entry{ID: "e1", Kind: memory.KindRun, Time: memorytest.At(t, memorytest.Day), Summary: numbered(60),
		Facts: []memory.Fact{{ID: "f1", Namespace: "branch/x", Text: "One."}, {ID: "f2", Namespace: "branch/y", Text: "Two."}}}
	hand := "# A\n\n- one <!-- id=f3 ns=branch/x -->\n\n# B\n\nwords\n"
	for i, c := range collected(daily, markdown.Parse(markdown.Format(e)), 100, 0, time.Time{}) {
		if c.Ordinal != i {
			t.Errorf("chunk %d of the entry has ordinal %d", i, c.Ordinal)
		}
	}
	list := collected(daily, markdown.Parse([]byte(hand)), 400, 0, time.Time{})
	if len(list) != 2 || list[0].Heading != "A > branch/x" || list[1].Ordinal != 1 {
		t.Errorf("%+v", list)
	}
}

func TestPinnedEntryIsAPinnedChunk(t *testing.T) {
	for _, c := range collected(daily, markdown.Parse(markdown.Format(memory.Entry{ID: "e", Title: "x", Pinned: true})), 400, 80, time.Time{}) {
		if !c.Pinned {
			t.Error("the chunk of a pinned entry is not")
		}
	}
}
