package summary

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agentflow/executor/agent/checks"
)

// TestLinesOfChecks: the last end of each check counts, separately for each folder.
func TestLinesOfChecks(t *testing.T) {
	tree, err := filepath.Abs("tree")
	if err != nil {
		t.Fatal(err)
	}
	sub := filepath.Join(tree, "web")
	const ok, bad = checks.Passed, checks.Failed
	at := func(dir string, end checks.End) checks.Check {
		return checks.Check{Name: "npm test", Dir: dir, End: end}
	}
	long := checks.Check{Name: "pytest " + strings.Repeat("x", 100), End: ok}
	var many []checks.Check
	for i := range 12 {
		end := ok
		if i == 2 {
			end = bad
		}
		many = append(many, checks.Check{Name: fmt.Sprint("make test", i), End: end})
	}
	for name, c := range map[string]struct {
		list []checks.Check
		want []string
	}{
		"none":           {nil, nil},
		"failed, passed": {[]checks.Check{at("", bad), at("", ok)}, []string{"npm test passed"}},
		"passed, lost":   {[]checks.Check{at("", ok), at("", "")}, nil},
		"two":            {[]checks.Check{at("", ok), {Name: "make lint", End: bad}}, []string{"npm test passed", "make lint failed"}},
		"order":          {[]checks.Check{at("", bad), {Name: "make lint", End: bad}, at("", ok)}, []string{"make lint failed", "npm test passed"}},
		"two folders":    {[]checks.Check{at("web", bad), at("", ok)}, []string{"npm test in web failed", "npm test passed"}},
		"the same":       {[]checks.Check{at("web", bad), at(sub, ok), at(tree, ok)}, []string{"npm test in web passed", "npm test passed"}},
		"outside":        {[]checks.Check{at(filepath.Join(tree, "..", "other"), ok)}, []string{"npm test in other passed"}},
		"somewhere":      {[]checks.Check{at(checks.UnknownDir, ok)}, []string{"npm test passed"}},
		"disputed":       {[]checks.Check{at("", bad), at(checks.UnknownDir, ok), {Name: "make lint", End: ok}}, []string{"make lint passed"}},
		"agreed":         {[]checks.Check{at("web", bad), at(checks.UnknownDir, bad)}, []string{"npm test in web failed", "npm test failed"}},
		"long":           {[]checks.Check{long}, []string{"pytest " + strings.Repeat("x", 52) + "… passed"}},
		"many":           {many, []string{"make test2 failed", "make test5 passed", "make test6 passed", "make test7 passed", "make test8 passed", "make test9 passed", "make test10 passed", "make test11 passed", "4 more passed"}},
	} {
		t.Run(name, func(t *testing.T) {
			var l checksRun
			l.add(c.list)
			if got := l.Lines(tree, tree); !slices.Equal(got, c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
	l := checksRun{at("", ok)}
	if got := l.Lines(tree, sub); !slices.Equal(got, []string{"npm test in web passed"}) {
		t.Errorf("an agent that works in web: %q", got)
	}
}
