//go:build e2e

package page_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentflow/app"
	"agentflow/internal/testing/labtest"
	"agentflow/server"
	"agentflow/server/page"

	"github.com/chromedp/chromedp"
)

const token = "0123456789abcdefghijklmnop"

// visit is a server of one memory, and a browser that followed its link.
type visit struct {
	t      *testing.T
	memory *app.Memory
	url    string
	tab    context.Context
}

func newVisit(t *testing.T, flags ...chromedp.ExecAllocatorOption) *visit {
	t.Helper()
	browser, err := exec.LookPath("chromium-headless-shell")
	if err != nil {
		t.Fatal("no browser: 'apt-get install chromium-headless-shell' installs one")
	}
	l := labtest.Repository(t)
	m, err := app.Open(t.Context(), l.Repo, app.Env{Vars: l.Env})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	addr := listener.Addr().String()
	s, err := server.New(t.Context(), server.Options{Repositories: []server.Repository{{Name: "repo", Memory: m}}, Addr: addr, Token: token,
		Page: page.New(page.Options{Repositories: []page.Repository{{Name: "repo", Memory: m}}})})
	if err != nil {
		t.Fatal(err)
	}
	go http.Serve(listener, s) // until the listener is closed
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(browser), chromedp.NoSandbox, chromedp.WindowSize(1200, 800))
	allocator, end := chromedp.NewExecAllocator(context.WithoutCancel(t.Context()), append(options, flags...)...)
	t.Cleanup(end)
	tab, end := chromedp.NewContext(allocator)
	t.Cleanup(end)
	tab, end = context.WithTimeout(tab, 90*time.Second)
	t.Cleanup(end)
	v := &visit{t, m, "http://" + addr, tab}
	v.do(chromedp.Navigate(server.Link(v.url, token, time.Now())), chromedp.WaitVisible("#q"))
	return v
}

func (v *visit) remember(text, key string) string {
	v.t.Helper()
	res, err := v.memory.Remember(v.t.Context(), app.RememberRequest{FactChange: app.FactChange{Text: &text, Key: &key}})
	if err != nil {
		v.t.Fatal(err)
	}
	return res.Fact.ID
}

func (v *visit) do(actions ...chromedp.Action[chromedp.Void]) {
	v.t.Helper()
	if err := chromedp.Do(v.tab, actions...); err != nil {
		v.t.Fatal(err)
	}
}

// js is the value of an expression in the page.
func js[T any](v *visit, expression string) T {
	v.t.Helper()
	value, err := chromedp.Run(v.tab, chromedp.Evaluate[T](expression))
	if err != nil {
		v.t.Fatalf("%s: %v", expression, err)
	}
	return value
}

func (v *visit) await(expression string) {
	v.t.Helper()
	labtest.Await(v.t, expression, func() bool { return js[bool](v, expression) })
}

func TestE2EFactsAreFoundAsOneTypesEditedDeletedAndBroughtBack(t *testing.T) {
	v := newVisit(t)
	id := v.remember("The login test races the clock.", "login")
	v.do(chromedp.SendKeys("#q", "login clo"))
	v.await(`document.querySelectorAll(".hit mark").length > 0`)
	v.do(chromedp.Navigate(v.url+"/facts"), chromedp.Click(`[data-do="delete"]`))
	v.await(`!document.querySelector("#toast-undo").hidden`)
	if _, err := v.memory.Show(t.Context(), app.ShowRequest{Ref: id}); app.AsError(err).Kind != app.KindNotFound {
		t.Errorf("the fact stands: %v", err)
	}
	v.do(chromedp.Click("#toast-undo"))
	v.await(`document.querySelector("#toast-text").textContent === "It is back."`)
	v.await(`document.querySelector(".card:not(.gone)") !== null`)
	v.do(chromedp.Click(`[data-do="edit"]`), chromedp.WaitVisible("#edit-text"), chromedp.SetValue("#edit-text", "The login test races the server."), chromedp.Click("#edit-save"))
	v.await(`document.querySelector(".card .text").textContent.includes("races the server")`)
	if res, err := v.memory.Show(t.Context(), app.ShowRequest{Ref: id}); err != nil || res.Fact.Text != "The login test races the server." {
		t.Errorf("%+v %v", res.Fact, err)
	}
	v.do(chromedp.Navigate(v.url + "/entry/00000000-0000-7000-8000-000000000000"))
	v.await(`document.querySelector("[role=alert]") !== null`)
}

