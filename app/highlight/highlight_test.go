package highlight_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"agentflow/app/highlight"
	"agentflow/internal/testing/apptest"
	"agentflow/memory"
	"agentflow/memory/retrieval"
)

func TestSnippet(t *testing.T) {
	for name, c := range map[string]struct{ query, text, want string }{
		"first lines": {"zebra", "## 2026-11-21 · x\n\n<!-- agentflow v=1 -->\n\none\ntwo\n- three <!-- id=1 -->\n\nNone\n---\nfour\nfive", "one\ntwo\n- three\nfour"},
		"telling":     {"login clock", "a login\nb\nc\nd\ne\nthe clock\nf\nlogins\ng", "e\nthe [clock]\nf\n[logins]"},
		"wide":        {"数据", "一二三四五六数据库", "一二三四五六[数据]库"},
		"escapes":     {"red", "\x1b[31mred\x1b[0m and\u202e \x07more", "[red] and more"},
		"Markdown":    {"red", "\\* a red line\n\\---------\nnext\\x1b\\x0ared", "* a [red] line\nnext [red]"},
		"not UTF-8":   {"red", "\xff red\xc3", "\ufffd [red]\ufffd"},
		"nothing":     {"red", "\n---\n", ""},
	} {
		var got []string
		for _, line := range highlight.NewHighlighter(c.query, nil).Snippet(retrieval.Hit{Text: c.text, Kind: memory.KindRun}) {
			got = append(got, apptest.Marked(line))
		}
		if strings.Join(got, "\n") != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, strings.Join(got, "\n"), c.want)
		}
	}
	if got := (highlight.Highlighter{}).Snippet(retrieval.Hit{Text: "a login"}); len(got) != 1 || apptest.Marked(got[0]) != "a login" {
		t.Errorf("without a query: %v", got)
	}
}

// TestCorrectedWordsAreHighlighted marks the corrected word, also in a hit when only the terms of another hit have it.
func TestCorrectedWordsAreHighlighted(t *testing.T) {
	hits := []retrieval.Hit{{Explain: &retrieval.Explain{Terms: []string{"gap", "invoice"}}}, {}, {Explain: &retrieval.Explain{Terms: []string{"invoice"}}}}
	lines := highlight.NewHighlighter("invocie gap", hits).Snippet(retrieval.Hit{Text: "two invoices"})
	if len(lines) != 1 || apptest.Marked(lines[0]) != "two [invoices]" {
		t.Errorf("marked %v", lines)
	}
}

// TestSnippetKeepsLabels drops the values of an entry's template and no other
// line with a label: not of hand-written text, nor of an entry's other parts.
func TestSnippetKeepsLabels(t *testing.T) {
	const bullets = "- **Duration**: 4 h every night\n- **Note**: mind the clock\n- **Success**: true\n- **Port**: 8080"
	template := "### Result\n- **Success**: true\n- **Exit Code**: 0\n- **Duration**: 12s\n- **Turns**: 3 · **Cost**: $0.1\n- **Undone**: 2026-11-21T10:00:00Z\n- **Note**: one process ended\n- **Reason**: by hand\n"
	for name, c := range map[string]struct {
		hit  retrieval.Hit
		want string
	}{
		"hand-written":     {retrieval.Hit{Text: bullets}, bullets},
		"None by hand":     {retrieval.Hit{Text: "None"}, "None"},
		"summary":          {retrieval.Hit{Kind: memory.KindRun, Text: "### Summary\n" + bullets}, bullets},
		"part of summary":  {retrieval.Hit{Kind: memory.KindRun, Heading: "2026-11-21 14:32 · Fix > Summary", Text: bullets}, bullets},
		"result":           {retrieval.Hit{Kind: memory.KindRun, Text: template}, "- **Reason**: by hand"},
		"part of a result": {retrieval.Hit{Kind: memory.KindRun, Heading: "2026-11-21 14:32 · Fix > Result", Text: "- **Exit Code**: 0\n- **Owner**: me"}, "- **Owner**: me"},
		"denied":           {retrieval.Hit{Kind: memory.KindRun, Text: "### Changes\nNone\n\n### Errors Encountered\n- **Denied**: rm -r build"}, "- **Denied**: rm -r build"},
	} {
		var got []string
		for _, line := range (highlight.Highlighter{}).Snippet(c.hit) {
			got = append(got, line.Text)
		}
		if strings.Join(got, "\n") != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, strings.Join(got, "\n"), c.want)
		}
	}
}

func FuzzSnippet(f *testing.F) {
	f.Add("flaky login", "note", "x > Result", "## x\nThe flaky\tlogin\n- 数据库 cafe\u0301 <!-- id=1 -->")
	f.Add("库", "", "", "\xff\x1b[31m数据库\u202e"+strings.Repeat("数", 30))
	f.Fuzz(func(t *testing.T, query, kind, heading, text string) {
		lines := highlight.NewHighlighter(query, nil).Snippet(retrieval.Hit{Text: text, Kind: memory.Kind(kind), Heading: heading})
		if len(lines) > highlight.SnippetLines {
			t.Fatalf("%d lines", len(lines))
		}
		clean := strings.ReplaceAll(memory.Clean(text), "\t", " ")
		for _, l := range lines {
			if !utf8.ValidString(l.Text) || strings.ContainsAny(l.Text, "\n\x1b") || !strings.Contains(clean, l.Text) {
				t.Fatalf("line %q of %q", l.Text, clean)
			}
			at := 0
			for _, m := range l.Matches {
				if m.Start < at || m.Start >= m.End || !utf8.ValidString(l.Text[m.Start:m.End]) {
					t.Fatalf("match %+v of %q", m, l.Text)
				}
				at = m.End
			}
		}
	})
}
