package highlight

import (
	"strings"
	"testing"
	"unicode/utf8"

	"agentflow/internal/textwidth"
)

func TestCutLine(t *testing.T) {
	long := strings.Repeat("far away ", 30)
	for name, c := range map[string]struct {
		text, match string
		cells       int
		want        string
	}{
		"cut":        {strings.Repeat("x", 20), "", 10, "xxxxxxxxx…"},
		"fits":       {strings.Repeat("x", 10), "", 10, "xxxxxxxxxx"},
		"around":     {long + "the zebra ran " + long, "zebra", 20, "…y the [zebra] ran fa…"},
		"at the end": {long + "zebra", "zebra", 20, "… away [zebra]"},
		"wide":       {"一二三四五六数据库", "数据", 10, "…六[数据]库"},
	} {
		line := Line{Text: c.text}
		if at := strings.Index(c.text, c.match); c.match != "" {
			line.Matches = []Match{{Start: at, End: at + len(c.match)}}
		}
		if got := line.Cut(c.cells).Styled(func(s string) string { return "[" + s + "]" }); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}

func FuzzCutLine(f *testing.F) {
	f.Add("- 数据库 cafe\u0301", 2, 5, 12)
	f.Add(strings.Repeat("数", 30), 40, 49, 7)
	f.Fuzz(func(t *testing.T, text string, from, to, cells int) {
		cells = 4 + max(cells, -cells)%200
		if !utf8.ValidString(text) || from < 0 || from >= to || to > len(text) || !utf8.ValidString(text[:from]) || !utf8.ValidString(text[from:to]) {
			t.Skip()
		}
		l := Line{Text: text, Matches: []Match{{Start: from, End: to}}}.Cut(cells)
		if !utf8.ValidString(l.Text) || textwidth.Cells(l.Text) > cells {
			t.Fatalf("line %q in %d columns", l.Text, cells)
		}
		if !strings.Contains(text, l.Text) && !strings.Contains(text, strings.TrimSuffix(strings.TrimPrefix(l.Text, "…"), "…")) {
			t.Fatalf("line %q is not in %q", l.Text, text)
		}
		if plain := l.Styled(func(s string) string { return s }); plain != l.Text {
			t.Fatalf("styling changed %q to %q", l.Text, plain)
		}
		for _, m := range l.Matches {
			if m.Start >= m.End || !utf8.ValidString(l.Text[m.Start:m.End]) || !strings.Contains(text[from:to], l.Text[m.Start:m.End]) {
				t.Fatalf("match %+v of %q", m, l.Text)
			}
		}
	})
}
