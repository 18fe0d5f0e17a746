package page

import (
	"html"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"agentflow/app"
	"agentflow/app/fact"
	"agentflow/app/open"
	"agentflow/app/setup"
	"agentflow/internal/plural"
	"agentflow/internal/testing/labtest"
)

// shown is the page of one memory.
type shown struct {
	*labtest.Lab
	t      *testing.T
	memory *app.Memory
	page   http.Handler
}

func newShown(t *testing.T) *shown {
	t.Helper()
	l := labtest.Repository(t)
	m, err := open.Open(t.Context(), l.Repo, app.Env{Vars: l.Env})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return &shown{l, t, m, New(Options{Repositories: []Repository{{Name: "repo", Memory: m}}, Version: "test"})}
}

func (s *shown) get(want int, target string) string {
	s.t.Helper()
	w := httptest.NewRecorder()
	s.page.ServeHTTP(w, httptest.NewRequest("GET", target, nil))
	if w.Code != want {
		s.t.Fatalf("GET %s: %d, want %d\n%s", target, w.Code, want, w.Body)
	}
	return w.Body.String()
}

func (s *shown) remember(change fact.Change) string {
	s.t.Helper()
	res, err := fact.Remember(s.t.Context(), s.memory, fact.RememberRequest{Change: change})
	if err != nil {
		s.t.Fatal(err)
	}
	return res.Fact.ID
}

var views = []string{"/", "/timeline", "/live", "/facts", "/contradictions", "/review", "/memory", "/files", "/health"}

func TestEmptyMemoryIsShown(t *testing.T) {
	s := newShown(t)
	for _, v := range views {
		if text := s.get(200, v); !strings.Contains(text, "</html>") {
			t.Errorf("before a memory is begun %s is\n%s", v, text)
		}
	}
	if _, err := setup.Init(t.Context(), s.memory); err != nil {
		t.Fatal(err)
	}
	for _, v := range views {
		if text := s.get(200, v); !strings.Contains(text, "</html>") || strings.Contains(text, "<script>") {
			t.Errorf("%s:\n%s", v, text)
		}
	}
}

func TestWhatCannotBeShownIsSaid(t *testing.T) {
	s := newShown(t)
	s.remember(fact.Change{Text: new("One.")})
	for target, want := range map[string]int{
		"/nowhere": 404, "/entry/00000000-0000-7000-8000-000000000000": 404, "/entry/%3Cscript%3E": 404, "/entry/-x": 404, "/?repository=other": 404, "/?q=a&since=yesterdayish": 400,
		"/memory?file=../../etc/passwd": 400, "/memory?file=memory/none.md": 404, "/facts?sort=beauty": 400, "/facts?cursor=zz": 400, "/?q=" + strings.Repeat("a", maxWords+1): 400,
	} {
		if text := s.get(want, target); !strings.Contains(text, `role="alert"`) {
			t.Errorf("%s does not say why", target)
		}
	}
}

func TestFactsAreFoundFilteredAndSetSideBySide(t *testing.T) {
	s := newShown(t)
	first := s.remember(fact.Change{Text: new("The port is 8080."), Key: new("port"), Tags: &[]string{"net"}})
	second := s.remember(fact.Change{Text: new("The port is 9090."), Key: new("port")})
	s.remember(fact.Change{Text: new("Tests need a clock.")})
	found := s.get(200, "/?q=clock&part=1")
	if !strings.Contains(found, "<mark>clock</mark>") || !strings.Contains(found, "Words, relative to the best hit") || strings.Contains(found, "<html") {
		t.Errorf("search:\n%s", found)
	}
	if list := s.get(200, "/facts?tag=net"); !strings.Contains(list, first) || strings.Contains(list, second) {
		t.Error("the filter lets others pass")
	}
	sides := s.get(200, "/contradictions")
	if !strings.Contains(sides, first) || !strings.Contains(sides, second) || strings.Contains(sides, "clock") {
		t.Errorf("contradictions:\n%s", sides)
	}
	if one := s.get(200, "/entry/"+first); !strings.Contains(one, "The port is 8080.") || !strings.Contains(one, "Stands in") {
		t.Errorf("fact:\n%s", one)
	}
}

// Pages of a list hold each fact once.
func TestListsGoOnPageByPage(t *testing.T) {
	s := newShown(t)
	for i := range factsOfPage + 3 {
		s.remember(fact.Change{Text: new(strings.Repeat("x", i+1))})
	}
	next := regexp.MustCompile(`rel="next" href="([^"]*)"`)
	row := regexp.MustCompile(`data-fact="([^"]*)"`)
	ids := map[string]int{}
	pages := 0
	for target := "/facts"; target != ""; pages++ {
		text := s.get(200, target)
		for _, m := range row.FindAllStringSubmatch(text, -1) {
			ids[m[1]]++
		}
		target = ""
		if m := next.FindStringSubmatch(text); m != nil {
			target = strings.ReplaceAll(m[1], "&amp;", "&")
		}
	}
	if pages != 2 || len(ids) != factsOfPage+3 {
		t.Errorf("%d pages hold %d facts", pages, len(ids))
	}
}

