package page

import (
	"context"
	"net/url"
	"strings"
	"testing"
	"time"

	"agentflow/app/commit"
	apprun "agentflow/app/run"
)

// newWhy returns the page of a file with lines of two runs and one line that is
// not committed.
func newWhy(t *testing.T) *shown {
	t.Helper()
	s := newShown(t)
	for _, run := range [][2]string{{"Write three lines", `mkdir dir; printf 'one of three\ntwo of three\nthree of three\n' >dir/a; git add .; git commit -qm three`}, {"Write a line <b>more</b>", "echo 'a line <b>more</b> than three' >>dir/a; git commit -qam more"}} {
		if _, err := apprun.Run(t.Context(), s.memory, apprun.Request{Task: run[0], Agent: "command", AgentArgs: []string{"sh", "-c", run[1]}}); err != nil {
			t.Fatal(err)
		}
	}
	s.Write("dir/a", s.Read("dir/a")+"a line that nobody committed\n")
	return s
}

// wantWords holds a page to words in their order.
func wantWords(t *testing.T, target, text string, words ...string) {
	t.Helper()
	rest := text
	for _, word := range words {
		_, behind, ok := strings.Cut(rest, word)
		if !ok {
			t.Errorf("%s does not hold %q, or not in this order:\n%s", target, word, text)
			return
		}
		rest = behind
	}
}

// TestWhyOfAPath checks that the tasks of a path appear with the most
// informative first and those of a line next to it, and that both link to their
// entries.
func TestWhyOfAPath(t *testing.T) {
	s := newWhy(t)
	for target, words := range map[string][]string{
		"/files?path=dir%2Fa&why=1":   {`id="why"`, `href="/entry/`, ">Write three lines</a>", "3 lines", `href="/entry/`, "Write a line &lt;b&gt;more&lt;/b&gt;</a>", "1 line<", `id="part"`, "Write three lines"},
		"/files?path=dir&why=1":       {`id="why"`, ">Write three lines</a>", "&#43;3<", "more&lt;/b&gt;</a>", "&#43;1<"},
		"/files?path=dir%2Fa&line=4":  {`value="4"`, "dir/a:4", "a line &lt;b&gt;more&lt;/b&gt; than three", "<dt>run</dt>", "<dt>commit</dt>", "<dt>entry</dt>", `href="/entry/`, "Write a line &lt;b&gt;more&lt;/b&gt;</a>", `id="part"`},
		"/files?path=dir%2Fa&line=5":  {"a line that nobody committed", "<dt>note</dt>", `id="part"`},
		"/files?path=dir%2Fa&line=+2": {"two of three", "Write three lines</a>"},
	} {
		wantWords(t, target, s.get(200, target), words...)
	}
}

// TestWhyWaitsUntilItIsAsked checks that git runs only when a request asks why:
// neither in a plain view nor in a refresh of the history or its older pages.
func TestWhyWaitsUntilItIsAsked(t *testing.T) {
	s := newWhy(t)
	for target, offered := range map[string]bool{"/files?path=dir%2Fa": true, "/files?path=dir%2Fa&why=1&part=1": false, "/files?path=dir%2Fa&line=1&part=1": false, "/files": false} {
		text := s.get(200, target)
		if strings.Contains(text, `id="why"`) != offered || strings.Contains(text, "3 lines") || strings.Contains(text, "<dt>") {
			t.Errorf("%s:\n%s", target, text)
		}
	}
	q := request{Repository: Repository{Name: "repo", Memory: s.memory}, values: url.Values{"why": {"1"}, "part": {"1"}}}
	if p, _ := why(t.Context(), q, "dir/a"); p.Asked || p.Kind != "" {
		t.Errorf("a refresh asks: %+v", p)
	}
}

// TestWhyThatHasNoAnswer checks that a line reports what cannot be answered,
// and that the history still appears.
func TestWhyThatHasNoAnswer(t *testing.T) {
	s := newWhy(t)
	s.Write("dir/gone", "x\n")
	s.Git("add", "dir/gone")
	s.Git("commit", "-qm", "<i>gone</i>")
	if _, err := commit.Backfill(t.Context(), s.memory, commit.BackfillRequest{}); err != nil {
		t.Fatal(err)
	}
	s.Remove("dir/gone")
	s.Write("new/none", "x\n")
	s.Write("bin", "a\x00b\n")
	for target, word := range map[string]string{
		"/files?path=dir%2Fa&line=99": "no line 99", "/files?path=dir%2Fa&line=0": "whole number from 1", "/files?path=dir%2Fa&line=%22%3E%3Cscript%3E": "whole number from 1", "/files?path=dir%2Fa&line=99999999999999999999": "whole number from 1",
		"/files?path=dir%2Fgone&line=1": "has no file dir/gone", "/files?path=dir%2Fgone&why=1": "&lt;i&gt;gone&lt;/i&gt;", "/files?path=nowhere&why=1": "no entry of memory names it", "/files?path=bin&line=1": "is binary",
		"/files?path=new%2Fnone&why=1": "no commit has the file", "/files?path=new&why=1": "Memory holds nothing that had to do with it", "/files?path=%3Cscript%3E&why=1": "has no &lt;script&gt;", "/files?path=dir&line=1": "is no file", "/files?path=.git%2Fconfig&why=1": "own",
	} {
		text := s.get(200, target)
		if wantWords(t, target, text, `id="why"`, word, `id="part"`, "</html>"); strings.Contains(text, "<script>") || strings.Contains(text, "<i>") {
			t.Errorf("%s is more than text:\n%s", target, text)
		}
	}
	late, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	p, _ := why(late, request{Repository: Repository{Name: "repo", Memory: s.memory}, values: url.Values{"why": {""}}}, "dir/a")
	if p.Problem == nil || !strings.Contains(p.Problem.Error(), "longer than") {
		t.Errorf("an answer that takes too long: %+v", p)
	}
}
