package markdown

import "testing"

// Only a fence of the same kind, without words and at least as long, ends code; text that begins with
// a mark and ends in one on the same line opens none.
func TestFence(t *testing.T) {
	var f Fence
	for _, l := range []struct {
		text string
		code bool
	}{
		{"before", false}, {"```a``` is code", false}, {"~~~~ text", true}, {"```", true}, {"~~~", true}, {"~~~~ no end", true}, {"    ~~~~", true}, {"~~~~~", true},
		{"between", false}, {"   ```go", true}, {"code", true}, {"```", true}, {"after", false},
	} {
		if got := f.Holds(l.text); got != l.code {
			t.Errorf("%q: %v, want %v", l.text, got, l.code)
		}
	}
}
