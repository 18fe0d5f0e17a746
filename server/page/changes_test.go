//go:build e2e

package page_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/forget"
	"agentflow/app/list"
	"agentflow/internal/testing/labtest"
	"agentflow/memory"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

func TestE2ESearchFollowsTheKeys(t *testing.T) {
	v := newVisit(t)
	v.remember("The login test races the clock.", "login")
	v.remember("Migrations run before the server starts.", "")
	v.do(chromedp.SendKeys("#q", "login clo"))
	v.await(`document.querySelectorAll(".hit mark").length > 0`)
	if hits := js[int](v, `document.querySelectorAll(".hit").length`); hits != 1 {
		t.Errorf("%d hits", hits)
	}
	if at := js[string](v, `location.search`); at != "?q=login+clo&repository=shop" {
		t.Errorf("the address is %s: a reload would show something else", at)
	}
	v.do(chromedp.SendKeys("#q", " zeppelin"), chromedp.SetValue("#q", "migration"), chromedp.SendKeys("#q", "s"))
	v.await(`document.querySelector(".hit h2").textContent.includes("Migrations run")`)
	if said := js[string](v, `document.getElementById("said").textContent`); said != "1 hit" {
		t.Errorf("a screen reader hears %q", said)
	}
	v.click(".why summary")
	if why := js[string](v, `document.querySelector(".why table").innerText`); why == "" {
		t.Error("the parts of the score are not shown")
	}
	res, err := list.List(t.Context(), v.memory, list.Request{Sort: "uses"})
	if err != nil || res.Facts[0].Uses != nil {
		t.Errorf("what is found while one types counts as used: %+v %v", res.Facts, err)
	}
}

// propose puts proposals on the list, as the sessions of this repository do.
func propose(t *testing.T, l *labtest.Lab, texts ...string) {
	t.Helper()
	var waiting []string
	for i, text := range texts {
		waiting = append(waiting, fmt.Sprintf(`{"id": %q, "kind": "correction", "text": %q, "sentence": %q, "at": %q}`, memory.HashID("test", text), text, "no, "+text, time.Now().Add(time.Duration(i)*time.Second).Format(time.RFC3339)))
	}
	name := filepath.Join(l.Repo, ".git", "agentflow", "proposals.json")
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(`{"version": 1, "waiting": [`+strings.Join(waiting, ", ")+`]}`), 0o600)); err != nil {
		t.Fatal(err)
	}
}

func TestE2EAProposalIsAcceptedInOtherWords(t *testing.T) {
	l := labtest.Repository(t)
	v := visitOf(t, l)
	v.remember("Say thanks.", "")
	propose(t, l, "We never deploy on Fridays.", "Use tabs, not spaces.")
	v.open("/review")
	v.click(`[data-do="reword"]`)
	v.do(chromedp.WaitVisible("#edit-text"))
	if text := js[string](v, `document.querySelector("#edit-text").value`); text != "Use tabs, not spaces." {
		t.Errorf("the text to edit is %q", text)
	}
	if js[bool](v, `document.querySelector("#edit-type").offsetParent !== null`) {
		t.Error("a proposal is asked for its type")
	}
	v.do(chromedp.SetValue("#edit-text", "Indent with tabs."), chromedp.Click("#edit-save"))
	v.await(`document.querySelectorAll("[data-fact]").length === 1`)
	res, err := list.List(t.Context(), v.memory, list.Request{})
	if err != nil || len(res.Facts) != 2 || !slices.ContainsFunc(res.Facts, func(f api.Fact) bool { return f.Text == "Indent with tabs." && f.Reason == "no, Use tabs, not spaces." }) {
		t.Errorf("%+v, %v", res.Facts, err)
	}
	v.open("/facts")
	v.click(`[data-do="edit"]`)
	v.await(`document.querySelector("#edit-type").offsetParent !== null`)
}

func TestE2EAFactIsEditedPinnedDeletedAndBroughtBack(t *testing.T) {
	v := newVisit(t)
	id := v.remember("The login test races the clock.", "login")
	v.open("/facts")
	v.click(`[data-do="edit"]`)
	v.do(chromedp.WaitVisible("#edit-text"), chromedp.SetValue("#edit-text", "The login test races the server."), chromedp.SetValue("#edit-tags", "auth flaky"), chromedp.Click("#edit-save"))
	v.await(`document.querySelector(".fact .text").textContent.includes("races the server")`)
	if res, err := list.Show(t.Context(), v.memory, list.ShowRequest{Ref: id}); err != nil || res.Fact.Text != "The login test races the server." || len(res.Fact.Tags) != 2 || res.Fact.Key != "login" {
		t.Errorf("%+v %v", res.Fact, err)
	}
	v.click(`[data-do="pin"]`)
	v.await(`document.querySelector('[data-do="unpin"]') !== null`)
	if res, err := list.Show(t.Context(), v.memory, list.ShowRequest{Ref: id}); err != nil || !res.Fact.Pinned {
		t.Errorf("%+v %v", res.Fact, err)
	}
	v.click(`[data-do="unpin"]`)
	v.await(`document.querySelector('[data-do="pin"]') !== null`)
	v.click(`[data-do="delete"]`)
	v.await(`!document.querySelector("#toast-undo").hidden`)
	if _, err := list.Show(t.Context(), v.memory, list.ShowRequest{Ref: id}); app.AsError(err).Kind != app.KindNotFound {
		t.Errorf("the fact stands: %v", err)
	}
	v.click("#toast-undo")
	v.await(`document.querySelector("#toast-text").textContent === "It is back." && document.querySelector(".fact:not(.gone)") !== null`)
	if _, err := list.Show(t.Context(), v.memory, list.ShowRequest{Ref: id}); err != nil {
		t.Error(err)
	}
}

