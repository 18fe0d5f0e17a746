package terminal

import (
	"slices"
	"testing"
)

// TestLabels checks that titles with the same first words get different labels.
func TestLabels(t *testing.T) {
	for _, c := range []struct{ titles, want []string }{
		{[]string{"Fix a", "Fix the b"}, []string{"Fix a    ", "Fix the b"}},
		{[]string{"Fix the flaky test of the package index", "Fix the flaky test of the package memory", "Fix the flaky test of config"}, []string{"…the package index ", "…the package memory", "…config            "}},
		{[]string{"Fix the flaky test of the package index"}, []string{"Fix the flaky test of the packa…"}},
		{[]string{"日本語の長い長い長い長い長い題名 a", "日本語の長い長い長い長い長い題名 b"}, []string{"…a", "…b"}},
	} {
		if got := labels(c.titles); !slices.Equal(got, c.want) {
			t.Errorf("%q are %q, want %q", c.titles, got, c.want)
		}
	}
}
