package redact

import (
	"regexp"
	"slices"
	"testing"

	"agentflow/internal/dfa"
	"agentflow/internal/testing/secrettest"
)

// The expressions of all rules and allow lists find what package regexp finds
// by them, in texts full of secrets and in the worst ones known.
func TestRulesFindWhatPackageRegexpFinds(t *testing.T) {
	set, err := defaultRules()
	if err != nil {
		t.Fatal(err)
	}
	var expressions []*dfa.Regexp
	for i := range set.rules {
		r := &set.rules[i]
		expressions = append(expressions, r.re(), r.first())
		for _, a := range r.allow {
			if a.re != nil && !slices.Contains(expressions, a.re()) {
				expressions = append(expressions, a.re())
			}
		}
	}
	var samples []string
	for _, s := range secrettest.Forms() {
		samples = append(samples, s.Text)
	}
	for _, s := range secrettest.Gitleaks(t, 1) {
		samples = append(samples, s.Text[:min(len(s.Text), 1<<10)])
	}
	for _, s := range texts() {
		samples = append(samples, s[:1<<10])
	}
	for _, re := range expressions {
		std := regexp.MustCompile(re.String())
		for _, s := range samples {
			if got, want := re.FindStringSubmatchIndex(s), std.FindStringSubmatchIndex(s); !slices.Equal(got, want) {
				t.Fatalf("%s in %q: %v, want %v", re, s, got, want)
			}
			if got, want := re.MatchString(s), std.MatchString(s); got != want {
				t.Fatalf("%s in %q: %v, want %v", re, s, got, want)
			}
		}
	}
}
