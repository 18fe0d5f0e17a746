package redact

import (
	"math"
	"regexp"
	"strings"
	"sync"
)

// allowlist says which findings of a rule are no secrets.
type allowlist struct {
	target string // what re looks at: "" for the secret, "match" or "line"
	re     func() *regexp.Regexp
	words  *automaton // in the secret; nil for none
}

// newAllowlists reads allow lists. Those that also ask for a path never
// hold: a text has none.
func newAllowlists(lists []tomlAllowlist) []*allowlist {
	var out []*allowlist
	for _, t := range lists {
		if t.Condition != "" && len(t.Paths) > 0 {
			continue
		}
		a := &allowlist{target: t.RegexTarget}
		if len(t.Regexes) > 0 {
			expr := "(?:" + strings.Join(t.Regexes, ")|(?:") + ")"
			a.re = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
		}
		if len(t.StopWords) > 0 {
			words := make([]string, len(t.StopWords))
			for i, w := range t.StopWords {
				words[i] = strings.ToLower(w)
			}
			a.words = newAutomaton(words)
		}
		out = append(out, a)
	}
	return out
}

// matches says whether a finding is no secret by its shape.
func (a *allowlist) matches(secret, match, line string) bool {
	target := secret
	switch a.target {
	case "match":
		target = match
	case "line":
		target = line
	}
	return a.re != nil && a.re().MatchString(target)
}

// entropy is Shannon's, in bits a character, of bytes as gitleaks counts it.
func entropy(s string) float64 {
	if s == "" {
		return 0
	}
	counts := make(map[rune]int)
	for _, r := range s {
		counts[r]++
	}
	var bits float64
	for _, n := range counts {
		p := float64(n) / float64(len(s))
		bits -= p * math.Log2(p)
	}
	return bits
}
