package eval

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"agentflow/memory"
	"agentflow/memory/changeset"
	"agentflow/memory/markdown"
	"agentflow/memory/retrieval"
)

func file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestReadLog(t *testing.T) {
	many := `["M","a"]` + strings.Repeat(`,["M","b"]`, MaxFiles)
	h, err := ReadLog(file(t, "some.name.jsonl", `{"commit":"c1","time":86400,"subject":"s","body":"b","files":[["M","a"],["R","new","old"],["A","a"]],"more":1}

{"commit":"c2","time":86401,"subject":"nothing","body":"","files":[]}
{"commit":"c3","time":86402,"subject":"too much","body":"","files":[`+many+`]}
`))
	if err != nil {
		t.Fatal(err)
	}
	want := History{Name: "some.name", Commits: []Commit{{
		ID: "c1", Time: time.Date(1970, 1, 2, 0, 0, 0, 0, time.UTC), Subject: "s", Body: "b",
		Files: []changeset.Change{{Status: 'M', Path: "a"}, {Status: 'R', Path: "new", OldPath: "old"}, {Status: 'A', Path: "a"}},
	}}}
	if !reflect.DeepEqual(h, want) {
		t.Errorf("got %+v\nwant %+v", h, want)
	}
	if paths := h.Commits[0].paths(); !reflect.DeepEqual(paths, []string{"a", "new", "old"}) {
		t.Errorf("paths are %q", paths)
	}
}

func TestReadLogErrors(t *testing.T) {
	good := `{"commit":"c","time":1,"subject":"","body":"","files":[]}` + "\n"
	for line, says := range map[string]string{
		`{`:                         "no commit",
		`[]`:                        "no commit",
		`{"commit":"c","files":[]}`: "needs commit, time and files",
		`{"commit":"c","time":1}`:   "needs commit, time and files",
		`{"commit":"c","time":2,"files":[["M","a"]]}`:           "commit c was listed before",
		`{"commit":"` + strings.Repeat("c", maxLine) + `"}`:     "longer than 16 MiB",
		`{"commit":"c","time":1,"files":[["M"]]}`:               `["M", "path"]`,
		`{"commit":"c","time":1,"files":[["RENAMED","a","b"]]}`: `["M", "path"]`,
		`{"commit":"c","time":1,"files":[["M",""]]}`:            `["M", "path"]`,
	} {
		path := file(t, "x.jsonl", good+"\n"+line+"\n")
		_, err := ReadLog(path)
		if err == nil || !strings.Contains(err.Error(), path+":3: ") || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", line, err)
		}
	}
	if _, err := ReadLog(filepath.Join(t.TempDir(), "missing")); err == nil {
		t.Error("a missing log is read")
	}
}

func TestReadQuestions(t *testing.T) {
	got, err := ReadQuestions(file(t, "q.jsonl", `{"question":"first?","answers":["id"]}

{"now":"2026-01-02T03:04:05Z"}
{"question":"second?","answers":[],"kind":"none"}
{"question":"third?","answers":["a.md:3"],"now":"2026-02-03T04:05:06+01:00","filter":{"kind":"run","since":"2026-01-01T00:00:00Z","type":"semantic","types":["episodic"],"min_importance":0.5}}
`))
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	if len(got) != 3 || !got[0].Now.IsZero() || !got[1].Now.Equal(now) || !got[2].Now.Equal(time.Date(2026, 2, 3, 3, 5, 6, 0, time.UTC)) {
		t.Fatalf("got %+v", got)
	}
	if f := got[2].Filter; f.Kind != memory.KindRun || f.Since.IsZero() || fmt.Sprint(f.Types, f.MinImportance) != "[episodic semantic] 0.5" || got[2].line != 5 {
		t.Errorf("got %+v", got[2])
	}
}

func TestReadQuestionsErrors(t *testing.T) {
	for line, says := range map[string]string{
		`{`:                                "no question",
		`{"question":"a?"}`:                "needs question and answers",
		`{"answers":["id"]}`:               "needs question and answers",
		`{"question":" ","answers":[]}`:    "needs question and answers",
		`{"question":"a?","answers":[""]}`: "answer 1 is empty",
		`{"question":"a?","answers":[],"now":"today"}`: "no question",
	} {
		path := file(t, "q.jsonl", "\n"+line)
		_, err := ReadQuestions(path)
		if err == nil || !strings.Contains(err.Error(), path+":2: ") || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", line, err)
		}
	}
	if _, err := ReadQuestions(file(t, "q.jsonl", `{"now":"2026-01-02T03:04:05Z"}`)); err == nil || !strings.Contains(err.Error(), "holds none") {
		t.Errorf("without a question: %v", err)
	}
}

func TestRightAnswer(t *testing.T) {
	q := Question{Answers: []string{"notes/a.md:5", "id1", "C:3"}}
	for name, c := range map[string]struct {
		hit  retrieval.Hit
		want int
	}{
		"the line":         {retrieval.Hit{Path: "memory/notes/a.md", StartLine: 5, EndLine: 5}, 0},
		"around the line":  {retrieval.Hit{Path: "memory/notes/a.md", StartLine: 1, EndLine: 9}, 0},
		"before":           {retrieval.Hit{Path: "memory/notes/a.md", StartLine: 1, EndLine: 4}, -1},
		"after":            {retrieval.Hit{Path: "memory/notes/a.md", StartLine: 6, EndLine: 9}, -1},
		"another file":     {retrieval.Hit{Path: "memory/a.md", StartLine: 5, EndLine: 5}, -1},
		"the entry":        {retrieval.Hit{Path: "memory/x.md", EntryID: "id1"}, 1},
		"another entry":    {retrieval.Hit{Path: "memory/x.md", EntryID: "id2"}, -1},
		"no entry":         {retrieval.Hit{Path: "memory/x.md"}, -1},
		"an id with colon": {retrieval.Hit{EntryID: "C:3"}, 2},
	} {
		if got := q.found([]retrieval.Hit{c.hit}); got[0] != c.want {
			t.Errorf("%s: answer %d", name, got[0])
		}
	}
}

func FuzzParseCommit(f *testing.F) {
	f.Add([]byte(`{"commit":"c1","time":86400,"subject":"s","body":"b","files":[["M","a"],["R","new","old"]]}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		c, err := parseCommit(line)
		if err != nil {
			return
		}
		e, err := c.entry(1)
		if err != nil {
			t.Fatal(err)
		}
		// An entry for any log can be read back completely.
		back := markdown.Parse(markdown.Format(e)).Entries()
		if len(back) != 1 || !reflect.DeepEqual(*back[0], e.Normal()) {
			t.Fatalf("read back as %+v\nwant %+v", back, e.Normal())
		}
	})
}

func FuzzParseQuestion(f *testing.F) {
	f.Add([]byte(`{"question":"a?","answers":["a.md:3","id"],"now":"2026-02-03T04:05:06+01:00","filter":{"kind":"run"}}`))
	f.Add([]byte(`{"now":"2026-02-03T04:05:06Z"}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		q, err := parseQuestion(line)
		if err == nil && q.Text == "" && q.Now.IsZero() {
			t.Fatal("a line that says nothing is read")
		}
		q.found([]retrieval.Hit{{Path: "memory/a.md", StartLine: 1, EndLine: 3, EntryID: "id"}})
	})
}
