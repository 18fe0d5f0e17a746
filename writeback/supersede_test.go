package writeback

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"agentflow/memory"
)

const olderID = "0199aaaa-0000-7000-8000-00000000f0aa"

func newer(text string) memory.Fact {
	return memory.Fact{Type: memory.Semantic, Text: text, Supersedes: olderID}
}

// TestSupersede strikes the older fact wherever it is, keeping the text that people wrote around
// it, in one change with the new note.
func TestSupersede(t *testing.T) {
	p := newPlace(t)
	bullet := "* Old news. <!-- id=" + olderID + " type=semantic mine=1 -->\r\n"
	p.write("MEMORY.md", "# Memory\r\n\r\nBy hand.\r\n"+bullet+"after\r\n")
	p.write("archive/2026-10.md", "# October\n\n"+bullet+"- Other words. <!-- id="+olderID+" -->\n")
	today := memory.DayFile(day)
	p.write(today, "")
	done, err := p.open().Supersede(t.Context(), newer("New news."), day, Meta{Branch: "main"})
	if err != nil || done.Existing != nil || done.File != p.path(today) {
		t.Fatalf("%+v, %v", done, err)
	}
	e := done.Entry
	for _, name := range []string{"MEMORY.md", "archive/2026-10.md"} {
		text := p.read(name)
		if !strings.Contains(text, "~~Old news.~~ <!-- id="+olderID) || !strings.Contains(text, "by="+e.Facts[0].ID) || !strings.Contains(text, "mine=1") {
			t.Errorf("%s: %q", name, text)
		}
	}
	if text := p.read("archive/2026-10.md"); !strings.Contains(text, "- ~~Other words.~~ <!-- id="+olderID) {
		t.Errorf("another text under the same id: %q", text)
	}
	if text := p.read("MEMORY.md"); !strings.HasPrefix(text, "# Memory\r\n\r\nBy hand.\r\n") || !strings.HasSuffix(text, "after\r\n") {
		t.Errorf("what stands around it: %q", text)
	}
	if text := p.read(today); !strings.HasPrefix(text, "# 2026-11-21\n\n## ") || !strings.Contains(text, "supersedes="+olderID) {
		t.Errorf("today: %q", text)
	}
	if r := p.recover(); len(r.Changes)+len(r.Vanished)+len(r.Finished) > 0 {
		t.Errorf("recovering afterwards reports %+v", r)
	}
}

func TestSupersedeNothing(t *testing.T) {
	p := newPlace(t)
	p.record(entry(1))
	before := p.files()
	if _, err := p.open().Supersede(t.Context(), newer("x"), day, Meta{}); !errors.Is(err, ErrNotFound) {
		t.Errorf("no such fact: %v", err)
	}
	if !same(p.files(), before) {
		t.Error("memory was changed")
	}
}

// TestSupersedeAmongWriters plans again while others write to the same file.
func TestSupersedeAmongWriters(t *testing.T) {
	p := newPlace(t)
	e := entry(1)
	e.Facts = []memory.Fact{{ID: olderID, Type: memory.Semantic, Text: "Old news."}}
	p.record(e)
	s := p.open()
	var wg sync.WaitGroup
	const writers = 8
	for n := range writers {
		wg.Go(func() {
			text := fmt.Sprintf("News number %d.", n)
			var err error
			if n%2 == 0 {
				_, err = s.Supersede(t.Context(), newer(text), day, Meta{})
			} else {
				_, err = s.Remember(t.Context(), memory.Fact{Text: text}, day, Meta{})
			}
			if err != nil {
				t.Errorf("writer %d: %v", n, err)
			}
		})
	}
	wg.Wait()
	text := p.read(memory.DayFile(day))
	for n := range writers {
		if strings.Count(text, fmt.Sprintf("News number %d.", n)) != 1 {
			t.Errorf("news %d does not stand once:\n%s", n, text)
		}
	}
	if strings.Count(text, "~~Old news.~~") != 1 {
		t.Errorf("the older fact: %s", text)
	}
}
