package cli

import (
	"slices"
	"strings"
	"testing"
)

// TestReadKey reads letters, arrows in both modes of a terminal, other escape sequences and
// letters of several bytes, each as one key.
func TestReadKey(t *testing.T) {
	for text, want := range map[string][]rune{
		"aQ":                {'a', 'q', EndKey},
		"\x1b[A\x1b[Bj":     {UpKey, DownKey, 'j', EndKey},
		"\x1bOA\x1bOBk":     {UpKey, DownKey, 'k', EndKey},
		"\x1b[5~\x1b[1;5Bp": {0, 0, 'p', EndKey},
		"\x1bd":             {'d', EndKey},
		"Éé日\xffd":          {'é', 'é', '日', '\uFFFD', 'd', EndKey},
		"\x03":              {InterruptKey, EndKey},
		"\x1b[":             {EndKey},
		"\x1b":              {EndKey},
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
