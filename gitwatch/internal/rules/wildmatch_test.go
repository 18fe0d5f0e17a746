package rules

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"agentflow/internal/testing/endtest"
	"agentflow/internal/testing/gittest"
	"agentflow/internal/testing/randomtest"
)

// TestIgnoreAgreesWithGit asks git check-ignore about random rules and paths.
func TestIgnoreAgreesWithGit(t *testing.T) {
	f := gittest.New(t)
	pieces := []string{"a", "b", "c", "*", "?", "**", "/", "[ab]", "[!a]", "[a-", "\\*", ".", "a/", "/b", "!", " ", "[[:alpha:]]", "]", "-"}
	paths := []string{"a", "b", "ab", "a.b", "c/a", "c/b/a", "a/b/c", "b/b", "*", "c/ab", "a b", "b/a/b/c", "-", "]"}
	randomtest.Check(t, 500, func(t *testing.T, rnd *rand.Rand) {
		var lines []string
		for range 1 + rnd.IntN(3) {
			lines = append(lines, strings.Join(randomtest.Picks(rnd, 1, 5, pieces...), ""))
		}
		text := strings.Join(lines, "\n") + "\n"
		f.Write(".gitignore", text)
		out, _ := f.TryWith(strings.Join(paths, "\x00")+"\x00", "check-ignore", "--no-index", "-z", "--stdin")
		git := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
		got := []string{}
		for _, p := range paths {
			if ignoredDeep([]ruleSet{{rules: parseRules(text)}}, p) {
				got = append(got, p)
			}
		}
		if out == "" {
			git = []string{}
		}
		if !slices.Equal(got, git) {
			t.Fatalf("rules %q:\n got %q\nwant %q", text, got, git)
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
		Match(strings.Repeat("*a", 30)+"b", strings.Repeat("a", 4000))
		Match(strings.Repeat("**/", 30)+"b", strings.Repeat("a/", 2000))
	})
}

// TestQuotedAttributes asks git which paths a quoted pattern means.
func TestQuotedAttributes(t *testing.T) {
	names := []string{"a b", "tab\there", "ä", `back\slash`, `"quoted"`, "#sharp", "end ", "plain", "x", "\a\b\f\v", "\\101"}
	patterns := []string{
		`"a b"`, `"tab\there"`, `"\303\244"`, `"back\\\\slash"`, `"\"quoted\""`, `"#sharp"`, `"end "`, `"plain"`, `"pl\141in"`, `"\a\b\f\v"`,
		`"\x78"`, `"\8"`, `"\40"`, `"unended`, `"\400"`, `"x"y`, `"x" y`, `"`, `""`, `"\\\\101"`, "ä", "\f", "end ", `\#sharp`,
	}
	for _, pattern := range patterns {
		f := gittest.New(t)
		f.Write(".gitattributes", pattern+" text\n")
		a, err := ReadAttributes(f.Dir, false)
		gittest.Must(t, err)
		for _, name := range names {
			got, err := a.Of(name)
			gittest.Must(t, err)
			want := !strings.HasSuffix(f.Git("check-attr", "-z", "text", "--", name), "\x00unspecified\x00")
			if (got&LineEnds != 0) != want {
				t.Errorf("%s for %q: git says %v", pattern, name, want)
			}
		}
	}
}
