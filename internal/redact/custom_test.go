package redact

import (
	"strings"
	"testing"
)

// TestCustomExpressionsEnd uses an expression that scans the rest of the text
// from each byte. The part of the text that is not scanned in time is withheld.
func TestCustomExpressionsEnd(t *testing.T) {
	r, err := New(Options{Extra: []string{`a[^z]*z|a`}})
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Text(strings.Repeat("a", 100_000)); got != Withheld {
		t.Errorf("got %.80q", got)
	}
}

func TestCustomExpressionsFindAll(t *testing.T) {
	for _, c := range []struct{ expression, text, want string }{
		{`badge (\w+)`, "badge one, badge two", "badge [redacted: custom], badge [redacted: custom]"},
		{`x*`, "aäxxb", "aä[redacted: custom]b"},
		{`()ab`, "ab ab", "ab ab"},
		{`(?m)^k=\d+$`, "k=1\nk=22\nz k=3", "[redacted: custom]\n[redacted: custom]\nz k=3"},
		{`ab`, "ababab", "[redacted: custom]"},
	} {
		r, err := New(Options{Extra: []string{c.expression}})
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Text(c.text); got != c.want {
			t.Errorf("%s: got %q, want %q", c.expression, got, c.want)
		}
	}
}
