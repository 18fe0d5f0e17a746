package gitwatch

import (
	"math/rand/v2"
	"strings"
	"testing"

	"agentflow/internal/testing/endtest"
	"agentflow/internal/testing/randomtest"
)

// TestIgnoreAgreesWithGit asks git check-ignore about random rules and paths.
func TestIgnoreAgreesWithGit(t *testing.T) {
	f := newFixture(t)
	pieces := []string{"a", "b", "c", "*", "?", "**", "/", "[ab]", "[!a]", "[a-", "\\*", ".", "a/", "/b", "!", " ", "[[:alpha:]]", "]", "-"}
	paths := []string{"a", "b", "ab", "a.b", "c/a", "c/b/a", "a/b/c", "b/b", "*", "c/ab", "a b", "b/a/b/c", "-", "]"}
	randomtest.Check(t, 500, func(t *testing.T, rnd *rand.Rand) {
		var rules []string
		for range 1 + rnd.IntN(3) {
			rules = append(rules, strings.Join(randomtest.Picks(rnd, 1, 5, pieces...), ""))
		}
		text := strings.Join(rules, "\n") + "\n"
		f.Write(".gitignore", text)
		out, _ := f.TryWith(strings.Join(paths, "\x00")+"\x00", "check-ignore", "--no-index", "-z", "--stdin")
		git := sortedLines(fields(out))
		var got []string
		for _, p := range paths {
			if ignoredDeep([]ruleSet{{rules: parseRules(text)}}, p) {
				got = append(got, p)
			}
		}
		if ours := sortedLines(got); ours != git {
			t.Fatalf("rules %q:\n got %q\nwant %q", text, ours, git)
		}
	})
}

// ignoredDeep is ignored for a path or any of its parents.
func ignoredDeep(sets []ruleSet, path string) bool {
	for i := range len(path) {
		if path[i] == '/' && ignoredBy(sets, path[:i], true) {
			return true
		}
	}
	return ignoredBy(sets, path, false)
}

func TestWildmatchIsBounded(t *testing.T) {
	endtest.Soon(t, "stars", func() {
		wildmatch(strings.Repeat("*a", 30)+"b", strings.Repeat("a", 4000))
		wildmatch(strings.Repeat("**/", 30)+"b", strings.Repeat("a/", 2000))
	})
}
