package app

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"agentflow/index"
	"agentflow/memory"
)

// marked is a snippet with what is asked for in brackets.
func marked(query, text string, cells int) string {
	var out []string
	for _, line := range snippet(text, index.Highlighter(query), cells) {
		out = append(out, line.styled(func(s string) string { return "[" + s + "]" }))
	}
	return strings.Join(out, "\n")
}

func TestSnippet(t *testing.T) {
	long := strings.Repeat("far away ", 30)
	for name, c := range map[string]struct {
		query, text string
		cells       int
		want        string
	}{
		"first lines": {"zebra", "## 2026-11-21 · x\n\n<!-- agentflow v=1 -->\n\none\ntwo\n- three <!-- id=1 -->\n\nNone\n---\nfour\nfive", 80, "one\ntwo\n- three\nfour"},
		"telling":     {"login clock", "a login\nb\nc\nd\ne\nthe clock\nf\nlogins\ng", 80, "e\nthe [clock]\nf\n[logins]"},
		"cut":         {"zebra", strings.Repeat("x", 20), 10, "xxxxxxxxx…"},
		"fits":        {"zebra", strings.Repeat("x", 10), 10, "xxxxxxxxxx"},
		"around":      {"zebra", long + "the zebra ran " + long, 20, "…y the [zebra] ran fa…"},
		"at the end":  {"zebra", long + "zebra", 20, "… away [zebra]"},
		"wide":        {"数据", "一二三四五六数据库", 10, "…六[数据]库"},
		"escapes":     {"red", "\x1b[31mred\x1b[0m and\u202e \x07more", 80, "[red] and more"},
		"not UTF-8":   {"red", "\xff red\xc3", 80, "\ufffd [red]\ufffd"},
		"nothing":     {"red", "\n---\n", 80, ""},
	} {
		if got := marked(c.query, c.text, c.cells); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, c.want)
		}
	}
}

// TestHitsOnATerminal: what was asked for stands out there and nowhere else.
func TestHitsOnATerminal(t *testing.T) {
	hits := []memory.Hit{{Path: "memory/x.md", StartLine: 1, EndLine: 2, Heading: "H\x1b[2J", Score: 0.5, Text: "a flaky login",
		Explain: &memory.Explain{Keyword: 0.5, Vector: 0.25, Decay: 1, Importance: 1.2, Judgement: 0.5, Mass: 0.75, Terms: []string{"flaky"}}}}
	for _, colour := range []bool{true, false} {
		var out bytes.Buffer
		a := &operation{voice: voice{out: &out, err: &out, colour: colour}}
		a.printHits("flaky test", hits)
		got := out.String()
		if strings.Contains(got, "a \x1b[1;31mflaky\x1b[0m login\n") != colour || !colour && strings.Contains(got, "\x1b") || strings.Contains(got, "\x1b[2J") {
			t.Errorf("colour %v: %q", colour, got)
		}
		if !colour {
			want := "H\nmemory/x.md:1-2  score 0.500\n" +
				"   keyword    vector     decay  importance  judgement     files  idf mass\n" +
				"     0.500     0.250     1.000       1.200      0.500     0.000     0.750\n" +
				"  terms flaky · named none\n  a flaky login\n"
			if got != want {
				t.Errorf("got\n%swant\n%s", got, want)
			}
		}
	}
}

func FuzzSnippet(f *testing.F) {
	f.Add("flaky login", "## x\nThe flaky\tlogin\n- 数据库 cafe\u0301 <!-- id=1 -->", 12)
	f.Add("库", "\xff\x1b[31m数据库\u202e"+strings.Repeat("数", 30), 7)
	f.Fuzz(func(t *testing.T, query, text string, cells int) {
		cells = 4 + max(cells, -cells)%200
		lines := snippet(text, index.Highlighter(query), cells)
		if len(lines) > snippetLines {
			t.Fatalf("%d lines", len(lines))
		}
		clean := strings.ReplaceAll(memory.Clean(text), "\t", " ")
		for _, l := range lines {
			if !utf8.ValidString(l.text) || cellsOf(l.text) > cells || strings.ContainsAny(l.text, "\n\x1b") {
				t.Fatalf("line %q in %d columns", l.text, cells)
			}
			if !strings.Contains(clean, l.text) && !strings.Contains(clean, strings.TrimSuffix(strings.TrimPrefix(l.text, "…"), "…")) {
				t.Fatalf("line %q is not in %q", l.text, clean)
			}
			if plain := l.styled(func(s string) string { return s }); plain != l.text {
				t.Fatalf("styling changed %q to %q", l.text, plain)
			}
			for _, s := range l.spans {
				if !utf8.ValidString(l.text[s.Start:s.End]) || s.Start >= s.End {
					t.Fatalf("span %+v of %q", s, l.text)
				}
			}
		}
	})
}
