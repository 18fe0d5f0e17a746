//go:build e2e

package page_test

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"

	"agentflow/app/list"
	"agentflow/internal/testing/labtest"

	"github.com/chromedp/chromedp"
)

// hostileTexts want to be more than text.
var hostileTexts = []string{`<script>window.pwned=1</script>`, `<img src=x onerror="window.pwned=1">`, `<svg onload="window.pwned=1">`, `"><iframe srcdoc="<script>top.pwned=1</script>">`,
	`<style>body{display:none}</style>`, `{{.}} {{template "layout" .}} ${window.pwned=1} [x](javascript:window.pwned=1) ![x](http://evil.example/x.png)`, `<a href="javascript:window.pwned=1" id="part">x</a>`,
	`</textarea></main><base href="http://evil.example/">`, `' onfocus='window.pwned=1' autofocus x='`, `<meta http-equiv="refresh" content="0;url=http://evil.example/">`, `<link rel=stylesheet href=http://evil.example/x.css>`}

func TestE2EHostileMemoryDoesNothing(t *testing.T) {
	l := labtest.New(t, "say \"needle <img src=x onerror='window.pwned=1'>\\n<save_memory key=\\\"<b>k</b>\\\" tags=\\\"<i>\\\">needle <script>window.pwned=2</script></save_memory>\"\nsh true\n")
	v := visitOf(t, l)
	for i, text := range hostileTexts {
		v.remember("needle "+text, fmt.Sprintf("%d%s", i/2, hostileTexts[i/2]))
	}
	l.Agentflow("run", "-q", strings.Join(hostileTexts, "\n")+" needle")
	check := func(what string) {
		t.Helper()
		if bad := js[string](v, `(() => {
			if (window.pwned !== undefined) return "a script of it ran";
			if (getComputedStyle(document.body).display === "none") return "its style counts";
			const alien = document.querySelector("img, iframe, style, base, main script, main link, [onerror], [onload], [onfocus], meta[http-equiv], a[href^='javascript'], a[href^='http']");
			if (alien) return alien.outerHTML.slice(0, 200);
			if (document.querySelectorAll("#part").length > 1) return "an element took the id of ours";
			const foreign = performance.getEntriesByType("resource").find((e) => !e.name.startsWith(location.origin));
			return foreign ? foreign.name : "";
		})()`); bad != "" {
			t.Errorf("%s: text of memory is more than text: %s", what, bad)
		}
	}
	facts, err := list.List(t.Context(), v.memory, list.Request{})
	if err != nil {
		t.Fatal(err)
	}
	paths := []string{"/?q=needle", "/facts", "/contradictions", "/review", "/memory", "/timeline", "/files", "/health", "/entry/last", "/entry/last?diff=1", "/files?path=%3Cscript%3Ewindow.pwned%3D1%3C%2Fscript%3E", "/files?path=%3Cscript%3Ewindow.pwned%3D1%3C%2Fscript%3E&why=1", "/files?path=README&line=%22%3E%3Cscript%3Ewindow.pwned%3D1%3C%2Fscript%3E", "/?q=%22%3E%3Cscript%3Ewindow.pwned%3D1%3C%2Fscript%3E"}
	for _, f := range facts.Facts {
		paths = append(paths, "/entry/"+f.ID)
	}
	for _, path := range paths {
		v.open(path)
		v.await(`document.querySelector("[data-load], [aria-busy]") === null`)
		check(path)
	}
	v.open("/facts")
	for i := range facts.Facts {
		js[bool](v, fmt.Sprintf(`document.querySelectorAll('[data-do="edit"]')[%d].click(), true`, i))
		v.await(`document.getElementById("edit").open`)
		check("the dialog")
		js[bool](v, `document.getElementById("edit").close(), true`)
		v.await(`!document.querySelector("button[aria-busy]")`)
	}
	v.remember("needle "+strings.Join(hostileTexts, " ")+" told", "")
	v.await(`document.getElementById("toast-text").textContent.startsWith("Remembered: needle")`)
	check("what is told as it happens")
	v.do(chromedp.Navigate(v.url+"/"), chromedp.SendKeys("#q", "needle <img src=x onerror=window.pwned=1>"))
	v.await(`document.querySelector(".hit") !== null`)
	check("search as one types")
}

