package memory

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestMeeting(t *testing.T) {
	web, ts, sql := []string{"web/**"}, []string{"**/*.{ts,tsx}"}, []string{"*.sql"}
	in := func(folder string) Places { return Places{Folders: []string{folder}} }
	file := func(name string) Places { return Places{Folders: []string{""}, Files: []string{name}} }
	for _, c := range []struct {
		patterns []string
		places   Places
		want     string
	}{
		{web, in("web"), "web/**"}, {web, in("web/src"), "web/**"}, {web, in(""), ""}, {web, in("website"), ""}, {web, in("api"), ""},
		{[]string{"src/api/**"}, in("src"), "src/api/**"}, {[]string{"src/api/*.go"}, in("src/web"), ""},
		{[]string{"web/"}, in("web/src"), "web/"}, {[]string{"./web"}, in("web"), "./web"}, {[]string{"web/"}, file("web/a.ts"), "web/"},
		{ts, in("web"), ""}, {ts, file("web/a/b.tsx"), "**/*.{ts,tsx}"}, {ts, file("a.go"), ""},
		{sql, file("db/001.sql"), "*.sql"}, {sql, in("db"), ""},
		{web, file("web/src/a.ts"), "web/**"}, {web, file("cmd/web/a.ts"), ""}, {[]string{"Makefile"}, file("Makefile"), "Makefile"},
		{[]string{"api/**", "web/**"}, in("web"), "web/**"}, {nil, in("web"), ""},
	} {
		if got, ok := c.places.Meeting(c.patterns); got != c.want || ok != (c.want != "") {
			t.Errorf("%q and %+v: %q %v, want %q", c.patterns, c.places, got, ok, c.want)
		}
	}
}

func TestScope(t *testing.T) {
	isFolder := func(name string) bool { return name == "src/api" || name == "docs" }
	for _, c := range []struct {
		fact Fact
		want []string
	}{
		{Fact{Paths: []string{"web/**"}, Under: []string{"api/"}}, []string{"web/**"}},
		{Fact{Under: []string{"web/", "Style"}}, []string{"web/"}},
		{Fact{Under: []string{"web/", "`web/src/*.ts`"}}, []string{"web/src/*.ts"}},
		{Fact{Under: []string{"src/api"}}, []string{"src/api"}},
		{Fact{Under: []string{"src/web"}}, nil}, // no folder
		{Fact{Under: []string{"docs"}}, nil},    // a word
		{Fact{Under: []string{"In web/"}}, nil}, // several
		{Fact{Under: []string{"*bold*"}}, nil},  // no path
		{Fact{Under: []string{"../web/"}}, nil}, // elsewhere
		{Fact{Under: []string{"/etc/"}}, nil},   // elsewhere
		{Fact{Paths: []string{"**"}}, nil},      // everywhere
		{Fact{Paths: []string{"a/", "**/*"}}, nil},
		{Fact{Paths: []string{"a/", "[b"}}, nil}, // in doubt everywhere
	} {
		if got := c.fact.Scope(isFolder); !slices.Equal(got, c.want) {
			t.Errorf("%q under %q: %q, want %q", c.fact.Paths, c.fact.Under, got, c.want)
		}
	}
}

// TestApartKeepsTheScope: a fact that leaves its heading takes its path along.
func TestApartKeepsTheScope(t *testing.T) {
	if f := (Fact{Text: "Use pnpm", Under: []string{"web/"}}).Apart(); f.Text != "web/: Use pnpm" || !slices.Equal(f.Paths, []string{"web/"}) {
		t.Errorf("%+v", f)
	}
}

func TestCheckPaths(t *testing.T) {
	many := strings.Split(strings.Repeat("a,", maxPaths)+"a", ",")
	for _, bad := range [][]string{many, {"/a"}, {"a/../b"}, {".."}, {"!a"}, {"a\nb"}, {"a\xff"}, {""}, {strings.Repeat("ä", maxPathText+1)}, {"web/**", "["}} {
		if CheckPaths(bad) == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
	if err := CheckPaths(many[:maxPaths]); err != nil {
		t.Error(err)
	}
}

func TestSplitList(t *testing.T) {
	for text, want := range map[string]string{
		"": "[]", " , ": "[]", "a, b,,c": `["a" "b" "c"]`, "*.{ts,tsx}, b": `["*.{ts,tsx}" "b"]`, "{a,b": `["{a,b"]`, "a},b": `["a}" "b"]`,
	} {
		if got := fmt.Sprintf("%q", SplitList(text)); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
