//go:build e2e

package page_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"agentflow/internal/testing/labtest"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

const runs = `
task learn nothing
say I look at the clock.
sh true
touch ../looked
wait ../go-on
say There was nothing to do.

task learn something
say "Done.\n<save_memory>Clocks are injected.</save_memory>"
`

// TestE2ERunsAppear checks that a run that begins elsewhere appears in the open
// timeline, shows its progress, and ends there without a reload. A stored fact
// is announced, and no fact is when none was stored.
func TestE2ERunsAppear(t *testing.T) {
	l := labtest.New(t, runs)
	v := visitOf(t, l)
	v.open("/timeline")
	js[bool](v, `window.told = [], ["state", "memoryStored", "memoryChanged", "runStarted", "runProgress", "runEnded"].forEach((name) => stream.addEventListener(name, () => told.push(name))), true`)
	v.await(`stream.readyState === EventSource.OPEN`)
	p := l.Start("run", "-q", "Look at the clock and learn nothing")
	v.await(`document.querySelector(".row.live") !== null`)
	if text := js[string](v, `document.querySelector(".row.live").innerText`); !strings.Contains(text, "Look at the clock and learn nothing") {
		t.Errorf("the run shows as %q", text)
	}
	l.AwaitFile("../looked")
	v.await(`document.querySelector(".row.live [data-doing]").textContent.includes("is working")`)
	v.open("/timeline") // a page opened later shows it too
	v.await(`document.querySelector(".row.live [data-doing]").textContent.includes("is working")`)
	js[bool](v, `window.told = [], ["memoryStored", "memoryChanged", "runStarted", "runEnded"].forEach((name) => stream.addEventListener(name, () => told.push(name))), true`)
	v.await(`stream.readyState === EventSource.OPEN`)
	l.Write("../go-on", "")
	if err := p.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, &p.Err)
	}
	v.await(`document.querySelector(".row.live") === null && [...document.querySelectorAll(".day .row")].some((row) => row.innerText.includes("learn nothing") && row.querySelector(".tag.good"))`)
	if told := js[[]string](v, `told`); slices.Contains(told, "memoryStored") {
		t.Errorf("nothing was stored, and %q were told", told)
	}
	l.Agentflow("run", "-q", "Look at the clock and learn something")
	v.await(`told.includes("memoryStored") && document.getElementById("toast-text").textContent.includes("Clocks are injected.")`)
	v.open("/facts")
	l.Agentflow("remember", "Okapis are shy.")
	v.await(`document.querySelector(".fact").innerText.includes("Okapis are shy.")`)
}

// TestE2EViewsAreReadWithoutScript reads every view, searches and goes from
// page to page in a browser that runs no script.
func TestE2EViewsAreReadWithoutScript(t *testing.T) {
	v := visitOf(t, newLived(t))
	v.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		return err
	}))
	wanted := map[string]string{"search": "Move the session store from memory to Redis", "search-begin": "Type some words", "search-none": "Nothing in memory is about this", "timeline": "Bring the coverage of the cart",
		"run": "Deliver drops those that it has seen", "run-failed": "overloaded", "facts": "Ask Ines", "contradictions": "at most one is probably right", "fact": "Webhooks are retried", "memory": "Money is int64 cents",
		"memory-day": "### Task", "files": "auth/session.go", "files-likely": "webhook/deliver.go in prompts", "files-unlikely": "Files likely involved", "file": "Make the flaky login test reliable", "why": "Redis and the session store are fine 6 lines", "why-line": "book an order for each call", "why-none": "no line 4000", "health": "18 runs", "problem": "Not shown"}
	for _, view := range viewsOf(t, v) {
		v.open(view.path)
		text := js[string](v, `document.body.innerText`)
		if want := wanted[view.name]; want == "" || !strings.Contains(strings.Join(strings.Fields(text), " "), want) && view.name != "memory-day" {
			t.Errorf("%s does not show %q:\n%s", view.name, want, text)
		}
		if js[bool](v, `document.documentElement.classList.contains("script") || [...document.querySelectorAll(".needs-script")].some((e) => e.checkVisibility())`) {
			t.Errorf("%s shows what only works with a script", view.name)
		}
	}
	v.open("/")
	v.do(chromedp.SendKeys("#q", "umlauts\r"), chromedp.WaitVisible(".hit"))
	v.click(".hit h2 a")
	v.do(chromedp.WaitVisible(".prose"))
	v.open("/facts")
	v.click(`.tabs a[href="/contradictions"]`)
	v.do(chromedp.WaitVisible(".clash"))
}
