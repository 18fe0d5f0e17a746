package executor

import (
	"slices"
	"strings"
	"testing"
)

func TestErrorLines(t *testing.T) {
	text := "Compiling…\nerror: cannot find module x\n  error: cannot find module x\nfound 0 errors\nno test failures\nfailed: 0\n" +
		"TypeError: x is undefined\nTraceback (most recent call last):\nerror-prone code was kept\nterror\nAll done.\nwarning: deprecated\n"
	want := []string{"error: cannot find module x", "TypeError: x is undefined", "Traceback (most recent call last):"}
	if got := errorLines(text); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	many := strings.Repeat("x", 1000)
	for _, c := range "abcdefgh" {
		many += "\nerror " + string(c) + many[:500]
	}
	got := errorLines(many)
	if len(got) != maxErrorLines || !strings.HasPrefix(got[4], "error h") || len(got[4]) > maxErrorLine+4 {
		t.Errorf("%d lines, the last %q", len(got), got[len(got)-1])
	}
	if got := errorLines(""); len(got) != 0 {
		t.Errorf("%q", got)
	}
}
