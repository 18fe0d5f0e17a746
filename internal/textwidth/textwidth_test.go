package textwidth

import "testing"

func TestCut(t *testing.T) {
	for _, c := range []struct {
		line string
		most int
		want string
	}{{"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"日本語", 5, "日本…"}, {"日本語", 4, "日…"}, {"e\u0301e\u0301e\u0301", 2, "e\u0301…"}, {"abc", 0, ""}} {
		if got := Cut(c.line, c.most); got != c.want || Cells(got) > c.most {
			t.Errorf("Cut(%q, %d) is %q, want %q", c.line, c.most, got, c.want)
		}
	}
}
