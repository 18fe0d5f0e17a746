package outline

import (
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"agentflow/memory"
)

func TestDateInHeading(t *testing.T) {
	for s, want := range map[string]string{
		"2026-11-21":                      "2026-11-21",
		"2026/11/21":                      "2026-11-21",
		"2026/1/2 notes":                  "2026-01-02",
		"21 Nov 2026":                     "2026-11-21",
		"21st November, 2026":             "2026-11-21",
		"21. November 2026":               "2026-11-21",
		"Notes of 20 July 2023":           "2023-07-20",
		"The 21st of November 2026":       "2026-11-21",
		"the 21st of nothing 2026":        "",
		"November 21, 2026":               "2026-11-21",
		"Sept. 3 2026: release":           "2026-09-03",
		"May 1st, 2026":                   "2026-05-01",
		"Standup (2026-11-21)":            "2026-11-21",
		"2026-11-21T14:32:07Z":            "2026-11-21",
		"Ended 2026-11-21.":               "2026-11-21",
		"記録2026-11-21":                    "2026-11-21",
		"notes_2026-11-21_late":           "2026-11-21",
		"2026-13-01, later 2026-11-21":    "2026-11-21",
		"2026-02-30":                      "",
		"v2026-11-21":                     "",
		"1.2026-11-21":                    "",
		"2026-11-21-rc1":                  "",
		"2026-11-21.4":                    "",
		"2026/11/21/a.md":                 "",
		"12026-11-21":                     "",
		"2026-11-211":                     "",
		"version 2026.11.21":              "",
		"1.2.3":                           "",
		"121 Nov 2026":                    "",
		"Mayor 21, 2026":                  "",
		"32 Nov 2026":                     "",
		"10.0.2026":                       "",
		"Item 5 of 2026":                  "",
		"0000-00-00":                      "",
		"October 2026":                    "",
		"2026-11-22 and then 21 Nov 2026": "2026-11-22",
	} {
		got, ok := dateIn(s)
		if day := got.Format(time.DateOnly); ok != (want != "") || ok && day != want {
			t.Errorf("%q: %s, %v", s, day, ok)
		}
	}
}

func TestDateInName(t *testing.T) {
	for name, want := range map[string]string{
		"memory/2026-11-21.md":         "2026-11-21",
		"2023-07-20-session-10.md":     "2023-07-20",
		"notes/session-2023-07-20.md":  "2023-07-20",
		"session_2023_07_20_late.md":   "2023-07-20",
		"2023-07-20.notes.md":          "2023-07-20",
		"2023-07-20T10-30.md":          "2023-07-20",
		"2023-07-20 to 2023-07-25.md":  "2023-07-20",
		"議事録2023-07-20.md":             "2023-07-20",
		"20230720.md":                  "2023-07-20",
		"session-20230720.md":          "2023-07-20",
		"20230720T1030.md":             "2023-07-20",
		"20230720-copy of 20230720.md": "2023-07-20",
		"20230720-20230725.md":         "", // one of two
		"20072023.md":                  "", // the year comes first
		"07202023.md":                  "",
		"20231345.md":                  "",
		"31415926.md":                  "",
		"18990101.md":                  "",
		"2023-02-30.md":                "",
		"2023-13-01.md":                "",
		"0001-01-01.md":                "",
		"v2023-07-20.md":               "",
		"12023-07-20.md":               "",
		"2023-07-201.md":               "",
		"20230720a.md":                 "",
		"120230720.md":                 "",
		"1.2023-07-20.md":              "",
		"2023-07-20.1.md":              "",
		"release 2023.07.20.md":        "",
		"2023-07.md":                   "",
		"2023-07-20/session.md":        "", // a folder
		".md":                          "",
		"":                             "",
	} {
		got, ok := dateInName(name)
		if day := got.Format(time.DateOnly); ok != (want != "") || ok && day != want {
			t.Errorf("%q: %s, %v", name, day, ok)
		}
	}
}

// FuzzDates checks that a date found in a heading or a name is a day that is written there.
func FuzzDates(f *testing.F) {
	for _, s := range []string{"2023-07-20-session-10.md", "20230720.md", "20 July 2023", "July 20th, 2023", "2023/7/2", "2023-02-30 or 20230228"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for what, of := range map[string]func(string) (time.Time, bool){"heading": dateIn, "name": dateInName} {
			day, ok := of(s)
			if !ok {
				if !day.IsZero() && what == "name" {
					t.Fatalf("%s %q: %v is no date", what, s, day)
				}
				continue
			}
			if !strings.Contains(s, day.Format("2006")) || !strings.Contains(s, strconv.Itoa(day.Day())) || !day.Equal(day.Truncate(24*time.Hour)) {
				t.Fatalf("%s %q: %v does not stand there", what, s, day)
			}
		}
	})
}

func TestHeadingIsDate(t *testing.T) {
	for s, want := range map[string]bool{
		"2026-11-21": true, "Saturday, 21 November 2026": true, "Sat 2026/11/21 14:32": true, "2026-11-21 · 2026-11-22": true, "(November 21, 2026)": true,
		"Satellite 2026-11-21": false, "2026-11-21 Release": false, "21 Nov 2026 42": false, "Saturday": false, "Monday notes": false, "14:32": false, "": false,
	} {
		if got := (Heading{1, s}).isDate(); got != want {
			t.Errorf("%q: %v", s, got)
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

func TestAbout(t *testing.T) {
	for src, want := range map[string]About{
		"- tag: x, y":                                {Tags: []string{"x", "y"}},
		"* Tags: #x, `y z`, \"q\", x":                {Tags: []string{"x", "y z", "q"}},
		"**Tags**: x":                                {Tags: []string{"x"}},
		"- **Tags:** [x, y]":                         {Tags: []string{"x", "y"}},
		"- tags: a\x00b, " + strings.Repeat("t", 65): {},
		"Tags: x":                                    {},
		"- tags are: x":                              {},
		"- tags:x":                                   {},
		"- **tags*: x":                               {},
		"**Commit**: abc1234 (2 commits)":            {Commits: []string{"abc1234"}},
		"- commits: `ABC1234`, 0123456789abcdef0123456789abcdef01234567": {Commits: []string{"abc1234", "0123456789abcdef0123456789abcdef01234567"}},
		"- commit: abc123":                                       {},
		"- commit: fix the login":                                {},
		"- commit: " + strings.Repeat("a", 41):                   {},
		"- type: Procedural":                                     {Types: []memory.FactType{memory.Procedural}},
		"- type: bug":                                            {},
		"- branch: feature/x":                                    {Branch: "feature/x"},
		"- branch: the old one":                                  {},
		"- files: a/b.go, `c.go`, d":                             {Paths: []string{"a/b.go", "c.go"}},
		"See `auth/session.go:12-30` and `./cmd/` or `yes/no`.":  {Paths: []string{"auth/session.go", "cmd"}},
		"An open ` and `x.go`":                                   {},
		"- tags: x <!-- id=f1 type=semantic -->\n- branch: main": {Tags: []string{"x"}, Branch: "main"},
	} {
		var got About
		for line := range strings.SplitSeq(src, "\n") {
			got.line(Visible(line))
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, want %+v", src, got, want)
		}
	}
}
