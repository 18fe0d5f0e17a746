package memory

import (
	"reflect"
	"strings"
	"testing"
)

func TestAddFacts(t *testing.T) {
	for name, c := range map[string]struct{ file, want string }{
		"without memories": {
			"By hand.\n\n## 2026-11-21 14:32 · Fix it\n\n<!-- agentflow v=1 kind=run id=r1 time=2026-11-21T14:32:07Z -->\n\n### Errors Encountered\nNone\n\n---\n\nmore\n",
			"### Errors Encountered\nNone\n\n### Memories\n- new <!-- id=f9 -->\n\n---\n\nmore\n"},
		"with memories": {
			"## 2026-11-21 14:32 · Fix it\n\n<!-- agentflow v=1 kind=run id=r1 time=2026-11-21T14:32:07Z -->\n\n### Memories\n- old <!-- id=f1 mood=good -->\n  and more\n\n---\n\n",
			"- old <!-- id=f1 mood=good -->\n  and more\n- new <!-- id=f9 -->\n\n---\n\n"},
		"without an end": {
			"## 2026-11-21 14:32 · Fix it\n\n<!-- agentflow v=1 kind=run id=r1 time=2026-11-21T14:32:07Z -->\n\n### Summary\nDone.",
			"### Summary\nDone.\n\n### Memories\n- new <!-- id=f9 -->\n\n"},
	} {
		text, ok := Parse([]byte(c.file)).AddFacts("r1", []Fact{{ID: "f9", Text: "new"}})
		if !ok || !strings.HasSuffix(string(text), c.want) {
			t.Errorf("%s: %v\n%s", name, ok, text)
		}
		if kept, ok := Parse([]byte(c.file)).AddFacts("r1", nil); !ok || string(kept) != c.file {
			t.Errorf("%s: no facts changed it:\n%s", name, kept)
		}
	}
	if text, ok := Parse([]byte("text\n")).AddFacts("r1", []Fact{{ID: "f9"}}); ok || string(text) != "text\n" {
		t.Errorf("an entry that is not there: %q", text)
	}
}

// FuzzAddFacts: an entry with facts added is that entry and no other.
func FuzzAddFacts(f *testing.F) {
	f.Add([]byte("a run"), "The tests need a clock.\n---\n")
	f.Fuzz(func(t *testing.T, data []byte, text string) {
		s := source{data: data}
		e := s.entry()
		e.ID, e.Kind = "r1", KindRun
		fact := Fact{ID: "f9", Text: text, Source: "r1"}
		before := append([]byte("By hand.\n\n"), Format(e)...)
		got, ok := Parse(before).AddFacts("r1", []Fact{fact})
		if !ok {
			t.Fatalf("no entry in\n%s", before)
		}
		want := e
		want.Facts = append(want.Facts[:len(want.Facts):len(want.Facts)], fact)
		entries := Parse(got).Entries()
		if len(entries) != 1 || !reflect.DeepEqual(*entries[0], want.Normal()) {
			t.Errorf("got\n%s\nwant\n%s", got, Format(want))
		}
	})
}
