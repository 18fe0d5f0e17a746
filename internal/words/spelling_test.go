package words

import (
	"slices"
	"testing"
)

func TestStandsIn(t *testing.T) {
	for text, want := range map[string]bool{
		"a limit": true, "limits of it": true, "limits": true, "rate_limit_2": true, "(limit)": true, "unlimited limit": true,
		"": false, "limited": false, "delimit": false, "limits2": false, "limi t": false,
	} {
		if got := StandsIn(text, "limit"); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// distance returns the Damerau–Levenshtein distance in which swapped letters
// are not edited again.
func distance(a, b string) int {
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1)
		for j := range d[i] {
			switch {
			case i == 0 || j == 0:
				d[i][j] = i + j
			case a[i-1] == b[j-1]:
				d[i][j] = d[i-1][j-1]
			default:
				d[i][j] = 1 + min(d[i-1][j], d[i][j-1], d[i-1][j-1])
			}
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d[i][j] = min(d[i][j], 1+d[i-2][j-2])
			}
		}
	}
	return d[len(a)][len(b)]
}

// FuzzEdits checks the maximal distance of edits, and that they include every
// swap of neighbours and every doubled letter.
func FuzzEdits(f *testing.F) {
	f.Add("invoice", uint(2))
	f.Add("accommodation", uint(7))
	f.Fuzz(func(t *testing.T, w string, at uint) {
		if !MayBeMisspelt(w) {
			t.Skip()
		}
		i := int(at % uint(len(w)-1))
		for _, typed := range []string{w[:i] + w[i+1:i+2] + w[i:i+1] + w[i+2:], w[:i+1] + w[i:]} {
			if typed != w && !slices.Contains(Edits(typed), w) {
				t.Errorf("%q is not found for %q", w, typed)
			}
		}
		for _, e := range Edits(w) {
			if distance(w, e) > 1 {
				t.Errorf("%q is not one edit from %q", e, w)
			}
		}
		for _, e := range TwoSlips(w) {
			if distance(w, e) > 2 {
				t.Errorf("%q is not two edits from %q", e, w)
			}
		}
	})
}