// attack is a foreign page's script that tries to read from the server at
// window.target. It collects everything that it could read in window.heard.
const attack = `(async () => {
	window.heard = "";
	const listen = (text) => { window.heard += text; };
	for (const [method, path] of [["GET", "/facts"], ["GET", "/api/v1/memory/facts"], ["GET", "/api/v1/memory/facts/" + id], ["DELETE", "/api/v1/memory/facts/" + id], ["POST", "/api/v1/memory/facts/" + id + "/pin"], ["PATCH", "/api/v1/memory/facts/" + id]])
		for (const mode of ["cors", "no-cors"])
			for (const type of ["application/json", "text/plain"])
				try {
					const request = {method, mode, credentials: "include"};
					if (method === "POST" || method === "PATCH") { request.headers = {"Content-Type": type}; request.body = '{"text": "pwned"}'; }
					listen(await (await fetch(target + path, request)).text());
				} catch {}
	await new Promise((over) => {
		const frame = document.createElement("iframe");
		frame.src = target + "/facts";
		frame.onload = () => { try { listen(frame.contentDocument.body.innerText); } catch {} over(); };
		document.body.append(frame);
	});
	await new Promise((over) => {
		const form = document.createElement("form");
		form.method = "post"; form.action = target + "/api/v1/memory/facts/" + id + "/pin"; form.enctype = "text/plain"; form.target = "sink";
		const sink = document.createElement("iframe");
		sink.name = "sink";
		document.body.append(sink, form);
		sink.onload = () => { try { listen(sink.contentDocument.body.innerText); } catch {} over(); };
		form.submit();
	});
	await new Promise((over) => {
		const stream = new EventSource(target + "/api/v1/events", {withCredentials: true});
		stream.addEventListener("state", (event) => { listen(event.data); stream.close(); over(); });
		stream.onerror = () => { stream.close(); over(); };
	});
	await new Promise((over) => {
		const script = document.createElement("script");
		script.src = target + "/api/v1/memory/facts";
		script.onload = () => { listen("a script of the answer"); over(); };
		script.onerror = over;
		document.body.append(script);
	});
	return window.heard;
})()`

// survives checks that a foreign page read nothing of a fact and changed
// nothing.
func (v *visit) survives(from, id string) {
	v.t.Helper()
	heard := js[string](v, fmt.Sprintf(`window.target = %q, window.id = %q, %s`, v.url, id, attack))
	if strings.Contains(heard, "secret") || strings.Contains(heard, "a script of") || strings.Contains(heard, "memory_md") {
		v.t.Errorf("%s read %q", from, heard)
	}
	res, err := list.Show(v.t.Context(), v.memory, list.ShowRequest{Ref: id})
	if err != nil || res.Fact.Pinned || res.Fact.Text != "A secret of this repository." {
		v.t.Errorf("%s changed the fact: %+v %v", from, res.Fact, err)
	}
}

// TestE2EOthersReadAndDeleteNothing lets pages of another port and of another
// name try, in the browser that followed the link.
func TestE2EOthersReadAndDeleteNothing(t *testing.T) {
	v := newVisit(t, chromedp.Flag("host-resolver-rules", "MAP evil.example 127.0.0.1"))
	id := v.remember("A secret of this repository.", "")
	other, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { other.Close() })
	go http.Serve(other, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "<!doctype html><p id=main>evil</p>") }))
	_, port, _ := net.SplitHostPort(other.Addr().String())
	for _, origin := range []string{"http://127.0.0.1:" + port, "http://localhost:" + port, "http://evil.example:" + port} {
		v.do(chromedp.Navigate(origin), chromedp.WaitVisible("#main"))
		v.survives(origin, id)
	}
	v.open("/facts")
	if !js[bool](v, `document.body.innerText.includes("A secret of this repository.")`) {
		t.Error("the page of the server does not read it either")
	}
}

// TestE2EANameThatLeadsHereIsRefused has a foreign name resolve to this
// machine, so that the browser takes the foreign page and this server for one
// origin.
func TestE2EANameThatLeadsHereIsRefused(t *testing.T) {
	v := newVisit(t, chromedp.Flag("host-resolver-rules", "MAP evil.example 127.0.0.1"))
	id := v.remember("A secret of this repository.", "")
	v.url = strings.Replace(v.url, "127.0.0.1", "evil.example", 1)
	v.do(chromedp.Navigate(v.url + "/facts"))
	if text := js[string](v, `document.body.innerText`); strings.Contains(text, "secret") || !strings.Contains(text, "Host") {
		t.Errorf("the server answers another name with %q", text)
	}
	v.survives(v.url, id)
}