// TestE2EARefusalIsSaid checks that the page explains a refused change, such as
// one that another window made first.
func TestE2EARefusalIsSaid(t *testing.T) {
	v := newVisit(t)
	id := v.remember("The login test races the clock.", "login")
	v.open("/entry/" + id)
	plan, err := forget.PlanForget(t.Context(), v.memory, forget.Request{IDs: []string{id}})
	if err != nil {
		t.Fatal(err)
	}
	js[bool](v, `stream.close(), true`)
	if _, err := forget.ApplyForget(t.Context(), v.memory, plan); err != nil {
		t.Fatal(err)
	}
	v.click(`[data-do="pin"]`)
	v.await(`!document.getElementById("toast").hidden && document.getElementById("toast-text").textContent.includes("` + id + `")`)
	v.open("/entry/00000000-0000-7000-8000-000000000000")
	v.await(`document.querySelector("[role=alert]") !== null`)
}

func TestE2EWhatWasOfNoUseIsNoted(t *testing.T) {
	l := labtest.New(t, "say done\n")
	l.Agentflow("run", "-q", "Bound the requests of the carrier API to ten a second")
	l.Agentflow("run", "-q", "Let the carrier API allow more requests a second")
	v := visitOf(t, l)
	v.open("/entry/last")
	if recalled := js[string](v, `document.querySelector(".numbered").innerText`); recalled == "" {
		t.Fatal("nothing was recalled")
	}
	v.click(`[data-do="useless"]`)
	v.await(`document.querySelector(".numbered .tag") !== null`)
	res, err := list.Show(t.Context(), v.memory, list.ShowRequest{Ref: "last"})
	if err != nil || res.Run.Recalled[0].Judged == "" {
		t.Errorf("%+v %v", res.Run.Recalled, err)
	}
	v.open("/entry/last")
	if js[bool](v, `document.querySelector('[data-do="useless"]') !== null`) {
		t.Error("it can be said twice")
	}
}

// TestE2EKeysAreEnough does all that without a mouse.
func TestE2EKeysAreEnough(t *testing.T) {
	v := newVisit(t)
	first := v.remember("The login test races the clock.", "login")
	v.remember("The login test needs a server.", "login")
	press := func(keys string) { v.t.Helper(); v.do(chromedp.KeyEvent(keys)) }
	press("login" + kb.ArrowDown)
	v.await(`document.querySelectorAll(".hit").length === 2`)
	press(kb.Escape + kb.Tab)
	press("j")
	v.await(`document.querySelector(".hit a") === document.activeElement`)
	press("j")
	press("k")
	press(kb.Enter)
	v.await(`document.body?.dataset.view === "entry"`)
	v.open("/facts")
	press("jj")
	v.await(`document.activeElement.href.endsWith("` + first + `")`)
	press("p")
	v.await(`document.querySelector('[data-fact="` + first + `"] [data-do="unpin"]') !== null`)
	v.await(`document.activeElement.closest("[data-fact]").dataset.fact === "` + first + `"`)
	press("e")
	v.await(`document.getElementById("edit").open && document.activeElement.id === "edit-text"`)
	press("So: ")
	press(kb.Escape)
	v.await(`!document.getElementById("edit").open`)
	press("d")
	v.await(`document.activeElement.id === "toast-undo"`)
	press("u")
	v.await(`document.querySelector("#toast-text").textContent === "It is back."`)
	press("/")
	v.await(`document.activeElement.id === "words"`)
	if told := js[string](v, `document.querySelector(".keys").innerText`); told == "" {
		t.Error("nobody says which keys there are")
	}
}

// TestE2ETabReachesAll walks through each view with the tab key: the key
// reaches every control, and each control shows its focus.
func TestE2ETabReachesAll(t *testing.T) {
	v := newVisit(t)
	v.remember("The login test races the clock.", "login")
	v.remember("The login test needs a server.", "login")
	for _, path := range []string{"/?q=login", "/timeline", "/facts", "/contradictions", "/memory", "/files", "/health"} {
		v.open(path)
		js[bool](v, `document.activeElement.blur(), window.reached = new Set(), true`)
		all := js[int](v, `(window.usable = [...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex='0']")].filter((e) => e.checkVisibility() && !e.disabled)).length`)
		for range all + 12 {
			v.do(chromedp.KeyEvent(kb.Tab))
			bad := js[string](v, `(() => { const e = document.activeElement; reached.add(e); if (e === document.body) return ""; const s = getComputedStyle(e); return s.outlineStyle !== "none" && parseFloat(s.outlineWidth) >= 2 ? "" : e.outerHTML.slice(0, 100); })()`)
			if bad != "" {
				t.Errorf("%s: focus does not show on %s", path, bad)
			}
		}
		if missed := js[[]string](v, `usable.filter((e) => !reached.has(e)).map((e) => e.outerHTML.slice(0, 100))`); len(missed) > 0 {
			t.Errorf("%s: the tab key does not come to %q", path, missed)
		}
	}
}
