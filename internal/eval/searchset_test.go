package eval

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"agentflow/memory"
	"agentflow/memory/changeset"
	"agentflow/memory/markdown"
)

// searchSet is the memory on which recall is tuned, with its questions.
const searchSet = "../../testdata/search"

// The kinds of its questions; those of kind none have no answer.
var searchKinds = []string{
	"task", "question", "error", "identifier", "paraphrase", "long", "other-language", "typo", "dated", "none",
}

// searchMemory reads the set's Markdown: the documents by their names.
func searchMemory(t *testing.T) map[string]*markdown.Document {
	t.Helper()
	files, err := filepath.Glob(searchSet + "/memory/*.md")
	if err != nil || len(files) == 0 {
		t.Fatalf("no memory: %v", err)
	}
	docs := map[string]*markdown.Document{}
	for _, f := range files {
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		docs[filepath.Base(f)] = markdown.Parse(src)
	}
	return docs
}

// searchEntries returns the set's entries by id. It fails for a duplicate id, and for an entry
// that differs from Format's output.
func searchEntries(t *testing.T, docs map[string]*markdown.Document) map[string]*memory.Entry {
	t.Helper()
	entries, seen := map[string]*memory.Entry{}, map[string]string{}
	for name, d := range docs {
		for _, id := range d.IDs() {
			if seen[id] != "" {
				t.Errorf("%s: id %s stands in %s too", name, id, seen[id])
			}
			seen[id] = name
		}
		for _, b := range d.Blocks {
			if b.Entry == nil {
				continue
			}
			entries[b.Entry.ID] = b.Entry
			if got := beforeCertainty(markdown.Format(*b.Entry)); got != string(b.Raw) {
				t.Errorf("%s:%d: Format writes\n%s\nnot\n%s", name, b.StartLine, got, b.Raw)
			}
			if day := b.Entry.Time.Format("2006-01-02") + ".md"; day != name {
				t.Errorf("%s:%d: the entry belongs into %s", name, b.StartLine, day)
			}
		}
	}
	return entries
}

// certainties matches Format's output about certainty. The set was written before certainty
// existed, and does not change: its figures are compared over years.
var certainties = regexp.MustCompile(` certainty=[slp/-]*| \(possibly\)`)

func beforeCertainty(entry []byte) string { return string(certainties.ReplaceAll(entry, nil)) }

func TestSearchSetEntries(t *testing.T) {
	entries := searchEntries(t, searchMemory(t))
	if len(entries) < 220 {
		t.Errorf("%d entries", len(entries))
	}
	for id, e := range entries {
		switch e.Kind {
		case memory.KindRun, memory.KindCommit, memory.KindNote:
		default:
			t.Errorf("%s: kind %q", id, e.Kind)
		}
	}
}

func TestSearchSetQuestions(t *testing.T) {
	questions, err := ReadQuestions(searchSet + "/queries.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	kinds := searchQuestionKinds(t)
	docs := searchMemory(t)
	entries := searchEntries(t, docs)
	answered, asked := 0, map[string]bool{}
	for _, q := range questions {
		if asked[q.Text] {
			t.Errorf("%q is asked twice", q.Text)
		}
		asked[q.Text] = true
		if kind := kinds[q.Text]; !slices.Contains(searchKinds, kind) || (kind == "none") != (len(q.Answers) == 0) {
			t.Errorf("%q: kind %q with %d answers", q.Text, kind, len(q.Answers))
		}
		if len(q.Answers) > 0 {
			answered++
		}
		for _, a := range q.Answers {
			if file, line, ok := place(a); ok && !isText(docs[file], line) || !ok && entries[a] == nil {
				t.Errorf("%q: no such answer: %s", q.Text, a)
			}
		}
	}
	if none := len(questions) - answered; answered < 90 || none < 45 {
		t.Errorf("%d questions with an answer, %d without", answered, none)
	}
}

// isText reports whether a line of a document is hand-written text.
func isText(d *markdown.Document, line int) bool {
	if d == nil {
		return false
	}
	for _, b := range d.Blocks {
		if b.StartLine <= line && line <= b.EndLine {
			return b.Entry == nil && strings.TrimSpace(strings.Split(string(b.Raw), "\n")[line-b.StartLine]) != ""
		}
	}
	return false
}

// searchQuestionKinds reads the field that the product ignores.
func searchQuestionKinds(t *testing.T) map[string]string {
	t.Helper()
	f, err := os.Open(searchSet + "/queries.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	kinds := map[string]string{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var q struct{ Question, Kind string }
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			t.Fatal(err)
		}
		kinds[q.Question] = q.Kind
	}
	return kinds
}

// TestSearchSetHistory checks that the history is possible, and that it has the commits of the
// memory.
func TestSearchSetHistory(t *testing.T) {
	h, err := ReadLog(searchSet + "/history.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if len(h.Commits) < 320 {
		t.Errorf("%d commits", len(h.Commits))
	}
	known, there := map[string]bool{}, map[string]bool{}
	for i, c := range h.Commits {
		if i > 0 && c.Time.Before(h.Commits[i-1].Time) {
			t.Errorf("%s is older than the commit before it", c.ID)
		}
		if known[c.ID] {
			t.Errorf("%s stands twice", c.ID)
		}
		known[c.ID] = true
		for _, f := range c.Files {
			if before := pathBefore(f); there[before] == (f.Status == changeset.StatusAdded) {
				t.Errorf("%s: %c %s, there before: %t", c.ID, f.Status, before, there[before])
			}
			there[f.Path] = f.Status != changeset.StatusDeleted
			if f.OldPath != "" {
				delete(there, f.OldPath)
			}
		}
	}
	for id, e := range searchEntries(t, searchMemory(t)) {
		for _, c := range e.Commits {
			if !known[c.ID[:12]] {
				t.Errorf("%s: commit %s is not in the history", id, c.ID)
			}
		}
	}
}

// pathBefore returns the path of a file before a change.
func pathBefore(f changeset.Change) string {
	if f.OldPath != "" {
		return f.OldPath
	}
	return f.Path
}