func TestE2EHostileMemoryDoesNothing(t *testing.T) {
	v := newVisit(t)
	for i, text := range []string{`<script>window.pwned=1</script>`, `<img src=x onerror="window.pwned=1">`, `<svg onload="window.pwned=1">`, `"><iframe srcdoc="<script>top.pwned=1</script>">`,
		`<style>body{display:none}</style>`, `{{.}} [x](javascript:window.pwned=1) ![x](http://evil.example/x.png)`} {
		v.remember("needle "+text, fmt.Sprintf("%d%s", i, text))
	}
	for _, path := range []string{"/?q=needle", "/facts", "/memory", "/timeline", "/health"} {
		v.do(chromedp.Navigate(v.url + path))
		if js[bool](v, `window.pwned !== undefined || document.querySelector("img, iframe, style, main script, [onerror], [onload]") !== null || getComputedStyle(document.body).display === "none"`) {
			t.Errorf("%s: text of memory is more than text", path)
		}
	}
}

func TestE2EAnotherOriginReadsAndDeletesNothing(t *testing.T) {
	v := newVisit(t)
	id := v.remember("A secret of this repository.", "")
	other, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { other.Close() })
	go http.Serve(other, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "<!doctype html><p id=q>evil</p>") }))
	v.do(chromedp.Navigate("http://"+other.Addr().String()), chromedp.WaitVisible("#q"))
	js[bool](v, fmt.Sprintf(`Promise.all([["GET", "/facts"], ["GET", "/api/v1/memory/facts/%s"], ["DELETE", "/api/v1/memory/facts/%s"]].map(([method, path]) =>
		fetch(%q + path, {method, credentials: "include"}).then((a) => a.text()).catch(() => ""))).then((all) => { window.heard = all.join(""); }), true`, id, id, v.url))
	v.await(`window.heard !== undefined`)
	if heard := js[string](v, `window.heard`); strings.Contains(heard, "secret") {
		t.Errorf("the other origin read %q", heard)
	}
	if _, err := v.memory.Show(t.Context(), app.ShowRequest{Ref: id}); err != nil {
		t.Errorf("the other origin deleted the fact: %v", err)
	}
}

// TestE2EPictures writes pictures of the views into the folder PAGE_PICTURES,
// for people to look at.
func TestE2EPictures(t *testing.T) {
	folder := os.Getenv("PAGE_PICTURES")
	for look, flags := range map[string][]chromedp.ExecAllocatorOption{"light": nil, "dark": {chromedp.Flag("blink-settings", "preferredColorScheme=0")}, "narrow": {chromedp.WindowSize(400, 800)}} {
		v := newVisit(t, flags...)
		v.remember("The login test races the clock: it needs the fake one of internal/clock.", "login test")
		v.remember("The login test needs two seconds.", "login test")
		id := v.remember("Migrations run before the server starts, and never beside it.", "")
		for name, path := range map[string]string{"search": "/?q=login+clock", "timeline": "/timeline", "facts": "/facts", "contradictions": "/facts?clashes=1", "fact": "/entry/" + id, "memory": "/memory", "files": "/files", "health": "/health"} {
			v.do(chromedp.Navigate(v.url+path), chromedp.WaitVisible("#part"))
			if wide := js[int](v, `document.documentElement.scrollWidth - innerWidth`); wide > 0 {
				t.Errorf("%s, %s: the page is %d pixels wider than the window", name, look, wide)
			}
			picture, err := chromedp.Run(v.tab, chromedp.CaptureScreenshot())
			if err != nil || len(picture) < 1000 {
				t.Fatalf("%s: %v", path, err)
			}
			if folder != "" {
				if err := os.WriteFile(filepath.Join(folder, name+"-"+look+".png"), picture, 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}