// hostile lists texts that try to act as markup.
var hostile = []string{
	`<script>alert("pwned")</script>`, `<img src="http://evil.example/x.png" onerror="pwned()">`, `"><a href="javascript:pwned()">pwned</a>`, `<style>*{pwned:1}</style>`,
	`{{.Data}} {{template "layout"}} ${pwned} <%= pwned %>`, `![pwned](http://evil.example/p.png) [pwned](javascript:pwned())`, `' onmouseover='pwned()' x='`, "</p></article></main></body><iframe src=//evil.example>",
	"<svg onload=pwned()>", "&lt;script&gt;pwned&lt;/script&gt;",
}

// elements returns the tags of a page with the names of their attributes.
// Values are in double quotes, in which the templates write no raw quote or
// bracket.
func elements(text string) (list []string) {
	value := regexp.MustCompile(`="[^"]*"`)
	for _, tag := range regexp.MustCompile(`<[a-zA-Z/!](?:"[^"]*"|[^">])*>`).FindAllString(text, -1) {
		list = append(list, value.ReplaceAllString(tag, "="))
	}
	return list
}

// A page about hostile text has the elements and attributes that it has of
// plain text, and no others.
func TestHostileMemoryIsInert(t *testing.T) {
	build := func(texts []string) (pages [][]string) {
		s := newShown(t)
		var ids []string
		for i, text := range texts {
			ids = append(ids, s.remember(fact.Change{Text: new("needle " + text), Key: new("key" + text), Category: new(text), Tags: &[]string{"tag"}}))
			if i < 2 {
				s.remember(fact.Change{Text: new("other needle " + text), Key: new("key" + text)})
			}
		}
		targets := []string{"/facts", "/contradictions", "/memory", "/timeline", "/health", "/files"}
		for _, id := range ids {
			targets = append(targets, "/entry/"+id)
		}
		for _, target := range targets {
			text := s.get(200, target)
			for _, bad := range []string{"<script>", "<img", "<iframe", "<style", "<svg onload", `href="javascript`, `src="http`, `href="http`, "ZgotmplZ"} {
				if strings.Contains(text, bad) {
					t.Errorf("%s holds %s", target, bad)
				}
			}
			tags := elements(text)
			slices.Sort(tags)
			pages = append(pages, slices.Compact(tags))
		}
		for _, text := range texts {
			for _, field := range []string{"/?q=needle+", "/?q=", "/files?path=", "/facts?words=", "/facts?tag=", "/facts?key=", "/memory?x="} {
				w := httptest.NewRecorder()
				r := httptest.NewRequest("GET", "/", nil)
				path, query, _ := strings.Cut(field, "?")
				name, value, _ := strings.Cut(query, "=")
				r.URL.Path = path
				values := r.URL.Query()
				values.Set(name, strings.ReplaceAll(value, "+", " ")+text)
				r.URL.RawQuery = values.Encode()
				s.page.ServeHTTP(w, r)
				if body := w.Body.String(); strings.Contains(body, text) && strings.Contains(text, "<") || strings.Contains(body, "<img") || strings.Contains(body, "<script>") {
					t.Errorf("%s%s comes back as it is", field, text)
				}
			}
		}
		return pages
	}
	var plain []string
	for i := range hostile {
		plain = append(plain, "words of no harm "+strings.Repeat("a", i+1))
	}
	want, have := build(plain), build(hostile)
	for i := range want {
		for _, tag := range have[i] {
			if !slices.Contains(want[i], tag) {
				t.Errorf("page %d has %s", i, tag)
			}
		}
	}
}

func TestStaticFiles(t *testing.T) {
	s := newShown(t)
	for _, name := range []string{"page.css", "page.js", "icon.svg"} {
		s.get(200, "/static/"+name)
	}
	s.get(404, "/static/..%2fpage.go")
	s.get(404, "/static/none")
	if css := s.get(200, "/static/page.css") + s.get(200, "/static/page.js"); strings.Contains(css, "://") || strings.Contains(css, "@import") {
		t.Error("something is loaded from elsewhere")
	}
}

// TestLandingShowsThePreview checks that the landing page shows what the next
// session is given and, with a task, what its first prompt adds: each line with
// its ID, its reason and its buttons.
func TestLandingShowsThePreview(t *testing.T) {
	s := newShown(t)
	id := s.remember(fact.Change{Text: new("Run the tests with uv run pytest -q")})
	pre, err := setup.Preview(t.Context(), s.memory, setup.PreviewRequest{Task: "run the tests"})
	if err != nil {
		t.Fatal(err)
	}
	text := s.get(200, "/?task=run+the+tests")
	for _, want := range []string{
		"The next session begins with 1 fact and 0 entries: " + plural.Count(pre.Start.Tokens, "token"), "The prompt adds 0 facts and 0 entries", id[len(id)-6:] + " stated by a person",
		`data-do="pin"`, `data-do="edit"`, `data-do="delete"`, `value="run the tests"`, html.EscapeString(pre.Start.Text),
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	s.remember(fact.Change{Text: new(strings.Repeat("Deploys go out on Tuesdays. ", 300))})
	wantWords(t, "a fact that does not fit", s.get(200, "/"), "1 more fact does not fit", "left out: it does not fit")
	for _, target := range []string{"/?q=tests", "/?kind=note"} {
		if text := s.get(200, target); strings.Contains(text, "The next session begins") {
			t.Errorf("a search shows it:\n%s", text)
		}
	}
}
