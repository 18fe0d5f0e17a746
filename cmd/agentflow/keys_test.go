package main

import (
	"slices"
	"strings"
	"testing"
)

// TestReadKey reads letters, arrows in both modes of a terminal, other escape sequences and
// letters of several bytes, each as one key.
func TestReadKey(t *testing.T) {
	for text, want := range map[string][]rune{
		"aQ":                {'a', 'q', endKey},
		"\x1b[A\x1b[Bj":     {upKey, downKey, 'j', endKey},
		"\x1bOA\x1bOBk":     {upKey, downKey, 'k', endKey},
		"\x1b[5~\x1b[1;5Bp": {0, 0, 'p', endKey},
		"\x1bd":             {'d', endKey},
		"Éé日\xffd":          {'é', 'é', '日', '\uFFFD', 'd', endKey},
		"\x03":              {interruptKey, endKey},
		"\x1b[":             {endKey},
		"\x1b":              {endKey},
	} {
		in := strings.NewReader(text)
		var got []rune
		for range want {
			got = append(got, readKey(in))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
