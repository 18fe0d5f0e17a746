package proc

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestLabel(t *testing.T) {
	for _, test := range []struct{ cmdline, want string }{
		{"/usr/bin/sleep\x001000\x00", "sleep 1000"},
		{"sh\x00-c\x00echo a\n\t echo b\x00", "sh -c echo a echo b"},
		{"node", "node"},
		{"", "fallback"},
		{"\x00\x00", "fallback"},
		{"a\x1b[31m\u202eb\xffc\x00", "a [31m b c"},
		{"p\x00" + strings.Repeat("é", 200) + "\x00", "p " + strings.Repeat("é", 77) + "…"},
	} {
		if got := label([]byte(test.cmdline), "fallback"); got != test.want {
			t.Errorf("label(%q) = %q, want %q", test.cmdline, got, test.want)
		}
	}
}

func FuzzLabel(f *testing.F) {
	f.Add([]byte("/bin/sh\x00-c\x00x\n\x00"), "sh")
	f.Add([]byte{}, "a\x00b")
	f.Fuzz(func(t *testing.T, cmdline []byte, fallback string) {
		got := label(cmdline, fallback)
		if !utf8.ValidString(got) || utf8.RuneCountInString(got) > labelMax || strings.TrimSpace(got) != got {
			t.Fatalf("%q", got)
		}
		for _, r := range got {
			if !unicode.IsGraphic(r) {
				t.Fatalf("%q holds %q", got, r)
			}
		}
	})
}
