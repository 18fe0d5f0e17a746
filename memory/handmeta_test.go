package memory

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestHandMeta(t *testing.T) {
	for src, want := range map[string]handMeta{
		"- tag: x, y":                                {tags: []string{"x", "y"}},
		"* Tags: #x, `y z`, \"q\", x":                {tags: []string{"x", "y z", "q"}},
		"**Tags**: x":                                {tags: []string{"x"}},
		"- **Tags:** [x, y]":                         {tags: []string{"x", "y"}},
		"- tags: a\x00b, " + strings.Repeat("t", 65): {},
		"Tags: x":                                    {},
		"- tags are: x":                              {},
		"- tags:x":                                   {},
		"- **tags*: x":                               {},
		"**Commit**: abc1234 (2 commits)":            {commits: []string{"abc1234"}},
		"- commits: `ABC1234`, 0123456789abcdef0123456789abcdef01234567": {commits: []string{"abc1234", "0123456789abcdef0123456789abcdef01234567"}},
		"- commit: abc123":                                       {},
		"- commit: fix the login":                                {},
		"- commit: " + strings.Repeat("a", 41):                   {},
		"- type: Procedural":                                     {types: []FactType{Procedural}},
		"- type: bug":                                            {},
		"- branch: feature/x":                                    {branch: "feature/x"},
		"- branch: the old one":                                  {},
		"- files: a/b.go, `c.go`, d":                             {paths: []string{"a/b.go", "c.go"}},
		"See `auth/session.go:12-30` and `./cmd/` or `yes/no`.":  {paths: []string{"auth/session.go", "cmd"}},
		"An open ` and `x.go`":                                   {},
		"- tags: x <!-- id=f1 type=semantic -->\n- branch: main": {tags: []string{"x"}, branch: "main"},
	} {
		var got handMeta
		for line := range strings.SplitSeq(src, "\n") {
			got.line(visible(line))
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, want %+v", src, got, want)
		}
	}
}

func TestCodePath(t *testing.T) {
	for s, want := range map[string]string{
		"a/b.go": "a/b.go", "main.go": "main.go", "./x/y": "", "./pkg/errors": "pkg/errors", "cmd/agentflow": "cmd/agentflow", "docs/": "docs",
		".github/workflows/ci.yml": ".github/workflows/ci.yml", "Makefile": "Makefile", ".gitignore": ".gitignore", "文書/設計.md": "文書/設計.md",
		"src/app.ts#L10-L20": "src/app.ts", "go.mod": "go.mod", "a/b/c": "a/b/c", "github.io.md": "github.io.md",
		"yes/no": "", "TCP/IP": "", "1/2": "", "text/html": "", "origin/main": "", "https://a.b/c": "", "github.com/a/b": "", "fmt.Println": "", "C++": "",
		"-o/x.go": "", "../x.go": "", "/etc/passwd": "", "a//b.go": "", "go test ./...": "", "./...": "", "a b/c.go": "", "*.go": "", ".go": "", "x.go()": "",
		"a/\x00.go": "", "a/\xff.go": "", "": "", "ab": "",
	} {
		got, ok := codePath(s)
		if ok != (want != "") || ok && got != want {
			t.Errorf("%q: %q, %v, want %q", s, got, ok, want)
		}
	}
}

// What a section says of itself all its chunks know, and no other section.
func TestMetaIsOfItsSection(t *testing.T) {
	src := "# 21 Nov 2026 · Notes\n\nwords\n\n## Login\n\n- tags: auth, pinned\n- type: procedural\n**Commit**: abc1234\nSee `auth/session.go`.\n\n" +
		numbered(60) + "\n\n```\n- tags: code\n`a/code.go`\n```\n\n<!--\n- tags: hidden\n-->\n\n### Below\n\nmore\n"
	list := collected("MEMORY-notes.md", Parse([]byte(src)), 100, 20, time.Time{})
	if len(list) < 5 || list[0].Heading != "21 Nov 2026 · Notes" || list[0].Tags != nil || list[0].Pinned {
		t.Fatalf("%d chunks, the first %+v", len(list), list[0])
	}
	for _, c := range list[1 : len(list)-1] {
		if c.Heading != "21 Nov 2026 · Notes > Login" || c.Title != c.Heading || !slices.Equal(c.Tags, []string{"auth", "pinned"}) || !c.Pinned ||
			!slices.Equal(c.Types, []FactType{Procedural}) || !slices.Equal(c.Commits, []string{"abc1234"}) || !slices.Equal(c.Paths, []string{"auth/session.go"}) {
			t.Errorf("%+v", c)
		}
	}
	last := list[len(list)-1]
	if last.Heading != "21 Nov 2026 · Notes > Login > Below" || last.Tags != nil || last.Commits != nil || last.Paths != nil || last.Date.Day() != 21 {
		t.Errorf("%+v", last)
	}
}

// A fact's tags and those of its section stay apart from the next chunk's.
func TestFactsOfChunksKeepTheirTags(t *testing.T) {
	src := "- tags: all\n\n- one <!-- id=f1 tags=a -->\n\n" + numbered(20) + "\n\n- two <!-- id=f2 tags=b type=semantic -->\n"
	list := collected(daily, Parse([]byte(src)), 60, 0, time.Time{})
	first, last := list[0], list[len(list)-1]
	if !slices.Equal(first.Tags, []string{"all", "a"}) || !slices.Equal(last.Tags, []string{"all", "b"}) || first.Types != nil {
		t.Errorf("%v and %v", first.Tags, last.Tags)
	}
}
