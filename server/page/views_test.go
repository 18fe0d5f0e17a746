//go:build e2e

package page_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentflow/app/list"

	"github.com/chromedp/chromedp"
)

// shownView is a page of the memory of newLived.
type shownView struct{ name, path string }

// viewsOf returns all views, with and without content.
func viewsOf(t *testing.T, v *visit) []shownView {
	t.Helper()
	log, err := list.Log(t.Context(), v.memory, list.LogRequest{Limit: 2})
	if err != nil || len(log.Runs) != 2 {
		t.Fatalf("%+v %v", log, err)
	}
	failed, run := log.Runs[0].ID, log.Runs[1].ID
	facts, err := list.List(t.Context(), v.memory, list.Request{Words: []string{"idempotent"}})
	if err != nil || len(facts.Facts) != 1 {
		t.Fatalf("%+v %v", facts, err)
	}
	return []shownView{
		{"search", "/?q=login+session+redis"}, {"search-begin", "/"}, {"search-none", "/?q=zeppelin&kind=run"}, {"timeline", "/timeline"}, {"run", "/entry/" + run + "?diff=1"}, {"run-failed", "/entry/" + failed},
		{"facts", "/facts"}, {"contradictions", "/contradictions"}, {"fact", "/entry/" + facts.Facts[0].ID}, {"memory", "/memory"}, {"memory-day", "/memory?file=memory/" + filepath.Base(log.Runs[0].MemoryPath)},
		{"files", "/files"}, {"files-likely", "/files?task=deliver+each+webhook+once"}, {"files-unlikely", "/files?task=zeppelin"}, {"file", "/files?path=auth/session.go"}, {"why", "/files?path=webhook/deliver.go&why=1"}, {"why-line", "/files?path=webhook/deliver.go&line=4"}, {"why-none", "/files?path=webhook/deliver.go&line=4000"}, {"health", "/health"}, {"problem", "/entry/00000000-0000-7000-8000-000000000000"},
	}
}

// TestE2EViews looks at every view, light and dark, wide and narrow: none is
// wider than its window, and axe-core finds nothing wrong with it. Pictures go
// into the folder PAGE_PICTURES, for people to look at.
func TestE2EViews(t *testing.T) {
	axe, err := os.ReadFile(os.Getenv("AXE_CORE"))
	if err != nil {
		t.Fatalf("AXE_CORE names no script, as 'make e2e' does: %v", err)
	}
	v := visitOf(t, newLived(t))
	for _, l := range looks {
		v.as(l)
		for _, view := range viewsOf(t, v) {
			name := view.name + "-" + l.name
			v.open(view.path)
			v.await(`document.querySelector("[data-load], [aria-busy]") === null`)
			v.picture(name)
			js[bool](v, `document.querySelectorAll("details").forEach((d) => { d.open = true; }), true`)
			if wide := js[int](v, `document.documentElement.scrollWidth - innerWidth`); wide > 0 {
				t.Errorf("%s: the page is %d pixels wider than the window", name, wide)
			}
			v.isAccessible(name, axe)
		}
		v.open("/facts")
		v.click(`[data-do="edit"]`)
		v.await(`document.getElementById("edit").open`)
		v.picture("edit-" + l.name)
		v.isAccessible("edit-"+l.name, axe)
	}
}

// picture writes a screenshot of the window to the folder PAGE_PICTURES, if
// set.
func (v *visit) picture(name string) {
	v.t.Helper()
	folder := os.Getenv("PAGE_PICTURES")
	if folder == "" {
		return
	}
	picture, err := chromedp.Run(v.tab, chromedp.CaptureScreenshot())
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, name+".png"), picture, 0o600)
	}
	if err != nil {
		v.t.Fatalf("%s: %v", name, err)
	}
}

// violation is a problem that axe-core reports
// (https://github.com/dequelabs/axe-core/blob/develop/doc/API.md).
type violation struct {
	ID, Impact, Help string
	Nodes            []struct{ HTML, FailureSummary string }
}

// isAccessible holds a page to the rules of axe-core: none is broken, whether
// axe calls that minor or critical.
func (v *visit) isAccessible(what string, axe []byte) {
	v.t.Helper()
	js[bool](v, string(axe)+"; true")
	found := js[[]violation](v, `axe.run(document, {resultTypes: ["violations"]}).then((r) => r.violations.map(({id, impact, help, nodes}) => ({id, impact, help, nodes: nodes.map(({html, failureSummary}) => ({html, failureSummary}))})))`)
	for _, f := range found {
		var where []string
		for _, n := range f.Nodes[:min(3, len(f.Nodes))] {
			where = append(where, n.HTML+"\n"+n.FailureSummary)
		}
		v.t.Errorf("%s: %s (%s): %s, %d times\n%s", what, f.ID, f.Impact, f.Help, len(f.Nodes), strings.Join(where, "\n"))
	}
}
