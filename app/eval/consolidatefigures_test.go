//go:build !race

// See figures_test.go.

package eval_test

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"agentflow/internal/consolidate"
	"agentflow/internal/eval"
	"agentflow/internal/testing/apptest"
	"agentflow/memory"
	"agentflow/memory/markdown"
)

// takenOver matches the importance of facts that a person accepted in this test. A fact from one
// run is not promoted, even if its importance is high.
var takenOver = regexp.MustCompile(` importance=0\.[89]\b`)

// TestFiguresAfterConsolidation queries the checked-in memory before and after consolidation, long
// after its last entry. One answer of 140 may leave the first ten hits. The file model knows less
// about entries that were folded.
func TestFiguresAfterConsolidation(t *testing.T) {
	files := map[string][]byte{}
	root := os.DirFS(searchSet + "memory")
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files[name], err = fs.ReadFile(root, name)
			files[name] = takenOver.ReplaceAll(files[name], []byte("$0 edited="+memory.ByHand))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	options := consolidate.Options{FoldAfter: 30 * 24 * time.Hour, PromoteRuns: 3, PromoteImportance: 0.8}
	r := consolidate.Plan(consolidate.Input{Options: options, Files: files, Now: time.Date(2027, 3, 1, 0, 0, 0, 0, time.UTC)})
	after := maps.Clone(files)
	for _, e := range r.Edits {
		delete(after, e.File)
		if e.After != nil {
			after[e.File] = e.After
		}
	}
	sum := map[consolidate.Kind]int{}
	for _, a := range r.Actions {
		sum[a.Kind]++
	}
	if sum[consolidate.Folded] == 0 || sum[consolidate.Promoted] == 0 {
		t.Fatalf("there is nothing to measure: %v", sum)
	}
	questions, err := eval.ReadQuestions(searchSet + "queries.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	moved := slices.Clone(questions)
	for i, q := range moved {
		moved[i].Answers = slices.Clone(q.Answers)
		for k, a := range q.Answers {
			moved[i].Answers[k] = movedTo(files, after, a)
		}
	}
	folder := written(t, after)
	for _, provider := range []string{"none", "local"} {
		was, is := queriesMeasured(t, provider), measureQueries(t, provider, folder, moved)
		for _, name := range slices.Sorted(maps.Keys(was)) {
			t.Logf("%-5s %-32s %.4f → %.4f", provider, name, was[name], is[name])
			better := is[name] - was[name]
			if scale, ok := worse[name]; ok {
				better = -better / scale
			}
			if better < -1.01/140 {
				t.Errorf("%s: %s fell from %v to %v", provider, name, was[name], is[name])
			}
		}
	}
}

// written returns a folder with these files.
func written(t *testing.T, files map[string][]byte) string {
	t.Helper()
	dir := apptest.NewFolder(t)
	for name, text := range files {
		dir.Write(filepath.FromSlash(name), string(text))
	}
	return dir.Repo
}

// movedTo returns the place of an answer after the change: an entry by its id or, if that is gone,
// the place of its fact. It finds a line by its text.
func movedTo(before, after map[string][]byte, answer string) string {
	want := ""
	file, number, isPlace := strings.Cut(answer, ":")
	if line, err := strconv.Atoi(number); isPlace && err == nil {
		want = strings.Split(string(before[file]), "\n")[line-1]
		if at, _, ok := strings.Cut(want, "<!--"); ok {
			want = at
		}
	} else {
		for _, text := range after {
			if slices.Contains(markdown.Parse(text).IDs(), answer) {
				return answer
			}
		}
		for _, text := range before {
			for _, e := range markdown.Parse(text).Entries() {
				if e.ID == answer && len(e.Facts) > 0 {
					want = "id=" + e.Facts[0].ID
				}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(after)) {
		for i, line := range strings.Split(string(after[name]), "\n") {
			if want != "" && strings.Contains(line, want) {
				return fmt.Sprintf("%s:%d", name, i+1)
			}
		}
	}
	return answer
}
