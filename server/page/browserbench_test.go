//go:build e2e

package page_test

import (
	"fmt"
	"slices"
	"testing"

	"agentflow/app/upkeep"
	"agentflow/internal/testing/labtest"

	"github.com/chromedp/chromedp"
)

// BenchmarkPaint measures the time in ms from the start of a visit of each view
// to its first paint with text, in Chromium over 10,000 entries.
func BenchmarkPaint(b *testing.B) {
	v := visitOfMany(b)
	for _, path := range []string{"/", "/?q=clock+token", "/timeline", "/facts", "/contradictions", "/memory", "/files", "/health"} {
		b.Run(path[1:], func(b *testing.B) {
			var paints, answers []float64
			for b.Loop() {
				v.open(path)
				js[bool](v, `new Promise((painted) => new PerformanceObserver((list) => { if (list.getEntriesByName("first-contentful-paint").length) painted(true); }).observe({type: "paint", buffered: true}))`)
				paints = append(paints, js[float64](v, `performance.getEntriesByName("first-contentful-paint")[0].startTime`))
				answers = append(answers, js[float64](v, `performance.getEntriesByType("navigation")[0].responseEnd`))
			}
			report(b, "paint", paints)
			report(b, "answer", answers)
		})
	}
}

// BenchmarkKeystroke measures the time in ms from a key in the search field to
// the frame that shows its hits, in Chromium over 10,000 entries.
func BenchmarkKeystroke(b *testing.B) {
	v := visitOfMany(b)
	v.open("/")
	js[bool](v, `(() => {
		window.times = [];
		let pressed = 0;
		document.getElementById("q").addEventListener("input", () => { pressed = performance.now(); }, true);
		new MutationObserver(() => requestAnimationFrame(() => setTimeout(() => times.push(performance.now() - pressed)))).observe(document.getElementById("part"), {childList: true});
		return true;
	})()`)
	text := []rune("clock12 token3 fetch40 alpha7 retry99 cache5 index61 parse8 ")
	n := 0
	for b.Loop() {
		if n%len(text) == 0 {
			js[bool](v, `document.getElementById("q").value = "", true`)
		}
		v.do(chromedp.KeyEvent(string(text[n%len(text)])))
		n++
		js[bool](v, fmt.Sprintf("new Promise((shown) => { const look = () => times.length >= %d ? shown(true) : setTimeout(look, 5); look(); })", n))
	}
	report(b, "hits", js[[]float64](v, "times"))
}

// visitOfMany returns a visit of a memory of 10,000 entries, each with a fact.
func visitOfMany(b *testing.B) *visit {
	b.Helper()
	l := labtest.Repository(b)
	l.Fill(10_000)
	v := visitOf(b, l)
	if _, err := upkeep.Index(b.Context(), v.memory, upkeep.IndexRequest{}); err != nil {
		b.Fatal(err)
	}
	return v
}

// report gives the median and the 95th percentile.
func report(b *testing.B, name string, times []float64) {
	b.Helper()
	slices.Sort(times)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(times[len(times)/2], name+"-ms")
	b.ReportMetric(times[len(times)*95/100], name+"-p95-ms")
}
