//go:build e2e

package page_test

import (
	"context"
	"net"
	"net/http"
	"os"
	"os/exec"
	"testing"
	"time"

	"agentflow/app"
	appfact "agentflow/app/fact"
	"agentflow/app/open"
	"agentflow/app/setup"
	"agentflow/internal/testing/labtest"
	"agentflow/server"
	"agentflow/server/page"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

const token = "0123456789abcdefghijklmnop"

func TestMain(m *testing.M) { os.Exit(labtest.Main{M: m}.Run()) }

// visit is a server of one memory, with a browser that followed its link.
type visit struct {
	t      testing.TB
	memory *app.Memory
	server *server.Server
	url    string
	tab    context.Context
}

// newVisit returns a visit of an empty memory.
func newVisit(t testing.TB, flags ...chromedp.ExecAllocatorOption) *visit {
	t.Helper()
	return visitOf(t, labtest.Repository(t), flags...)
}

func visitOf(t testing.TB, l *labtest.Lab, flags ...chromedp.ExecAllocatorOption) *visit {
	t.Helper()
	browser, err := exec.LookPath("chromium-headless-shell")
	if err != nil {
		t.Fatal("no browser: 'apt-get install chromium-headless-shell' installs one")
	}
	m, err := open.Open(t.Context(), l.Repo, app.Env{Vars: l.Env})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	if _, err := setup.Init(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	addr := listener.Addr().String()
	ctx, end := context.WithCancel(context.WithoutCancel(t.Context()))
	t.Cleanup(end)
	s, err := server.New(ctx, server.Options{Repositories: []server.Repository{{Name: "shop", Memory: m}}, Addr: addr, Token: token,
		Page: page.New(page.Options{Repositories: []page.Repository{{Name: "shop", Memory: m}}})})
	if err != nil {
		t.Fatal(err)
	}
	go http.Serve(listener, s) // until the listener is closed
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(browser), chromedp.NoSandbox, chromedp.WindowSize(1200, 800))
	allocator, end := chromedp.NewExecAllocator(context.WithoutCancel(t.Context()), append(options, flags...)...)
	t.Cleanup(end)
	tab, end := chromedp.NewContext(allocator)
	t.Cleanup(end)
	v := &visit{t, m, s, "http://" + addr, tab}
	v.do(chromedp.Navigate(server.Link(v.url, token, time.Now())), chromedp.WaitVisible("#q"))
	return v
}

// open opens a page of the server.
func (v *visit) open(path string) {
	v.t.Helper()
	v.do(chromedp.Navigate(v.url+path), chromedp.WaitVisible("#main"))
}

func (v *visit) remember(text, key string) string {
	v.t.Helper()
	res, err := appfact.Remember(v.t.Context(), v.memory, appfact.RememberRequest{Change: appfact.Change{Text: &text, Key: &key}})
	if err != nil {
		v.t.Fatal(err)
	}
	return res.Fact.ID
}

func (v *visit) do(actions ...chromedp.Action[chromedp.Void]) {
	v.t.Helper()
	ctx, end := context.WithTimeout(v.tab, time.Minute)
	defer end()
	if v.tab.Err() == nil && chromedp.FromContext(v.tab).Target == nil {
		ctx = v.tab // the first call begins the browser, which must outlive it
	}
	if err := chromedp.Do(ctx, actions...); err != nil {
		v.t.Fatal(err)
	}
}

// js returns the value of an expression in the page, or of the promise that it
// gives.
func js[T any](v *visit, expression string) T {
	v.t.Helper()
	value, err := chromedp.Run(v.tab, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		v.t.Fatalf("%s: %v", expression, err)
	}
	return value
}

func (v *visit) await(expression string) {
	v.t.Helper()
	labtest.Await(v.t, expression, func() bool { return js[bool](v, expression) })
}

// look is a colour scheme and a window width for viewing pages.
type look struct {
	name   string
	scheme string // light or dark
	width  int64
}

var looks = []look{{"light", "light", 1200}, {"dark", "dark", 1200}, {"narrow", "light", 390}, {"narrow-dark", "dark", 390}}

// as makes the browser show pages so from now on.
func (v *visit) as(l look) {
	v.t.Helper()
	v.do(chromedp.EmulateViewport(l.width, 800), chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: l.scheme}}})
		return err
	}))
}

// click clicks on the first element that a selector finds.
func (v *visit) click(selector string) {
	v.t.Helper()
	v.do(chromedp.Click(chromedp.CSS(selector)))
}
