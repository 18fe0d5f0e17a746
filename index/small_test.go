package index

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/memory/retrieval"
)

// TestSmallMemories checks that with 1, 5, 20 and 100 entries, a task that
// names an entry by its words finds it. The entries are the commits of the
// checked-in history.
func TestSmallMemories(t *testing.T) {
	f, err := os.Open("../testdata/search/history.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var subjects []string
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var commit struct{ Subject string }
		if err := json.Unmarshal(lines.Bytes(), &commit); err != nil {
			t.Fatal(err)
		}
		if len(strings.Fields(commit.Subject)) >= 5 {
			subjects = append(subjects, commit.Subject)
		}
	}
	for _, size := range []int{1, 5, 20, 100} {
		shown, asked := 0, 0
		for group := range slices.Chunk(subjects[:len(subjects)/size*size], size) {
			if asked >= 40 {
				break
			}
			t.Run(fmt.Sprintf("%d entries, from task %d", size, asked), func(t *testing.T) {
				asked += min(size, 25)
				shown += shownOf(t, group)
			})
		}
		t.Logf("%d entries: the right one is shown for %d of %d tasks", size, shown, asked)
		if share := float64(shown) / float64(asked); share < 0.85 {
			t.Errorf("%d entries: the right one is shown for %d of %d tasks", size, shown, asked)
		}
	}
}

// shownOf counts for how many of the first 25 subjects a task is shown the right entry, in a
// memory with an entry for each subject.
func shownOf(t *testing.T, subjects []string) (shown int) {
	var text strings.Builder
	for i, subject := range subjects {
		text.WriteString(entry(fmt.Sprintf("e%d", i), day.Add(time.Duration(-i)*time.Hour), subject, subject+"."))
	}
	s := newStore(t)
	s.put("2026-11-21.md", text.String())
	d := s.open(Options{})
	s.sync(d)
	for i, subject := range subjects[:min(len(subjects), 25)] {
		hits := search1(t, d, retrieval.Query{Text: namedByWords(subject), Gate: true, Task: true, Sure: true, Limit: 5})
		if slices.ContainsFunc(hits, func(h retrieval.Hit) bool { return h.EntryID == fmt.Sprintf("e%d", i) }) {
			shown++
		}
	}
	return shown
}

// namedByWords returns a task with the words of a subject after its scope, in
// another order.
func namedByWords(subject string) string {
	if _, after, ok := strings.Cut(subject, ": "); ok {
		subject = after
	}
	words := strings.Fields(subject)
	slices.Reverse(words)
	return "Please have a look at what we did about " + strings.Join(words, " ")
}

// TestCommonplaceQuestions checks that a text with all words of a question is
// found, although they occur in any project.
func TestCommonplaceQuestions(t *testing.T) {
	for question, fact := range map[string]string{
		"How do I run the tests?":         "Run the tests with uv run pytest -q",
		"how do we build the docs":        "Build the docs with make docs, sphinx warns about nothing",
		"Which branch do releases go to?": "Releases go to the branch stable",
		"what is the deploy command?":     "Deploy with the command make ship",
	} {
		for _, others := range []int{0, 4, 19, 99} {
			note := memory.Entry{ID: "01a21900-0000-7000-8000-000000000001", Kind: memory.KindNote, Time: day, Facts: []memory.Fact{{ID: "01a21900-0000-7000-8000-000000000002", Text: fact}}}
			list := []string{string(markdown.Format(note))}
			for i := range others {
				list = append(list, written(fmt.Sprintf("o%d", i), fmt.Sprintf("Colour %d of the banner, %s", i, []string{"with a new test", "for the release", "in the docs", "after the build"}[i%4]), nil))
			}
			t.Run(fmt.Sprintf("%s, and %d others", question, others), func(t *testing.T) {
				if ids, _ := order(t, retrieval.Query{Text: question, Gate: true, Task: true, Sure: true, Limit: 5}, list...); !strings.Contains(ids, note.ID) {
					t.Errorf("shown: %q", ids)
				}
			})
		}
	}
}
