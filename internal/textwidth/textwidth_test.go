package textwidth

import (
	"slices"
	"testing"
)

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

func TestFold(t *testing.T) {
	for _, c := range []struct {
		line string
		most int
		want []string
	}{
		{"", 5, []string{""}},
		{"one two", 7, []string{"one two"}},
		{"one two three", 7, []string{"one two", "three"}},
		{"one two three", 8, []string{"one two", "three"}},
		{"overlongword and more", 5, []string{"overlongword", "and", "more"}},
		{"日本 日本 x", 5, []string{"日本", "日本", "x"}},
		{"  indented words", 10, []string{"  indented", "words"}},
		{"began 2026-11-27 10:00 here", 16, []string{"began", "2026-11-27 10:00", "here"}},
		{"on 2026-11-27 in the morning", 14, []string{"on 2026-11-27", "in the morning"}},
		{"unbroken   ", 4, []string{"unbroken   "}},
	} {
		if got := Fold(c.line, c.most); !slices.Equal(got, c.want) {
			t.Errorf("Fold(%q, %d) = %q, want %q", c.line, c.most, got, c.want)
		}
	}
}
