package tasklist

import (
	"slices"
	"strings"
	"testing"
)

func TestTasksOfAFile(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"", nil},
		{"# only a comment\n\n  \n", nil},
		{"one\n\n# no\n  two  \r\nthree", []string{"one", "two", "three"}},
		{"\ufeffone\n", []string{"one"}},
		{"---\n---\n \n---", nil},
		{"one\nmore\n---\n# A heading\n\ntwo\n--- \nthree", []string{"one\nmore", "# A heading\n\ntwo", "three"}},
		{"---\none\n  --- indented\n----\n---\n", []string{"one\n  --- indented\n----"}},
	} {
		if got := Split(c.text); !slices.Equal(got, c.want) {
			t.Errorf("%q is %q, want %q", c.text, got, c.want)
		}
	}
}

func FuzzTasksOfAFile(f *testing.F) {
	f.Add("one\n# two\n---\nthree\n")
	f.Add("a\r\nb\n---")
	f.Fuzz(func(t *testing.T, text string) {
		list := Split(text)
		for _, task := range list {
			if strings.TrimSpace(task) == "" || !strings.Contains(strings.ReplaceAll(text, "\r\n", "\n"), task) {
				t.Errorf("task %q of %q", task, text)
			}
		}
		if len(list) > 1 {
			if again := Split(strings.Join(list, "\n---\n")); !slices.Equal(again, list) {
				t.Errorf("%q, divided again %q", list, again)
			}
		}
	})
}

func TestUncommented(t *testing.T) {
	for text, want := range map[string]string{
		"":                             "",
		"\n\n# help\n#\n":              "",
		"\ufeffFix it.\r\n# help\r\n":  "Fix it.",
		"\n\nOne  \n\n#\n\n\nTwo #2\n": "One\n\nTwo #2",
		" # indented\n":                " # indented",
	} {
		if got := Uncommented(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
