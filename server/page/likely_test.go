package page

import (
	"net/url"
	"strings"
	"testing"

	"agentflow/app/setup"
)

// TestLikelyFiles checks that the files a task will likely touch appear
// likeliest first, each with its reasons and the parts of its score, and link
// to their histories.
func TestLikelyFiles(t *testing.T) {
	s := newWhy(t)
	task := "/files?task=" + url.QueryEscape("Write <b>lines</b>")
	text := s.get(200, task)
	wantWords(t, task, text, `value="Write &lt;b&gt;lines&lt;/b&gt;"`, "Files likely involved", `path=dir%2Fa`, ">dir/a</a>", "<meter", " %</p>", "Why: score", "relevance")
	if strings.Contains(text, "<b>lines") || strings.Contains(text, "Changed last") {
		t.Errorf("markup of the task, or another view:\n%s", text)
	}
	s.get(400, "/files?task="+strings.Repeat("a", maxWords+1))
}

func TestNoLikelyFiles(t *testing.T) {
	s := newShown(t)
	if _, err := setup.Init(t.Context(), s.memory); err != nil {
		t.Fatal(err)
	}
	wantWords(t, "/files", s.get(200, "/files?task=anything"), "Memory knows no files for this task", "agentflow backfill")
	if text := s.get(200, "/files"); !strings.Contains(text, `name="task"`) {
		t.Errorf("nowhere to ask for a task:\n%s", text)
	}
}
