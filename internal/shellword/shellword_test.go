package shellword

import "testing"

func TestQuote(t *testing.T) {
	for text, want := range map[string]string{
		"/a/b-c_1.x": "/a/b-c_1.x", "a b": "'a b'", "it's": `'it'\''s'`, "": "''", "~x": "'~x'", "a~": "a~", "$(rm)": "'$(rm)'",
		"a\nb": "'a\nb'", `a\b`: `'a\b'`, "!x": "'!x'", "ärger:12": "ärger:12",
	} {
		if got := Quote(text); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
}

func TestJoin(t *testing.T) {
	if got := Join([]string{"why", "", "a b"}); got != "why '' 'a b'" {
		t.Error(got)
	}
}
