package eval

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/memory/retrieval"
)

// folder makes a memory of ten entries about fruit, with ids id0 to id9 and one a day, and a
// note.
func folder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	var text []byte
	for i, fruit := range strings.Fields("apple banana cherry damson elderberry fig grape huckleberry imbe jujube") {
		text = append(text, markdown.Format(memory.Entry{
			ID: "id" + string(rune('0'+i)), Kind: memory.KindNote, Time: time.Date(2026, 1, 1+i, 0, 0, 0, 0, time.UTC), Title: "Peel the " + fruit,
		})...)
	}
	for name, text := range map[string]string{"2026-01-01.md": string(text), "notes/tools.md": "# Tools\n\nThe zester hangs by the door.\n"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestQueries(t *testing.T) {
	got, err := Queries(t.Context(), folder(t), []Question{
		{Text: "peel a cherry", Answers: []string{"id2"}},
		{Text: "where does the zester hang", Answers: []string{"memory/notes/tools.md:3"}},
		{Text: "cherry", Answers: []string{"id2", "id3"}},
		{Text: "peel a grape", Answers: []string{"id6"}, Filter: retrieval.Filter{Since: time.Date(2026, 1, 4, 0, 0, 0, 0, time.UTC)}},
		{Text: "unheard of"},
		{Text: "fig"},
	}, QueryOptions{Open: openReal, K: 2})
	if err != nil {
		t.Fatal(err)
	}
	// The third has one of two answers: ideal gain 1 + 1/log2(3).
	want := RankFigures{Recall: []RecallAt{{1, 1}, {2, 1}, {10, 1}}, MRR: 1, NDCG: 0.75 + 0.25/(1+gain(1))}
	if !reflect.DeepEqual(got.Ungated, want) {
		t.Errorf("without the gate %+v, want %+v", got.Ungated, want)
	}
	if got.Answered != 4 || got.Unanswered != 2 || got.FalseInjection != 0.5 || got.Injected != 0.5 || got.Gated.MRR != 1 {
		t.Errorf("got %+v", got)
	}
}

func TestQueriesAsk(t *testing.T) {
	var asked []retrieval.Query
	open := func(context.Context, string, string) (Index, error) { return listener{&asked}, nil }
	given := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
	if _, err := Queries(t.Context(), folder(t), []Question{{Text: "one", Answers: []string{"id1"}, Now: given}, {Text: "two"}}, QueryOptions{Open: open}); err != nil {
		t.Fatal(err)
	}
	newest := time.Date(2026, 1, 10, 0, 0, 0, 0, time.UTC)
	want := []retrieval.Query{{Text: "one", Now: given, Gate: true, Task: true, Limit: 10}, {Text: "one", Now: given, Limit: 10},
		{Text: "two", Now: newest, Gate: true, Task: true, Limit: 5}}
	if !reflect.DeepEqual(asked, want) {
		t.Errorf("asked %+v\nwant %+v", asked, want)
	}
}

// listener is an index that finds nothing and records the queries.
type listener struct{ asked *[]retrieval.Query }

func (l listener) Sync(context.Context, string) error { return nil }
func (l listener) Close() error                       { return nil }
func (l listener) Search(_ context.Context, q retrieval.Query) ([]retrieval.Hit, []retrieval.LikelyFile, error) {
	*l.asked = append(*l.asked, q)
	return nil, nil, nil
}

func TestQueriesInsistOnTheirMemory(t *testing.T) {
	dir := folder(t)
	for _, answer := range []string{"id10", "notes/tools.md:4", "tools.md:1", "notes/tools.md", "memory/notes/tools.md:4"} {
		_, err := Queries(t.Context(), dir, []Question{{Text: "x", Answers: []string{answer}, line: 7}}, QueryOptions{Open: openReal})
		if err == nil || !strings.Contains(err.Error(), "line 7: memory holds no "+answer) {
			t.Errorf("%s: %v", answer, err)
		}
	}
	if _, err := Queries(t.Context(), filepath.Join(dir, "missing"), nil, QueryOptions{Open: openReal}); err == nil {
		t.Error("a missing memory is asked")
	}
}
