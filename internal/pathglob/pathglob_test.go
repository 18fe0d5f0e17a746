package pathglob

import (
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	for _, good := range []string{"web/**", "./web/", "*.sql", "src/{a,b}/*.ts", "a b/c", "README.md", "**", "日本/*.md"} {
		if err := Check(good); err != nil {
			t.Errorf("Check(%q): %v", good, err)
		}
	}
	for _, bad := range []string{"", ".", "/web", "../web", "web/../api", "web//x", "[a", "{a", strings.Repeat("{a,aa}", 3), strings.Repeat("*a", 9), strings.Repeat("a", 257)} {
		if Check(bad) == nil {
			t.Errorf("Check(%q) finds nothing wrong", bad)
		}
	}
}

func TestFolder(t *testing.T) {
	for pattern, want := range map[string]string{
		"web/**": "web", "./web/": "web", "web/src/*.ts": "web/src", "**/*.ts": "", "*.sql": "", "cmd/main.go": "cmd/main.go", "src/{a,b}/x": "src",
	} {
		if got := Folder(pattern); got != want {
			t.Errorf("Folder(%q) = %q, want %q", pattern, got, want)
		}
	}
}

func TestMatch(t *testing.T) {
	for pair, want := range map[[2]string]bool{
		{"web/**", "web/a/b.ts"}: true, {"web/**", "web"}: true, {"./web/*.ts", "web/b.ts"}: true, {"web/*", "web/a/b.ts"}: false, {"[a", "a"}: false,
	} {
		if got := Match(pair[0], pair[1]); got != want {
			t.Errorf("Match(%q, %q) = %v", pair[0], pair[1], got)
		}
	}
}
